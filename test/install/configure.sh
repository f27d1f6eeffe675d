#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# What came or went since a folder was configured reaches the build: `make demo` on a fresh machine
# configures without cmocka, and `make check` then installs it and must have all unit tests. Here
# pkg-config sees a folder of ours, from which packages are taken and put back.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
out=$TREE.configure
modules=$out/modules build=$out/build
rm -rf "$out"
mkdir -p "$modules"
cd "$root"

fail() {
	echo "$1"
	exit 1
}

# tool/configure watches all modules that are asked for.
for module in $(grep -rhoE --include=CMakeLists.txt --include='*.cmake' 'pkg_check_modules\([^)]*' \
	CMakeLists.txt cmake bench | sed -E 's/^[^ ]* //; s/IMPORTED_TARGET|QUIET|REQUIRED//g'); do
	tool/configure --found "$CC" | grep -q "^$module " ||
		fail "tool/configure --found does not name the module $module"
done

for module in libarchive zlib jansson cmocka; do
	folder=$(pkg-config --variable=pcfiledir $module) && [ -f "$folder/$module.pc" ] || {
		echo "$module is not installed, so it cannot vanish"
		exit 77
	}
	cp "$folder"/*.pc "$modules"
done
export PKG_CONFIG_LIBDIR=$modules
unset CI PKG_CONFIG_PATH CMAKE_GENERATOR MAKEFLAGS MAKELEVEL # as typed, not as `make check` calls it
configure() { make configure BUILD="$build" CMAKE_FLAGS="$*"; }
tests() { ctest --test-dir "$build" -N | sed -n 's/^ *Test *#[0-9]*: //p'; }
left_out() { grep -q "^$1" "$build/left-out.txt" && grep -q "^$1" "$build/missing.txt"; }

rm "$modules/cmocka.pc"
configure -DEK_PEERS=OFF -DCMAKE_C_COMPILER="$CC"
left_out 'unit tests: cmocka' || fail "nothing says that cmocka is missing"
! tests | grep -q '^test_' || fail "there are unit tests without cmocka"
[ -z "$(configure)" ] || fail "configured again although nothing changed"

cp "$folder/cmocka.pc" "$modules"
configure | grep 'again.* cmocka$' || fail "cmocka came, and the build does not know"
tests >"$out/tests.txt"
for file in test/test_*.c; do
	name=$(basename "$file" .c)
	grep -qx "$name" "$out/tests.txt" || fail "cmocka came, and $name is not a test"
done
! left_out 'unit tests' || fail "cmocka came, and the unit tests are left out"

rm "$modules/jansson.pc" "$modules/cmocka.pc"
configure | grep 'again.* cmocka jansson$' || fail "two packages went, and the build does not know"
left_out 'the tool ek' || fail "jansson went, and the tool is not left out"
! tests | grep -q '^test_' || fail "cmocka went, and there are unit tests"
[ -z "$(configure)" ] || fail "configured again although nothing changed"

# With CI set, what was left out is a failure, and stands at the end; without, it is only said.
mkdir "$out/tests"
echo 'add_test(yes true)' >"$out/tests/CTestTestfile.cmake"
printf 'charts: none\nunit tests: none\n' >"$out/tests/left-out.txt"
echo 'unit tests: none' >"$out/tests/missing.txt"
tool/check "$out/tests" 1 | tail -2 | diff - <(sed 's/^/Left out: /' "$out/tests/left-out.txt")
! CI=1 tool/check "$out/tests" 1 >"$out/ci.log" || fail "left out, CI set, and no failure"
tail -1 "$out/ci.log" | grep -x '    unit tests: none' || fail "the end does not say what is missing"
echo >"$out/tests/missing.txt"
CI=1 tool/check "$out/tests" 1 >/dev/null || fail "a failure for what is left out by an option"
echo 'add_test(no false)' >"$out/tests/CTestTestfile.cmake"
! tool/check "$out/tests" 1 >"$out/ci.log" || fail "the status of ctest is lost"

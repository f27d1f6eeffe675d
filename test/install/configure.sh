#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests that packages installed or removed since a folder was configured reach the build: `make
# demo` on a fresh machine configures without cmocka, and `make check` then installs it and must
# have all unit tests. Here pkg-config sees a folder of ours, from which packages are taken and put
# back.
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

# tool/configure watches all that CMake looks for, except Threads, which come with the C library.
tool/configure --found "$CC" | cut -d ' ' -f 1 | sort -u >"$out/watched.txt"
grep -rhoE --include=CMakeLists.txt --include='*.cmake' \
	'(pkg_check_modules|find_(path|file|library|program|package)|check_language) *\([^)]*' \
	CMakeLists.txt cmake bench |
	sed -E 's/ *\(/ /; s/ (IMPORTED_TARGET|QUIET|REQUIRED|NAMES)\>//g' |
	awk '/^(find_package|check_language)/ { print $2; next } { print $3 }' |
	grep -vx Threads | sort -u >"$out/sought.txt"
grep -qx xxhash.h "$out/sought.txt" || fail "this test does not see what CMake looks for"
unwatched=$(comm -13 "$out/watched.txt" "$out/sought.txt")
[ -z "$unwatched" ] || fail "tool/configure --found does not name $unwatched"

for module in libarchive zlib jansson cmocka; do
	folder=$(pkg-config --variable=pcfiledir $module) && [ -f "$folder/$module.pc" ] || {
		echo "$module is not installed, so it cannot vanish"
		exit 77
	}
	cp "$folder"/*.pc "$modules"
done
export PKG_CONFIG_LIBDIR=$modules
unset CI PKG_CONFIG_PATH CMAKE_GENERATOR MAKEFLAGS MAKELEVEL # as typed by hand, not by `make check`
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

# A header comes and goes: CMake must ignore the system's, and the compiler sees ours first.
mkdir "$out/headers"
export CPATH=$out/headers
configure "-DCMAKE_INCLUDE_PATH=$out/headers -DCMAKE_SYSTEM_IGNORE_PATH=/usr/include"
left_out 'the binary form .ekm' || fail "nothing says that xxHash is missing"
echo '#define XXHASH' >"$out/headers/xxhash.h"
configure | grep 'again.* xxhash.h$' || fail "xxHash came, and the build does not know"
! left_out 'the binary form .ekm' || fail "xxHash came, and .ekm is left out"
rm "$out/headers/xxhash.h"
configure | grep 'again.* xxhash.h$' || fail "xxHash went, and the build does not know"
left_out 'the binary form .ekm' || fail "xxHash went, and .ekm is not left out"

# With CI set, what was left out is a failure, named at the end; otherwise it is only reported.
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

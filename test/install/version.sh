#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests that every door in the moved tree names the version of the header: library, tool, pkg-config,
# C++, Fortran, the declarations of the Python package, and the file of the door for MKL. So do the files
# that are written by hand. petsc/check does the same for PETSc, debian.sh for the packages. What cannot
# be asked for want of a compiler, Python or pkg-config is a failure if CI is set.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
out=$TREE.version
rm -rf "$out"
mkdir -p "$out"
. "$root/test/consumer/library.sh"
. "$root/test/consumer/left_out.sh"
part() { sed -n "s/#define EK_VERSION_$1 //p" "$TREE/include/evenkeel/ek.h"; }
wanted=$(part MAJOR).$(part MINOR).$(part PATCH)
abi=$(part MAJOR).$(part MINOR)
failed=0
# names DOOR VERSION [WANTED]
names() {
	echo "$1: $2"
	[ "$2" = "${3:-$wanted}" ] || { echo "$1 is not of version ${3:-$wanted}" && failed=1; }
}
missing() { left_out "the version of $1" || failed=1; }
not_built() { echo "not built, so without a version: $1"; }

cat >"$out/c.c" <<'EOF'
#include <evenkeel/ek.h>
#include <stdio.h>
int main(void) { return puts(ek_version()) < 0; }
EOF
"$CC" -I"$TREE/include" "$out/c.c" "${library[@]}" -o "$out/c"
names "library" "$("$out/c")"
if [ "${TOOL:-no}" = yes ]; then
	names "tool" "$("$TREE/bin/ek" --version | head -n 1)" "ek $wanted, library evenkeel $wanted"
else
	not_built "the tool"
fi
if command -v pkg-config >/dev/null; then
	names "pkg-config" "$(PKG_CONFIG_PATH=$TREE/$LIB/pkgconfig pkg-config --modversion evenkeel)"
else
	missing "pkg-config"
fi
if command -v g++ >/dev/null; then
	cat >"$out/cpp.cpp" <<'EOF'
#include <evenkeel/ek.hpp>
#include <cstdio>
int main() { return std::puts(ek::version().c_str()) < 0; }
EOF
	g++ -std=c++17 -I"$TREE/include" "$out/cpp.cpp" "${library[@]}" -o "$out/cpp"
	names "C++" "$("$out/cpp")"
else
	missing "C++ (g++)"
fi
if command -v gfortran >/dev/null; then
	cat >"$out/fortran.f90" <<'EOF'
program version
  use evenkeel
  print '(a)', ek_string(ek_version())
end program version
EOF
	gfortran -J "$out" "$TREE/include/evenkeel/evenkeel.f90" "$out/fortran.f90" "${library[@]}" -o "$out/fortran"
	names "Fortran" "$("$out/fortran")"
else
	missing "Fortran (gfortran)"
fi
if command -v python3 >/dev/null; then
	python3 "$root/python/declare.py" "$TREE/include/evenkeel/ek.h" "$out/declared.py"
	names "Python" "$(cd "$out" && python3 -B -c 'import declared; print(declared.VERSION)')"
else
	missing "Python (python3)"
fi
if [ -e "$TREE/$LIB/libevenkeel_mkl.so" ]; then
	file=$(realpath "$TREE/$LIB/libevenkeel_mkl.so")
	names "MKL's calls, file" "${file##*.so.}"
	names "MKL's calls, SONAME" "$(readelf -d "$file" | sed -n 's/.*(SONAME).*\.so\.\(.*\)\]/\1/p')" "$abi"
else
	not_built "the door for MKL"
fi
names "CITATION.cff" "$(sed -n 's/^version: //p' "$root/CITATION.cff")"
names "debian/changelog" "$(sed -n '1s/.*(\(.*\)-.*).*/\1/p' "$root/debian/changelog")"
exit $failed

#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests the Debian packages in folder $1: there are five, or four if they were built without PETSc,
# with the right contents, the same version, and no run path. Unpacked to one folder, the tool runs
# and finds its suites there, Python multiplies, and programs of PETSc multiply with the module.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
at=$(cd "$1" && pwd)
root=$at/root
. "$here/consumer/left_out.sh"
packages=("$at"/libevenkeel[0-9]*_*.deb "$at"/libevenkeel-dev_*.deb "$at"/evenkeel-tools_*.deb
	"$at"/python3-evenkeel_*.deb)
if compgen -G "$at/libevenkeel-petsc_*.deb"; then packages+=("$at"/libevenkeel-petsc_*.deb); fi
[ "$(find "$at" -maxdepth 1 -name '*.deb' | wc -l)" -eq ${#packages[@]} ]
version=$(dpkg-deb -f "${packages[0]}" Version)
rm -rf "$root"
for package in "${packages[@]}"; do
	[ "$(dpkg-deb -f "$package" Version)" = "$version" ]
	dpkg-deb -x "$package" "$root"
done
has() { # package path...
	local package=$1 name
	shift
	for name in "$@"; do
		dpkg-deb -c "$package" | grep -- "$name" >/dev/null && continue
		echo "${package##*/} has no $name"
		return 1
	done
}
has "${packages[0]}" '/libevenkeel\.so\.[0-9.]*$'
has "${packages[1]}" /ek.h /ek.hpp /evenkeel.f90 /libevenkeel.a '/libevenkeel.so ->' /evenkeel.pc \
	/evenkeelConfig.cmake /examples/power.c /doc/promises.md
has "${packages[2]}" /usr/bin/ek /man1/ek.1.gz /suites/small.txt /completions/ek
has "${packages[3]}" /evenkeel/__init__.py /evenkeel/_api.py /evenkeel/libek_fast.so /evenkeel/py.typed \
	"/evenkeel-${version%-*}.dist-info/METADATA"
if dpkg-deb -c "${packages[3]}" | grep 'libevenkeel\|pycache\|/tests/'; then exit 1; fi
dpkg-deb -I "${packages[0]}" symbols
while read -r file; do
	head -c 4 "$file" | grep -qa ELF || continue
	if readelf -d "$file" | grep 'RUNPATH\|RPATH'; then
		echo "${file#"$root"} has a run path"
		exit 1
	fi
done < <(find "$root" -type f)

lib=$(dirname "$(find "$root/usr/lib" -name libevenkeel.so)")
echo "not-there.mtx" >"$root/usr/share/evenkeel/suites/one.txt"
export LD_LIBRARY_PATH=$lib
"$root/usr/bin/ek" --version | grep -F "library evenkeel ${version%-*}"
"$root/usr/bin/ek" bench spmv --suite one --rounds 1 2>&1 | grep not-there.mtx

if /usr/bin/python3 -c 'import numpy'; then
	PYTHONPATH=$root/usr/lib/python3/dist-packages PYTHONDONTWRITEBYTECODE=1 \
		/usr/bin/python3 "$here/consumer/package.py" "${version%-*}" "$lib"
else
	left_out "the Python package: numpy is missing (python3-numpy)"
fi

if [ ${#packages[@]} -eq 4 ]; then
	echo "left out: the module for PETSc, which was not built"
	exit
fi
module=$lib/petsc/libpetscek.so
has "${packages[4]}" /usr/include/evenkeel_petsc.h "${module#"$root"}"
dpkg-deb -f "${packages[4]}" Depends | grep "libevenkeel${version%.*}.*libpetsc-real"
if ! pkg-config --exists PETSc || ! command -v mpicc; then
	left_out "the module for PETSc: PETSc or MPI is missing (libpetsc-real-dev, openmpi-bin)"
	exit
fi
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
read -ra petsc < <(pkg-config --cflags --libs PETSc)
build=(mpicc -I"$root/usr/include" "$here/consumer/petsc.c")
"${build[@]}" -o "$root/loads" "${petsc[@]}"
"${build[@]}" -o "$root/linked" -DLINKED "$module" -Wl,-rpath-link,"$lib" "${petsc[@]}"
readelf -d "$root/linked" | grep "NEEDED.*$module" # by its path, since the loader does not look there
multiplies() { # program options...: with the method that they name
	"$@" -mat_ek_method csr.serial -mat_ek_explain | tee "$root/log"
	grep -x '6 6 17' "$root/log" && grep 'MatMult, 3 x 3: spmv.csr.serial' "$root/log"
}
multiplies "$root/loads" -dll_append "$module"
multiplies "$root/linked"

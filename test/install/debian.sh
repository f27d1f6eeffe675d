#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests the Debian packages in folder $1: there are three with the right contents. Unpacked to one
# folder, the tool runs, finds its suites there and has no run path; the packages' version is the
# tool's.
set -eu
at=$(cd "$1" && pwd)
root=$at/root
packages=("$at"/libevenkeel[0-9]*_*.deb "$at"/libevenkeel-dev_*.deb "$at"/evenkeel-tools_*.deb)
[ "$(find "$at" -maxdepth 1 -name '*.deb' | wc -l)" -eq 3 ]
rm -rf "$root"
for package in "${packages[@]}"; do
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
has "${packages[1]}" /ek.h /libevenkeel.a '/libevenkeel.so ->' /evenkeel.pc /evenkeelConfig.cmake \
	/examples/power.c /doc/promises.md
has "${packages[2]}" /usr/bin/ek /man1/ek.1.gz /suites/small.txt /completions/ek
dpkg-deb -I "${packages[0]}" symbols
lib=$(dirname "$(find "$root/usr/lib" -name libevenkeel.so)")
echo "not-there.mtx" >"$root/usr/share/evenkeel/suites/one.txt"
export LD_LIBRARY_PATH=$lib
version=$(dpkg-deb -f "${packages[2]}" Version)
"$root/usr/bin/ek" --version | grep -F "library evenkeel ${version%-*}"
"$root/usr/bin/ek" bench spmv --suite one --rounds 1 2>&1 | grep not-there.mtx
! readelf -d "$root/usr/bin/ek" | grep 'RUNPATH\|RPATH'

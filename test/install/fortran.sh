#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests the module for Fortran in the moved tree: it is what the header says now, and two programs
# work with it. Exit status 77: no compiler for Fortran, or no Python to compare with the header; that
# is a failure if CI is set.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$root/test/consumer/left_out.sh"
for program in gfortran python3; do
	command -v $program >/dev/null && continue
	left_out "the module for Fortran: there is no $program"
	exit 77
done
"$root/fortran/generate.py" --check
out=$TREE.fortran
mkdir -p "$out"
. "$root/test/consumer/library.sh"
flags=(-std=f2018 -O1 -Wall -Wextra -pedantic -Wno-compare-reals -Werror -fcheck=all -J "$out")
gfortran "${flags[@]}" -c "$TREE/include/evenkeel/evenkeel.f90" -o "$out/evenkeel.o"
for program in test/consumer/consumer examples/cg; do
	gfortran "${flags[@]}" "$root/$program.f90" "$out/evenkeel.o" "${library[@]}" -o "$out/program"
	"$out/program"
done

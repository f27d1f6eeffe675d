#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests that the library $1 exports the functions of the inspector-executor Sparse BLAS and nothing
# else, and, where MKL's headers are in the folder $2, that it has every one that they declare.
set -eu
exported=$(nm -D --defined-only "$1" | awk '{ print $3 }' | sort)
if grep -v '^mkl_sparse_' <<<"$exported"; then
	echo "the names above are not of the interface"
	exit 1
fi
if readelf -d "$1" | grep -i 'NEEDED.*mkl'; then
	echo "the library needs MKL"
	exit 1
fi
readelf -d "$1" | grep -q NODELETE || {
	echo "the library may be unloaded, under its threads"
	exit 1
}
echo "$(wc -l <<<"$exported") functions are exported"
[ -e "${2:-}/mkl_spblas.h" ] || exit 0
declared=$(cat "$2"/mkl_{spblas,sparse_qr,solvers_ee}.h | grep -oE '\<mkl_sparse_[a-z0-9_]+ *\(' |
	tr -d ' (' | sort -u)
# Versions of MKL differ, so more names than these are no fault. ee_init takes no handle.
lacking=$(comm -23 <(cat <<<"$declared") <(cat <<<"$exported") | grep -v '_omp_offload\|_ee_init' || true)
if [ -n "$lacking" ]; then
	printf '%s\nthe functions above are declared in %s, and not exported\n' "$lacking" "$2"
	exit 1
fi
echo "$(wc -l <<<"$declared") functions are declared in MKL's headers"

#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests that a program links with the static library although it defines all names of our functions
# that are not in the header, and that each side calls its own.
set -eu
case $KINDS in *static*) ;; *) exit 77 ;; esac
command -v pkg-config >/dev/null || exit 77
root=$(cd "$(dirname "$0")/../.." && pwd)
out=$TREE.clash
mkdir -p "$out"
nm "$TREE/$LIB/libevenkeel.a" | awk 'NF == 3 && $3 ~ /^eki?_[a-z0-9_]*$/ { print $3 }' | sort -u |
	comm -23 - <(sed 's/@@.*//' "$root/test/install/symbols.txt" | sort) >"$out/names"
[ "$(wc -l <"$out/names")" -gt 300 ] || {
	echo "only $(wc -l <"$out/names") internal names were found"
	exit 1
}
for name in eki_alloc eki_fail ek_spmv_csr_merge; do grep -qx $name "$out/names"; done
# In assembly, since a compiler takes half a minute for so many functions.
{
	echo '.text'
	sed 's/.*/.globl &\n&:/' "$out/names"
	echo '.long 0'
	echo '.section .note.GNU-stack,"",%progbits'
} >"$out/names.s"
$CC -c "$out/names.s" -o "$out/names.o"
export PKG_CONFIG_PATH=$TREE/$LIB/pkgconfig
# shellcheck disable=SC2046 # the flags are several words
$CC -std=c99 $(pkg-config --cflags evenkeel) "$root/test/consumer/consumer.c" "$out/names.o" \
	$(pkg-config --static --libs evenkeel | sed 's/-levenkeel/-l:libevenkeel.a/') -o "$out/program"
"$out/program"
echo "$(wc -l <"$out/names") names of ours are free for programs"

#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The library needs no build system: the line that the README prints compiles it, with a program, by
# each compiler here.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
out=$TREE.plain
mkdir -p "$out"
command=$(grep -m1 '^cc .*src/\*/\*\.c' "$root/README.md" | sed 's/example\.c/test\/consumer\/consumer.c/; s/-O2/-O1/')
cd "$root"
for cc in gcc clang; do
	command -v "$cc" >/dev/null || continue
	line=${command/#cc/$cc}
	line=${line/-o example/-o $out/$cc}
	echo "$line"
	bash -c "$line"
	"$out/$cc"
done

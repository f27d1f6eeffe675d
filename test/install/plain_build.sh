#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests that the library needs no build system: the line in the README compiles it together with a
# program, with the compiler of this build; without optimisation, which would take minutes.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
out=$TREE.plain
mkdir -p "$out"
command=$(grep -m1 '^cc .*src/\*/\*\.c' "$root/README.md" | sed 's/example\.c/test\/consumer\/consumer.c/; s/-O2/-O0/')
cd "$root"
line=${command/#cc/$CC}
line=${line/-o example/-o $out/program}
echo "$line"
bash -c "$line"
"$out/program"

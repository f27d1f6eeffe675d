#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests the C example of the README: it has at most 20 lines, compiles with the README's command,
# and prints what the README says.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
out=$TREE.readme
mkdir -p "$out"
# block WORD N: prints the N-th block that starts with ```WORD
block() { awk -v want="\`\`\`$1" -v n="$2" '
	$0 == want { if (++seen == n) { on = 1; next } } /^```$/ { on = 0 } on' "$root/README.md"; }
block c 1 >"$out/example.c"
lines=$(wc -l <"$out/example.c")
if [ "$lines" -lt 5 ] || [ "$lines" -gt 20 ]; then
	echo "the example has $lines lines; 5 to 20 are expected"
	exit 1
fi
command=$(grep -m1 '^cc example.c' "$root/README.md")
echo "$command"
cd "$out"
rm -f example
PKG_CONFIG_PATH=$TREE/$LIB/pkgconfig bash -c "$command"
LD_LIBRARY_PATH=$TREE/$LIB ./example | tee printed
block text 1 | diff - printed

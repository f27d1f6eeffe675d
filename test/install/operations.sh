#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests that the examples of doc/operations.md, one for each operation, compile with the installed
# library and print what the document says. Each is the body of a function in the document's first
# program.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
doc=$root/doc/operations.md
out=$TREE.operations
rm -rf "$out" && mkdir -p "$out"
# block NAME WORD: prints the block that starts with ```WORD in section NAME or before all sections
block() { awk -v name="$1" -v want="\`\`\`$2" '
	/^## / { section = $2; next }
	$0 == want && section == name { on = 1; next }
	/^```$/ { on = 0 }
	on' "$doc"; }
export PKG_CONFIG_PATH=$TREE/$LIB/pkgconfig LD_LIBRARY_PATH=$TREE/$LIB
names=$(sed -n 's/^## //p' "$doc")
[ "$(wc -w <<<"$names")" -ge 22 ] || { echo "sections are missing" && exit 1; }
for name in $names; do
	{
		block "" c
		printf '\nstatic void example(ek_context *ctx, const ek_matrix *A)\n{\n\t(void)ctx, (void)A, (void)print;\n'
		printf '\t(void)print_matrix;\n'
		block "$name" c | sed 's/^\(.\)/\t\1/'
		echo "}"
	} >"$out/$name.c"
	block "$name" text >"$out/$name.expected"
	[ -s "$out/$name.expected" ] || { echo "$name has no output to compare with" && exit 1; }
	# shellcheck disable=SC2046 # the flags are several words
	$CC -std=c17 -Wall -Wextra -Werror $(pkg-config --cflags evenkeel) "$out/$name.c" $(pkg-config --libs evenkeel) \
		-o "$out/$name"
	"$out/$name" | diff -u "$out/$name.expected" - || { echo "the example of $name prints something else" && exit 1; }
done

#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests the rules of abi.sh, which .ci/run applies to the last release, on libraries of a few
# functions made from the header and from changed copies of it.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
command -v abidiff >/dev/null || exit 77
out=$TREE.abi
rm -rf "$out"
failed=0
# judge EXPECTED(0 or 1) NAME SONAME sed-script...: judges a header changed by the scripts
judge() {
	local expected=$1 name=$2 soname=$3 got=0
	shift 3
	mkdir -p "$out/$name/evenkeel"
	sed "$@" "$root/include/evenkeel/ek.h" >"$out/$name/evenkeel/ek.h"
	if [ "$name" != same ] && cmp -s "$root/include/evenkeel/ek.h" "$out/$name/evenkeel/ek.h"; then
		echo "$name: the header was not changed"
		failed=1
	fi
	printf '%s\n' '#include <evenkeel/ek.h>' \
		'ek_status ek_context_create(const ek_options *o, ek_context **c) { return o || c ? EK_OK : EK_EIO; }' \
		"ek_status ek_spmv(ek_plan *p, double a, const ek_dense *x, double b, const ek_dense *y)" \
		'{ return p || a < b || x || y ? EK_OK : EK_EIO; }' \
		'const ek_layout *ek_layout_next(const ek_layout *after) { return after; }' \
		'const ek_twin *ek_twin_next(const ek_twin *after) { return after; }' \
		'const ek_format_param *ek_method_get_param(const ek_method *m, int k)' \
		'{ return m && k ? NULL : NULL; }' >"$out/$name/stub.c"
	$CC -std=c17 -g -O0 -shared -fPIC -I"$out/$name" -Wl,-soname,"$soname" "$out/$name/stub.c" \
		-o "$out/$name/lib.so"
	"$root/test/install/abi.sh" "$out/same/lib.so" "$out/$name/lib.so" "$out/same" "$out/$name" \
		>"$out/$name.log" 2>&1 || got=$?
	[ $got -eq "$expected" ] && echo "$name: $(tail -n 1 "$out/$name.log")" && return
	echo "$name: $got instead of $expected"
	cat "$out/$name.log"
	failed=1
}
options='/^typedef struct ek_options {/,/^} ek_options;/'
judge 0 same lib.so.1 ''
judge 0 longer lib.so.1 "s/^} ek_options;/int later; } ek_options;/"
judge 1 between lib.so.1 "$options s/size_t size;/size_t size; void *between;/"
judge 0 longer_vector lib.so.1 "s/^} ek_dense;/int later; } ek_dense;/"
for name in ek_layout ek_twin ek_format_param; do
	judge 0 "longer_$name" lib.so.1 "s/^} $name;/int later; } $name;/"
	judge 1 "earlier_$name" lib.so.1 "s/^typedef struct $name {/&int earlier;/"
done
judge 1 narrower lib.so.1 "/^typedef struct ek_dense {/,/^} ek_dense;/s/int64_t rows, cols;/int32_t rows, cols;/"
judge 1 numbers lib.so.1 "s/EK_EIO = -9/EK_EIO = -99/"
judge 0 numbers_and_name lib.so.2 "s/EK_EIO = -9/EK_EIO = -99/"
exit $failed

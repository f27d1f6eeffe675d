#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# abi.sh OLD.so NEW.so OLD-INCLUDE NEW-INCLUDE: checks that programs compiled with the old library
# run with the new one. Both have debug information. Under one SONAME, functions and enumerators may
# be added, and structs may grow at the end if they begin with their size, or if only the library
# makes them and returns them by const pointer. If the SONAME differs, changes are shown, not
# refused.
set -eu
old=$1 new=$2
command -v abidiff >/dev/null || {
	echo "abidiff is missing (abigail-tools)"
	exit 1
}
soname() { readelf -d "$1" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p'; }
rules=$(mktemp)
trap 'rm -f "$rules"' EXIT
awk '/^typedef struct ek_[a-z_]* \{/ { name = $3; next }
	name { if ($1 == "size_t" && $2 == "size;") grows[name]; else fixed[name]; name = "" }
	/^const ek_[a-z_]* \*ek_/ && $2 in fixed { grows[$2] }
	END { for (name in grows) print name }' "$4/evenkeel/ek.h" |
	while read -r name; do
		printf '[suppress_type]\ntype_kind = struct\nname = %s\nhas_data_member_inserted_at = end\n\n' "$name"
	done >"$rules"
for name in ek_options ek_layout; do
	grep -q "name = $name\$" "$rules"
done
status=0
abidiff --suppressions "$rules" --no-added-syms --headers-dir1 "$3" --headers-dir2 "$4" \
	"$old" "$new" || status=$?
if [ $((status & 3)) -ne 0 ]; then
	echo "abidiff could not compare them"
	exit 1
fi
if [ "$(soname "$old")" != "$(soname "$new")" ]; then
	echo "$(soname "$new") follows $(soname "$old"): programs are compiled again, and any change is allowed"
	exit 0
fi
if [ $status -ne 0 ]; then
	echo "the changes above break programs that were compiled with the last $(soname "$old"): take them" \
		"back, or give the library another minor version"
	exit 1
fi
echo "programs compiled with the last $(soname "$old") run with this one"

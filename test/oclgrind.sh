#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# test/oclgrind.sh PROGRAM...: runs programs on the simulator Oclgrind, which checks each access of
# each work-item: accesses out of bounds and data races within a launch are failures. Uninitialised
# values are not looked for, since unused padding is copied.
set -u
library=
for folder in /usr/lib/oclgrind /usr/local/lib/oclgrind /usr/lib64/oclgrind; do
	[ -f $folder/liboclgrind-rt-icd.so ] && library=$folder/liboclgrind-rt-icd.so
done
if [ -z "$library" ]; then
	echo "not run: Oclgrind is not installed"
	exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/vendors"
echo "$library" >"$folder/vendors/oclgrind.icd"
# The command oclgrind would preload its library, but the loader would be loaded as well.
export OCL_ICD_VENDORS=$folder/vendors OCLGRIND_DATA_RACES=1
# Inlined functions with restrict have instructions that Oclgrind does not know.
export OCLGRIND_BUILD_OPTIONS=-Drestrict= OCLGRIND_MAX_ERRORS=20 EK_CACHE=off
check() { # NUMBER PROGRAM
	local at=$folder/$1 code=0
	OCLGRIND_LOG=$at.log "$2" >"$at.out" 2>&1 || code=1
	if ! grep -q '^Oclgrind' "$at.out"; then
		echo "$2 did not run on Oclgrind" >>"$at.out"
		code=1
	fi
	if [ -s "$at.log" ]; then
		cat "$at.log" >>"$at.out"
		code=1
	fi
	return $code
}
# With checks for data races Oclgrind runs in one thread, so the programs run beside each other.
number=0
jobs=()
for program in "$@"; do
	check $number "$program" &
	jobs+=($!)
	number=$((number + 1))
done
failed=0
for number in "${!jobs[@]}"; do
	wait "${jobs[number]}" || failed=1
	cat "$folder/$number.out"
done
exit $failed

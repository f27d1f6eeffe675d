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
export OCL_ICD_VENDORS=$folder/vendors OCLGRIND_LOG=$folder/log OCLGRIND_DATA_RACES=1
# Inlined functions with restrict have instructions that Oclgrind does not know.
export OCLGRIND_BUILD_OPTIONS=-Drestrict= OCLGRIND_MAX_ERRORS=20 EK_CACHE=off
failed=0
for program in "$@"; do
	: >"$folder/log"
	"$program" >"$folder/out" 2>&1 || failed=1
	cat "$folder/out"
	if ! grep -q '^Oclgrind' "$folder/out"; then
		echo "$program did not run on Oclgrind"
		failed=1
	fi
	if [ -s "$folder/log" ]; then
		cat "$folder/log"
		failed=1
	fi
done
exit $failed

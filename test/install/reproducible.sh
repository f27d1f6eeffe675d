#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests that copies of the tree in two folders give the same objects, with debug information: of the
# library, of a kernel for devices, of the tool.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
objects=(src/plan/plan.o src/io/sink.o src/gpu/program.o src/spmv_gpu/bcsr.o)
[ -z "${TOOL:-}" ] || objects+=(bench/suite.o cli/main.o)
for at in "$TREE.first" "$TREE.second/in a/longer-folder"; do
	rm -rf "$at"
	mkdir -p "$at"
	(cd "$root" && tar -cf - CMakeLists.txt LICENSE README.md NEWS.md include src cli cmake doc examples \
		bench reproduce mkl fortran) | tar -xf - -C "$at"
	"$CMAKE" -S "$at" -B "$at/build of it" -G "Unix Makefiles" -DCMAKE_C_COMPILER="$CC" \
		-DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_C_FLAGS=-O0 -DEK_BUILD_TESTS=OFF -DEK_PEERS=OFF \
		>"$TREE.log"
	for object in "${objects[@]}"; do make -C "$at/build of it" "$object" >>"$TREE.log"; done
done
cd "$TREE.first/build of it"
found=0
while read -r object; do
	cmp "$object" "$TREE.second/in a/longer-folder/build of it/$object"
	found=$((found + 1))
done < <(find . -name '*.c.o')
[ $found -ge ${#objects[@]} ]
echo "$found objects are the same"

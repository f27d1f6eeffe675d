#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A C and a C++ project that find the moved tree by find_package, each with all three targets.
set -eu
here=$(cd "$(dirname "$0")/../consumer" && pwd)
for language in C CXX; do
	if [ $language = CXX ] && ! command -v c++ >/dev/null; then
		echo "no C++ compiler: the C++ project is left out"
		continue
	fi
	out=$TREE.cmake-$language
	rm -rf "$out"
	"$CMAKE" -S "$here" -B "$out" -DLANGUAGE=$language -DCMAKE_PREFIX_PATH="$TREE" \
		-DCMAKE_C_COMPILER="$CC" --no-warn-unused-cli >"$out.log" || {
		cat "$out.log"
		exit 1
	}
	"$CMAKE" --build "$out" >>"$out.log"
	for program in shared static evenkeel; do
		echo "$language, evenkeel::$program"
		"$out/consumer_$program"
	done
done
# Another minor version is refused while the major version is 0.
if "$CMAKE" -S "$here" -B "$TREE.cmake-other" -DLANGUAGE=C -DCMAKE_PREFIX_PATH="$TREE" -DWANTED=0.1 \
	>"$TREE.cmake-other.log" 2>&1; then
	echo "find_package(evenkeel 0.1) accepted version 0.2"
	exit 1
fi

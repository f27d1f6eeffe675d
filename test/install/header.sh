#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests that each public header alone compiles without warnings, in each language, by each compiler.
set -u
cd "$(dirname "$0")/../.." || exit 1
failed=0 tried=0
try() { # compiler language standard header
	command -v "$1" >/dev/null || return 0
	tried=$((tried + 1))
	if ! printf '#include <evenkeel/%s>\n#include <evenkeel/%s>\n' "$4" "$4" |
		"$1" -x "$2" "-std=$3" -Iinclude -Wall -Wextra -Wpedantic -Wshadow -Wundef -Werror \
			-fsyntax-only -; then
		echo "$4 does not compile by $1 as $3"
		failed=1
	fi
}
for cc in gcc clang; do
	for std in c99 c11 c17; do try "$cc" c "$std" ek.h; done
done
for cxx in g++ clang++; do
	for std in c++11 c++17 c++20; do try "$cxx" c++ "$std" ek.h; done
	for std in c++17 c++20; do try "$cxx" c++ "$std" ek.hpp; done
done
echo "$tried combinations of compiler and language"
exit $failed

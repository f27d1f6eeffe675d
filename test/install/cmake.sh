#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests that a C and a C++ project find the moved tree by find_package, with each target that was
# built ($KINDS), and with another compiler, which has another OpenMP run time.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
here=$root/test/consumer
version() { sed -n "s/#define EK_VERSION_$1 //p" "$root/include/evenkeel/ek.h"; }
wanted=$(version MAJOR).$(version MINOR)
later=$(version MAJOR).$(($(version MINOR) + 1))

# An exported target that names a file outside the tree works with one machine and compiler only.
if grep -n '"[^"]*[";]/[a-z]\|[ ;"]/usr' "$TREE/$LIB"/cmake/evenkeel/evenkeel-*.cmake; then
	echo "the exported targets name a path of this machine"
	exit 1
fi
try() { # name language compiler: builds and runs a project
	local out=$TREE.cmake-$1
	rm -rf "$out"
	"$CMAKE" -S "$here" -B "$out" -DLANGUAGE="$2" -DCMAKE_PREFIX_PATH="$TREE" -DWANTED="$wanted" \
		-DCOMPONENTS="${KINDS// /;}" -DCMAKE_"$2"_COMPILER="$3" --no-warn-unused-cli >"$out.log" 2>&1 &&
		"$CMAKE" --build "$out" >>"$out.log" 2>&1 || {
		cat "$out.log"
		exit 1
	}
	for program in $KINDS evenkeel; do
		echo "$1, evenkeel::$program"
		"$out/consumer_$program"
	done
}
try C C "$CC"
if command -v c++ >/dev/null; then try CXX CXX c++; fi
other=clang
if "$CC" --version | grep -q clang; then other=gcc; fi
if command -v $other >/dev/null; then try $other C $other; fi

# The target evenkeel::evenkeel is the shared library, or else the static one.
shared=no
if readelf -d "$TREE.cmake-C/consumer_evenkeel" | grep -q 'NEEDED.*libevenkeel'; then shared=yes; fi
case $KINDS in
*shared*) [ $shared = yes ] ;;
*) [ $shared = no ] ;;
esac || {
	echo "evenkeel::evenkeel is not the library that was expected of: $KINDS"
	exit 1
}

# Other minor versions are refused while the major version is 0, and so is what was not built.
refused() { # what options...
	local what=$1
	shift
	if "$CMAKE" -S "$here" -B "$TREE.cmake-other" -DLANGUAGE=C -DCMAKE_PREFIX_PATH="$TREE" "$@" \
		>"$TREE.cmake-other.log" 2>&1; then
		echo "find_package(evenkeel) accepted $what"
		exit 1
	fi
	rm -rf "$TREE.cmake-other"
}
refused "version $later instead of $wanted" -DWANTED="$later"
for kind in shared static; do
	[[ $KINDS = *$kind* ]] || refused "component $kind" -DCOMPONENTS=$kind
done

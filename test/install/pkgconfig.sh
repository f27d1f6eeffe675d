#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests a C program built with pkg-config against each library in the moved tree ($KINDS).
set -eu
here=$(cd "$(dirname "$0")/../consumer" && pwd)
command -v pkg-config >/dev/null || exit 77
export PKG_CONFIG_PATH=$TREE/$LIB/pkgconfig
out=$TREE.pkgconfig
mkdir -p "$out"
[ "$(pkg-config --variable=prefix evenkeel | xargs realpath)" = "$(realpath "$TREE")" ]

# The .pc file names no folder but its own: those of the build's compiler may be missing.
! pkg-config --static --libs evenkeel | tr ' ' '\n' | grep '^\(-L\)\?/' | grep -v "^-L$(realpath "$TREE")/" ||
	exit 1

# shellcheck disable=SC2046 # the flags are several words
$CC -std=c99 -Wall -Wextra -Wpedantic -Werror $(pkg-config --cflags evenkeel) "$here/consumer.c" \
	$(pkg-config --libs evenkeel) -o "$out/plain"
LD_LIBRARY_PATH=$TREE/$LIB "$out/plain"
case $KINDS in
*shared*)
	soname=$(readelf -d "$TREE/$LIB/libevenkeel.so" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p')
	readelf -d "$out/plain" | grep -q "NEEDED.*$soname"
	;;
esac
case $KINDS in *static*) ;; *) exit 0 ;; esac

# -l:libevenkeel.a selects the archive although the shared library is beside it.
# shellcheck disable=SC2046
$CC -std=c99 $(pkg-config --cflags evenkeel) "$here/consumer.c" \
	$(pkg-config --static --libs evenkeel | sed 's/-levenkeel/-l:libevenkeel.a/') -o "$out/static"
"$out/static"
! readelf -d "$out/static" | grep 'NEEDED.*libevenkeel'

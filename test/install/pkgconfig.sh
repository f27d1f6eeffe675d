#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A C program built against the moved tree by pkg-config, with each library that was built ($KINDS).
set -eu
here=$(cd "$(dirname "$0")/../consumer" && pwd)
command -v pkg-config >/dev/null || exit 77
export PKG_CONFIG_PATH=$TREE/$LIB/pkgconfig
out=$TREE.pkgconfig
mkdir -p "$out"
[ "$(pkg-config --variable=prefix evenkeel | xargs realpath)" = "$(realpath "$TREE")" ]

# The file names no folder but its own: those of the compiler that built the library may not be there.
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

# -l:libevenkeel.a takes the archive although the shared library lies beside it.
# shellcheck disable=SC2046
$CC -std=c99 $(pkg-config --cflags evenkeel) "$here/consumer.c" \
	$(pkg-config --static --libs evenkeel | sed 's/-levenkeel/-l:libevenkeel.a/') -o "$out/static"
"$out/static"
! readelf -d "$out/static" | grep 'NEEDED.*libevenkeel'

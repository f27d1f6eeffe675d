#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests that the shared library exports what symbols.txt lists, each with its version, and nothing
# else, and so does the static one; that the list is what the header declares; and that the SONAME
# and the flags of the file are as promised.
set -u
here=$(cd "$(dirname "$0")" && pwd)
version() { sed -n "s/#define EK_VERSION_$1 //p" "$TREE/include/evenkeel/ek.h"; }
expected=libevenkeel.so.$(version MAJOR).$(version MINOR)
lib=$TREE/$LIB/libevenkeel.so
failed=0
fail() {
	echo "$1"
	failed=1
}

sed 's/@@.*//' "$here/symbols.txt" >"$TREE.listed"
# Functions of the header: names before "(" in lines that do not start with a tab, without comments.
sed -e 's,/\*.*\*/,,' "$TREE/include/evenkeel/ek.h" | grep -v '^[ \t]*\*' | grep -v $'^static\\|^#\\|^\t' |
	grep -o 'ek_[a-z0-9_]*(' | tr -d '(' | sort -u >"$TREE.declared"
diff -u "$TREE.listed" "$TREE.declared" || fail "symbols.txt differs from the functions of the header"

case $KINDS in
*static*)
	nm -g --defined-only "$TREE/$LIB/libevenkeel.a" | awk 'NF == 3 { print $3 }' | sort >"$TREE.global"
	diff -u "$TREE.listed" "$TREE.global" ||
		fail "the static library has other global names than the header declares"
	;;
esac
case $KINDS in *shared*) ;; *) exit $failed ;; esac

nm -D --defined-only "$lib" | awk '$2 != "A" { print $3 }' | sort >"$TREE.exported"
diff -u "$here/symbols.txt" "$TREE.exported" || fail "exported symbols differ from symbols.txt"
soname=$(readelf -d "$lib" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p')
[ "$soname" = "$expected" ] || fail "SONAME is $soname, not $expected"
[ -e "$TREE/$LIB/$soname" ] || fail "$soname is not installed"
readelf -d "$lib" | grep -q 'BIND_NOW\|FLAGS.*NOW' || fail "the library is not linked with -z now"
readelf -lW "$lib" | grep 'GNU_STACK' | grep -q 'RW ' || fail "the library wants an executable stack"
readelf -d "$lib" | grep 'RPATH\|RUNPATH' && fail "the library has a run-time search path"
exit $failed

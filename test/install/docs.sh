#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests that documents and examples are installed, that links to them in README.md work, and that
# the examples compile against the installed library.
set -eu
doc=$(dirname "$(find "$TREE/share/doc" -name NEWS.md)")
ls "$doc/LICENSE" "$doc/NEWS.md" "$doc/doc/promises.md" "$doc/doc/formats.md" "$doc"/examples/*.c
missing=0
for name in $(grep -o '`\(doc\|examples\|mkl\)/[a-zA-Z_-]*\.[a-z]*`' "$doc/README.md" | tr -d '`' | sort -u); do
	case $name in *.1) continue ;; esac # the man page is where man looks
	[ -f "$doc/$name" ] && continue
	echo "README.md names $name, which is not installed"
	missing=1
done
export PKG_CONFIG_PATH=$TREE/$LIB/pkgconfig
for example in "$doc"/examples/*.c; do
	# shellcheck disable=SC2046 # the flags are several words
	$CC -std=c99 $(pkg-config --cflags evenkeel) "$example" $(pkg-config --libs evenkeel) -lm \
		-o "$TREE.example"
done
exit $missing

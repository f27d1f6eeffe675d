#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Installs the build folder $1 to a prefix and moves the tree to $TREE, where the other tests use
# it: nothing may depend on the first location.
set -eu
rm -rf "$TREE" "$TREE-first"
"$CMAKE" --install "$1" --prefix "$TREE-first" >"$TREE.log"
mv "$TREE-first" "$TREE"
if grep -rIl -- "$TREE-first" "$TREE"; then
	echo "the files above name the prefix that was given at installation"
	exit 1
fi
if grep -rIl -- "$1" "$TREE"; then
	echo "the files above name the build folder"
	exit 1
fi
(cd "$TREE" && find . -type f -o -type l | sort)

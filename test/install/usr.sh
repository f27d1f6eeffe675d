#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests what packagers get from the build folder $1: nothing installed under /usr has a run path,
# and no program or library names the folder of the sources or of the build. Debug builds name them
# for debuggers, so debug information is stripped first.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
dest=$TREE.usr
failed=0
rm -rf "$dest"
DESTDIR=$dest "$CMAKE" --install "$1" --prefix /usr >"$dest.log"
while read -r file; do
	[ "$(head -c 4 "$file" | tail -c 3)" = ELF ] || [[ $file = *.a ]] || continue
	case $file in */peers/*) continue ;; esac # these name the folders of other libraries
	if readelf -d "$file" 2>/dev/null | grep 'RUNPATH\|RPATH'; then
		echo "$file has a run path"
		failed=1
	fi
	strip --strip-debug "$file"
	if strings -a "$file" | grep -F -e "$root/" -e "$1/"; then
		echo "$file names the folder where it was built"
		failed=1
	fi
	echo "$file"
done < <(find "$dest" -type f)
exit $failed

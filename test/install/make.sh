#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests that `make install` in a new folder needs no packages and compiles no tests. To take only
# seconds, a wrapper around the compiler notes each file and compiles an empty one in its place.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
out=$TREE.make
rm -rf "$out"
mkdir -p "$out/bin"
for program in apt-get dpkg-query sudo pip; do
	printf '#!/bin/sh\necho "%s $*" >>"%s/asked"\nexit 1\n' $program "$out" >"$out/bin/$program"
done
cat >"$out/bin/launcher" <<-END
	#!/bin/sh
	compiler=\$1
	while [ "\$1" != -o ]; do shift; done
	echo "\$*" >>"$out/compiled"
	case \$* in
	*/cli/main.c) echo 'int main(void) { return 0; }' ;;
	esac | "\$compiler" -x c -c - -o "\$2"
END
chmod +x "$out"/bin/*
cd "$root"
unset MAKEFLAGS DESTDIR CMAKE_GENERATOR
PATH=$out/bin:$PATH make install BUILD="$out/build" PREFIX="$out/prefix" \
	CMAKE_FLAGS="-DCMAKE_C_COMPILER=$CC -DCMAKE_C_COMPILER_LAUNCHER=$out/bin/launcher -DEK_PEERS=OFF" \
	>"$out/log" 2>&1 || {
	cat "$out/log"
	exit 1
}
[ -f "$out/prefix/include/evenkeel/ek.h" ]
grep -q '/src/io/' "$out/compiled"
if grep -E '\.dir/(test|examples)/' "$out/compiled"; then
	echo "make install compiled the above"
	exit 1
fi
if [ -e "$out/asked" ]; then
	echo "make install asked for packages:"
	cat "$out/asked"
	exit 1
fi
# Again, without flags: configures and compiles nothing.
rm "$out/compiled"
PATH=$out/bin:$PATH make install BUILD="$out/build" PREFIX="$out/prefix" >"$out/log" 2>&1
[ ! -e "$out/compiled" ]

# SPDX-License-Identifier: BSD-3-Clause
# Sourced by tests of the moved tree: sets the array `library` to what links a program with it.
case $KINDS in
*shared*) library=(-L"$TREE/$LIB" -levenkeel -Wl,-rpath,"$TREE/$LIB") ;;
*)
	export PKG_CONFIG_PATH=$TREE/$LIB/pkgconfig
	read -ra library < <(pkg-config --static --libs evenkeel)
	;;
esac

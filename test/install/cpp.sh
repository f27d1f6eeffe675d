#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests the header for C++17 in the moved tree: a program of its types, with exceptions and without,
# with Eigen's types where Eigen is installed, and programs that must not compile. With CI set, a
# missing compiler or Eigen is a failure.
set -eu
here=$(cd "$(dirname "$0")/../consumer" && pwd)
. "$here/left_out.sh"
cxx=g++
command -v $cxx >/dev/null || cxx=clang++
if ! command -v $cxx >/dev/null; then
	left_out "the header for C++: there is no compiler (g++)"
	exit 77
fi
out=$TREE.cpp
mkdir -p "$out"
. "$here/library.sh"
flags=(-Wall -Wextra -Wpedantic -Wshadow -Werror -I"$TREE/include")
try() { # NAME flags...
	local name=$1
	shift
	echo "$cxx $*"
	$cxx "$@" "${flags[@]}" "$here/cpp17.cpp" "${library[@]}" -o "$out/$name"
	"$out/$name"
}
try exceptions -std=c++17
try statuses -std=c++17 -fno-exceptions
eigen=/usr/include/eigen3
if [ -d $eigen ]; then
	try eigen -std=c++20 -isystem $eigen -DEK_TEST_EIGEN
else
	left_out "Eigen's types with the header for C++ (libeigen3-dev)"
fi

$cxx -std=c++17 "${flags[@]}" "$here/../../examples/cg.cpp" "${library[@]}" -o "$out/cg"
"$out/cg" poisson2d5:nx=50,ny=40

compiles() { # STATEMENT
	printf '%s\n' '#include <evenkeel/ek.hpp>' '#include <vector>' \
		"void f(ek::plan &p, const std::vector<double> &x, std::vector<double> &y) { $1 }" |
		$cxx -std=c++17 "${flags[@]}" -Wno-unused -x c++ -fsyntax-only - 2>"$out/refused.txt"
}
compiles 'p.spmv(1, x, 0, y);' || { cat "$out/refused.txt" && exit 1; }
refused() { # TEXT STATEMENT: it must not compile, with that text in the messages
	! compiles "$2" || { echo "this compiles, but must not: $2" && exit 1; }
	grep -q "$1" "$out/refused.txt" || { cat "$out/refused.txt" && exit 1; }
}
refused 'no .*match\|could not convert\|cannot convert' 'p.spmv(1, y, 0, x);'
refused 'no place for a result' 'p.spmv(1, x, 0, std::vector<double>(3));'
refused 'no place for a result' 'ek::matrix C; p.result_values(1, 0, C, std::vector<double>(3));'
refused 'no .*match' 'ek::matrix C; p.result_values(1, 0, C, x);'
refused 'values are float' 'std::vector<char> z; p.spmv(1, x, 0, z);'
refused 'no .*match\|could not convert\|cannot convert' 'p.spmv(1, x, 0, ek::block(x.data(), 3, 1, 3));'
refused 'temporary containers' 'ek::context c; std::vector<int> i{0};
	ek::matrix::csr(c, 0, 0, i, i, std::vector<double>(0));'
refused 'written to these' 'std::vector<int> i{0}; p.spmspv(1, ek::sparse_in(1, i, y), ek::sparse_out(1, i, x));'

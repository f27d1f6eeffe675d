#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Installs the libraries that `ek bench --peers` compares with, and prints what it got.
#     bench/peers/install.sh [PREFIX]        (default: $BUILD/peers-prefix, BUILD = build)
# librsb, Eigen and TBB come from the distribution (skipped with EK_NO_APT=1), Intel MKL,
# SuiteSparse:GraphBLAS 10 and x86-simd-sort, which NumPy carries, from PyPI, into PREFIX, which may
# simply be deleted. What cannot be installed is skipped with a message; the exit status is 0 all
# the same.
set -u
prefix=${1:-${BUILD:-build}/peers-prefix}
mkdir -p "$prefix/lib" "$prefix/include" || exit 1
prefix=$(cd "$prefix" && pwd)
log=$prefix/install.log
: >"$log"

got() { echo "  $1"; }
left_out() { echo "  left out: $1 (see $log)"; }

apt_install() {
	command -v apt-get >/dev/null || return 1
	dpkg -s "$@" >/dev/null 2>&1 && return 0
	[ -n "${EK_NO_APT:-}" ] && return 1
	sudo=
	[ "$(id -u)" = 0 ] || sudo=sudo
	echo "Installing with apt: $*"
	$sudo apt-get install -y --no-install-recommends "$@" >>"$log" 2>&1 && return 0
	$sudo apt-get update >>"$log" 2>&1
	$sudo apt-get install -y --no-install-recommends "$@" >>"$log" 2>&1
}

for package in librsb-dev libeigen3-dev libtbb-dev g++ python3-venv patchelf; do
	apt_install "$package" || left_out "$package"
done

# PyPI's packages are used as archives of libraries: unpacked into a virtual environment.
python=$prefix/python
[ -x "$python/bin/pip" ] || python3 -m venv "$python" >>"$log" 2>&1
wheel() {
	"$python/bin/pip" show -q "$1" >/dev/null 2>&1 ||
		{ echo "Installing with pip: $1" && "$python/bin/pip" install --no-input "$1" >>"$log" 2>&1; }
}

if wheel mkl-devel; then
	ln -sf "$python"/lib/libmkl_*.so* "$prefix/lib/"
	ln -sf "$prefix"/lib/libmkl_rt.so.[0-9]* "$prefix/lib/libmkl_rt.so"
	ln -sf "$python"/include/mkl*.h "$prefix/include/"
fi

# The wheel of GraphBLAS brings an OpenMP run time of its own. Two of them in one process would keep
# two pools of threads, of which the idle one spins and takes the processor from the other, so the
# library is copied and made to use the system's, like everything else.
if wheel suitesparse-graphblas; then
	wheel_lib=$(ls "$python"/lib/python3*/site-packages/suitesparse_graphblas.libs/libgraphblas-*.so.* | head -1)
	version=${wheel_lib##*.so.}
	library=$prefix/lib/libgraphblas.so.$version
	rm -f "$library"
	if cp "$wheel_lib" "$library" && patchelf --set-soname "libgraphblas.so.$version" "$library" 2>>"$log"; then
		for needed in $(patchelf --print-needed "$library"); do
			case $needed in
			libgomp-*) patchelf --replace-needed "$needed" libgomp.so.1 "$library" ;;
			esac
		done
		ln -sf "libgraphblas.so.$version" "$prefix/lib/libgraphblas.so"
	fi
fi
[ -e "$prefix/lib/libgraphblas.so" ] || apt_install libgraphblas-dev || left_out libgraphblas-dev

# x86-simd-sort is only in the sources of NumPy. To fetch sources, pip asks their build system for
# name and version, so it would fetch NumPy's, meson, which would configure a build. None of this is
# needed here: a stub module answers at once.
numpy=2.2.6
simdsort=$prefix/include/x86-simd-sort
if [ ! -e "$simdsort/VERSION" ] && [ -x "$python/bin/pip" ]; then
	echo "Fetching with pip: the sources of NumPy $numpy, for x86-simd-sort (nothing is compiled)"
	mkdir -p "$prefix/numpy" "$simdsort"
	cat >"$prefix/numpy/mesonpy.py" <<-END
		import os


		def prepare_metadata_for_build_wheel(folder, settings=None):
		    name = "numpy-$numpy.dist-info"
		    os.mkdir(os.path.join(folder, name))
		    with open(os.path.join(folder, name, "METADATA"), "w") as file:
		        file.write("Metadata-Version: 2.1\nName: numpy\nVersion: $numpy\n")
		    return name
	END
	PYTHONPATH=$prefix/numpy "$python/bin/pip" download --no-input --no-deps --no-build-isolation \
		--no-binary numpy -d "$prefix/numpy" "numpy==$numpy" >>"$log" 2>&1 &&
		tar -xzf "$prefix/numpy/numpy-$numpy.tar.gz" -C "$simdsort" --strip-components=7 \
			"numpy-$numpy/numpy/_core/src/npysort/x86-simd-sort/src" 2>>"$log" &&
		echo "x86-simd-sort of NumPy $numpy" >"$simdsort/VERSION"
	rm -rf "$prefix/numpy"
fi

echo "Peers in $prefix and in the system:"
version_of() { dpkg-query -W -f='${Version}' "$1" 2>/dev/null; }
[ -e "$prefix/lib/libmkl_rt.so" ] &&
	got "Intel MKL $("$python/bin/pip" list 2>/dev/null | sed -n 's/^mkl  *//p')" || left_out "Intel MKL"
[ -n "$(version_of librsb-dev)" ] && got "librsb $(version_of librsb-dev)" || left_out librsb
if [ -e "$prefix/lib/libgraphblas.so" ]; then
	got "SuiteSparse:GraphBLAS $(readlink "$prefix/lib/libgraphblas.so" | sed 's/.*so\.//')"
elif [ -n "$(version_of libgraphblas-dev)" ]; then
	got "SuiteSparse:GraphBLAS $(version_of libgraphblas-dev)"
else
	left_out "SuiteSparse:GraphBLAS"
fi
[ -n "$(version_of libeigen3-dev)" ] && got "Eigen $(version_of libeigen3-dev)" || left_out Eigen
[ -n "$(version_of libtbb-dev)" ] && got "TBB $(version_of libtbb-dev)" || left_out TBB
[ -e "$simdsort/VERSION" ] && got "$(cat "$simdsort/VERSION")" || left_out x86-simd-sort
exit 0

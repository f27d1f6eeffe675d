#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# test/cross.sh aarch64|s390x|i686|musl [FOLDER]: builds library, tests and, except for musl, the
# tool for another machine or C library on Debian, and runs all unit tests not labelled "slow": in
# QEMU, or directly where this machine can; on AArch64, the most important slow ones too. Exit status
# 77: a program or a library is missing.
#
# The libraries for that machine (cmocka, jansson, libarchive, zlib, xxHash) come from the same
# Debian release, by an apt that keeps its state in FOLDER (build-cross/MACHINE) and unpacks into
# FOLDER/root: nothing is installed on this system, so versions may differ. For musl there are none,
# so cmocka is built from Debian's source package.
set -u
cd "$(dirname "$0")/.." || exit 1
machine=${1:-}
case $machine in
aarch64) arch=arm64 cross=aarch64-linux-gnu programs=qemu-aarch64 ;;
s390x) arch=s390x cross=s390x-linux-gnu programs=qemu-s390x ;;
i686) arch=i386 cross=i686-linux-gnu programs=qemu-i386 ;;
musl) arch=$(dpkg --print-architecture) cross=musl programs= ;;
*) echo "usage: test/cross.sh aarch64|s390x|i686|musl [FOLDER]" >&2 && exit 2 ;;
esac
mkdir -p "${2:-build-cross/$machine}" && at=$(cd "${2:-build-cross/$machine}" && pwd) || exit 1
root=$at/root
for program in apt-get dpkg-deb pkg-config "$cross-gcc" $programs; do
	command -v "$program" >/dev/null || { echo "$machine needs $program" && exit 77; }
done

private_apt() { # ARGUMENTS...: apt-get for that architecture; sources in $at/apt/sources
	apt-get -qq -o APT::Architecture="$arch" -o APT::Architectures="$arch" \
		-o APT::Install-Recommends=0 -o APT::Sandbox::User=root -o Debug::NoLocking=1 \
		-o Dir::State="$at/apt" -o Dir::State::status="$at/apt/status" -o Dir::Cache="$at/apt" \
		-o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$at/apt/sources" "$@"
}
# copy_sources SED-SCRIPT: copies and changes this system's list of repositories
copy_sources() {
	local f
	mkdir -p "$at/apt/lists/partial" "$at/apt/archives/partial" "$at/apt/sources" && : >"$at/apt/status"
	for f in /etc/apt/sources.list /etc/apt/sources.list.d/*.{list,sources}; do
		[ -f "$f" ] && sed "$1" "$f" >"$at/apt/sources/${f##*/}"
	done
	# Failed parts do not matter if the packages can be installed.
	private_apt update || echo "apt-get update failed in part"
}

libraries() { # unpacks Debian's for another architecture
	local package lib=$root/lib/${cross/i686/i386}
	copy_sources '' &&
		private_apt install -y --download-only libcmocka-dev libjansson-dev libarchive-dev \
			zlib1g-dev libxxhash-dev libgomp1 || return 1
	for package in "$at"/apt/archives/*.deb; do
		dpkg-deb -x "$package" "$root" || return 1
	done
	# Hides it from the linker, since the compiler has its own copy.
	mv "$root/usr${lib#"$root"}"/libgomp.so.* "$lib"
}
libraries_musl() {
	copy_sources 's/^Types:.*/Types: deb-src/; s/^deb /deb-src /' &&
		(cd "$at/apt" && private_apt source --download-only cmocka && mkdir -p "$at/cmocka" &&
			tar -xf cmocka_*.orig.tar.[gx]z -C "$at/cmocka" --strip-components=1) &&
		cmake -S "$at/cmocka" -B "$at/cmocka/build" -DCMAKE_C_COMPILER=musl-gcc \
			-DCMAKE_INSTALL_PREFIX="$root" -DCMAKE_INSTALL_LIBDIR=lib -DBUILD_SHARED_LIBS=OFF \
			-DWITH_EXAMPLES=OFF -DCMAKE_BUILD_TYPE=Release &&
		cmake --build "$at/cmocka/build" && cmake --install "$at/cmocka/build"
}

if [ ! -f "$root/complete" ]; then
	rm -rf "$root" "$at/apt" "$at/cmocka" && mkdir -p "$root" || exit 1
	if [ "$machine" = musl ]; then libraries_musl; else libraries; fi || {
		echo "the libraries for $machine cannot be had from Debian"
		exit 77
	}
	touch "$root/complete"
fi
export EK_CROSS_ROOT=$root
cmake -S . -B "$at/build" -DCMAKE_TOOLCHAIN_FILE="$PWD/cmake/cross/$machine.cmake" \
	-DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG="${EK_CROSS_FLAGS:--O1}" -DEK_PEERS=OFF \
	-DEK_WITH_AVX512=OFF -DEK_WERROR=ON -DEK_TESTS_SHARED=ON \
	-DCMAKE_C_COMPILER_LAUNCHER="$(command -v ccache)" &&
	cmake --build "$at/build" -j "$(nproc)" || exit 1
unset EK_NVRTC EK_OPENCL EK_CUDA EK_DEVICE # these name files and devices of this machine
# Tests that walk the tables run in the emulator too (NEON), so all are brief there.
[ "$machine" != aarch64 ] || export EK_TEST_TIER=brief
# Waiting threads give up their core. Some tests would restart to set this.
export OMP_WAIT_POLICY=passive
cd "$at/build" || exit 1
ctest -j "$(nproc)" --output-on-failure --no-tests=error -L unit -LE slow

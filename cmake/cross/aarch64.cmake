# SPDX-License-Identifier: BSD-3-Clause
# AArch64 by Debian's cross compiler; test/cross.sh uses it.
set(CROSS aarch64-linux-gnu)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(EMULATOR qemu-aarch64)
include(${CMAKE_CURRENT_LIST_DIR}/debian.cmake)

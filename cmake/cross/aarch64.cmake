# SPDX-License-Identifier: BSD-3-Clause
# AArch64 with Debian's cross compiler, for test/cross.sh.
set(CROSS aarch64-linux-gnu)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(EMULATOR qemu-aarch64)
include(${CMAKE_CURRENT_LIST_DIR}/debian.cmake)

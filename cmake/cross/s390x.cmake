# SPDX-License-Identifier: BSD-3-Clause
# s390x, which is big-endian, with Debian's cross compiler, for test/cross.sh.
set(CROSS s390x-linux-gnu)
set(CMAKE_LIBRARY_ARCHITECTURE s390x-linux-gnu)
set(CMAKE_SYSTEM_PROCESSOR s390x)
set(EMULATOR qemu-s390x)
include(${CMAKE_CURRENT_LIST_DIR}/debian.cmake)

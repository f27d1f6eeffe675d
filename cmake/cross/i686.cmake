# SPDX-License-Identifier: BSD-3-Clause
# 32-bit x86 with SSE2, with Debian's cross compiler, for test/cross.sh.
set(CROSS i686-linux-gnu)
set(CMAKE_LIBRARY_ARCHITECTURE i386-linux-gnu)
set(CMAKE_SYSTEM_PROCESSOR i686)
set(EMULATOR qemu-i386)
include(${CMAKE_CURRENT_LIST_DIR}/debian.cmake)
# A 64-bit processor runs such programs directly, if the kernel lets it.
set(loader ${root}/lib/ld-linux.so.2)
execute_process(COMMAND ${loader} --version RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
if(status EQUAL 0)
  set(CMAKE_CROSSCOMPILING_EMULATOR
      ${loader};--library-path;${root}/lib/i386-linux-gnu:${root}/usr/lib/i386-linux-gnu)
endif()

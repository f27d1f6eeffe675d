# SPDX-License-Identifier: BSD-3-Clause
# The C library musl on this machine, with Debian's musl-gcc, for test/cross.sh. There is no OpenMP
# run time for it (the library has threads of its own), and no library outside the folder that the
# environment variable EK_CROSS_ROOT names.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_C_COMPILER musl-gcc)
set(root $ENV{EK_CROSS_ROOT})
set(CMAKE_FIND_ROOT_PATH ${root})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(ENV{PKG_CONFIG_LIBDIR} ${root}/lib/pkgconfig)
set(EK_WITH_OPENMP OFF CACHE BOOL "musl-gcc has no OpenMP run time")

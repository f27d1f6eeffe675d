# SPDX-License-Identifier: BSD-3-Clause
# The C library musl on this machine by Debian's musl-gcc; test/cross.sh uses it. There is no OpenMP
# run time for it, and no library but those in the folder EK_CROSS_ROOT of the environment.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_C_COMPILER musl-gcc)
set(root $ENV{EK_CROSS_ROOT})
set(CMAKE_FIND_ROOT_PATH ${root})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(ENV{PKG_CONFIG_LIBDIR} ${root}/lib/pkgconfig)
set(EK_WITH_OPENMP OFF CACHE BOOL "musl-gcc has no OpenMP run time")

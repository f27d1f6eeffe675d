# SPDX-License-Identifier: BSD-3-Clause
# What the targets of Debian's cross compilers have in common: CROSS is the target's name, EMULATOR
# runs its programs, and the environment variable EK_CROSS_ROOT is a folder with its libraries.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_C_COMPILER ${CROSS}-gcc)
set(root $ENV{EK_CROSS_ROOT})
set(lib lib/${CMAKE_LIBRARY_ARCHITECTURE})
set(CMAKE_FIND_ROOT_PATH ${root} /usr/${CROSS})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${root})
set(ENV{PKG_CONFIG_LIBDIR} ${root}/usr/${lib}/pkgconfig)
# Their own dependencies are looked for there, too.
set(CMAKE_EXE_LINKER_FLAGS_INIT -Wl,-rpath-link,${root}/usr/${lib},-rpath-link,${root}/${lib})
set(CMAKE_SHARED_LINKER_FLAGS_INIT ${CMAKE_EXE_LINKER_FLAGS_INIT})
set(CMAKE_CROSSCOMPILING_EMULATOR ${EMULATOR};-L;${root})

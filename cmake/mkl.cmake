# SPDX-License-Identifier: BSD-3-Clause
# libevenkeel_mkl.so, the door for programs that call MKL's Sparse BLAS (mkl/README.md).
if(NOT shared IN_LIST kinds)
  list(APPEND left_out "libevenkeel_mkl.so: there is no shared library (BUILD_SHARED_LIBS is off)")
  return()
endif()
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads)
if(NOT Threads_FOUND)
  is_missing("libevenkeel_mkl.so: this system has no POSIX threads")
  return()
endif()
file(GLOB MKL_SOURCES CONFIGURE_DEPENDS mkl/*.c)
add_library(evenkeel_mkl SHARED ${MKL_SOURCES})
target_link_libraries(evenkeel_mkl PRIVATE evenkeel_shared $<BUILD_INTERFACE:Threads::Threads>)
set_target_properties(evenkeel_mkl PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${EK_ABI}
                      C_VISIBILITY_PRESET hidden INSTALL_RPATH "$ORIGIN")
# The context and its threads live as long as the process, so the library is never unloaded.
target_link_options(evenkeel_mkl PRIVATE -Wl,-z,relro,-z,now,-z,nodelete ${no_undefined})

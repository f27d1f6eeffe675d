# SPDX-License-Identifier: BSD-3-Clause
# `cmake --install`: the tree may be moved afterwards, as no file in it names its location.
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/evenkeel)
foreach(kind ${kinds})
  install(TARGETS evenkeel_${kind} EXPORT evenkeel-${kind})
  install(EXPORT evenkeel-${kind} NAMESPACE evenkeel:: DESTINATION ${package_dir})
endforeach()
install(FILES include/evenkeel/ek.h include/evenkeel/ek.hpp fortran/evenkeel.f90
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/evenkeel)
# The loader searches /usr/lib anyway, and distributions forbid a run path there. The prefix is
# certain only at installation.
function(no_run_path file)
  install(CODE "
    if(CMAKE_INSTALL_PREFIX MATCHES \"^/(usr)?/?$\")
      file(RPATH_REMOVE FILE \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${file}\")
    endif()")
endfunction()
if(TARGET evenkeel_mkl)
  install(TARGETS evenkeel_mkl)
  no_run_path(${CMAKE_INSTALL_LIBDIR}/libevenkeel_mkl.so.${PROJECT_VERSION})
endif()
# In the same folders as in the sources, so that links between documents work.
install(FILES LICENSE README.md NEWS.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES mkl/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR}/mkl)
install(DIRECTORY doc examples DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.md"
        PATTERN "*.mtx" PATTERN "*.c" PATTERN "*.cpp" PATTERN "*.f90")
if(TARGET ek)
  install(TARGETS ek)
  install(FILES doc/ek.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES cli/ek.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
          RENAME ek)
  install(DIRECTORY bench/suites reproduce/works DESTINATION ${CMAKE_INSTALL_DATADIR}/evenkeel)
  no_run_path(${CMAKE_INSTALL_BINDIR}/ek)
endif()

# CMake package. A static library with threads by OpenMP gets the run time of the user's compiler.
set(openmp_names "")
if(EK_PARALLEL STREQUAL openmp)
  set(openmp_names ${OpenMP_C_LIB_NAMES})
endif()
configure_file(cmake/evenkeelConfig.cmake.in evenkeelConfig.cmake @ONLY)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/evenkeelConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/evenkeelConfig.cmake
              ${PROJECT_BINARY_DIR}/evenkeelConfigVersion.cmake DESTINATION ${package_dir})

# pkg-config, whose prefix is relative to the .pc file. libarchive is named by -l, not required: its
# own .pc file requires a dozen libraries whose development files are often missing.
file(RELATIVE_PATH pc_up /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" pc_up "${pc_up}")
set(pc_libs -lm)
if(EK_PTHREADS)
  list(APPEND pc_libs -pthread)
endif()
if(EK_PARALLEL STREQUAL openmp)
  foreach(name ${OpenMP_C_LIB_NAMES})
    if(name STREQUAL "omp") # by file name, since some systems have no libomp.so
      file(REAL_PATH ${OpenMP_omp_LIBRARY} omp_file)
      get_filename_component(omp_file ${omp_file} NAME)
      list(APPEND pc_libs -l:${omp_file})
    else()
      list(APPEND pc_libs -l${name})
    endif()
  endforeach()
endif()
if(EK_WITH_GPU AND CMAKE_DL_LIBS)
  list(APPEND pc_libs -l${CMAKE_DL_LIBS})
endif()
if(ARCHIVE IN_LIST codecs)
  list(APPEND pc_libs -larchive)
endif()
if(ZLIB IN_LIST codecs)
  list(APPEND pc_libs -lz)
endif()
list(JOIN pc_libs " " pc_libs)
set(pc_static "")
if(NOT shared IN_LIST kinds)
  set(pc_static " ${pc_libs}") # there is only the static library
endif()
configure_file(cmake/evenkeel.pc.in ${PROJECT_BINARY_DIR}/evenkeel.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/evenkeel.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

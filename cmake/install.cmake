# SPDX-License-Identifier: BSD-3-Clause
# `cmake --install`: the tree may be moved afterwards; no file in it knows where it lies.
install(TARGETS evenkeel_shared evenkeel_static evenkeel EXPORT evenkeelTargets)
install(FILES include/evenkeel/ek.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/evenkeel)
install(FILES LICENSE README.md NEWS.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
if(TARGET ek)
  install(TARGETS ek)
  install(FILES doc/ek.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 OPTIONAL)
  install(FILES cli/ek.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
          RENAME ek OPTIONAL)
  install(DIRECTORY bench/suites DESTINATION ${CMAKE_INSTALL_DATADIR}/evenkeel OPTIONAL)
endif()

# CMake package.
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/evenkeel)
install(EXPORT evenkeelTargets NAMESPACE evenkeel:: DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/evenkeelConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES cmake/evenkeelConfig.cmake ${PROJECT_BINARY_DIR}/evenkeelConfigVersion.cmake
        DESTINATION ${package_dir})

# pkg-config. Its prefix is found from where the file lies. libarchive is named by -l, not required:
# its own file asks for a dozen libraries whose development files are not there in general.
file(RELATIVE_PATH pc_up /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" pc_up "${pc_up}")
set(pc_libs -lm)
if(OpenMP_C_FOUND)
  foreach(name ${OpenMP_C_LIB_NAMES})
    if(name STREQUAL "omp")
      list(APPEND pc_libs ${OpenMP_omp_LIBRARY})
    else()
      list(APPEND pc_libs -l${name})
    endif()
  endforeach()
endif()
if(ARCHIVE IN_LIST codecs)
  list(APPEND pc_libs -larchive)
endif()
if(ZLIB IN_LIST codecs)
  list(APPEND pc_libs -lz)
endif()
list(JOIN pc_libs " " pc_libs)
configure_file(cmake/evenkeel.pc.in ${PROJECT_BINARY_DIR}/evenkeel.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/evenkeel.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

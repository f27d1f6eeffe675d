# SPDX-License-Identifier: BSD-3-Clause
# The tool ek: everything in cli/, over the public header and the library, shared if it is there.
file(GLOB CLI_SOURCES CONFIGURE_DEPENDS cli/*.c)
if(NOT CLI_SOURCES)
  return()
endif()
add_executable(ek ${CLI_SOURCES})
target_link_libraries(ek PRIVATE evenkeel PkgConfig::JANSSON m ${CMAKE_DL_LIBS}
                      $<$<BOOL:${OpenMP_C_FOUND}>:OpenMP::OpenMP_C>)
file(RELATIVE_PATH to_lib ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
set_target_properties(ek PROPERTIES INSTALL_RPATH "$ORIGIN/${to_lib}")
# Suites are found from where the tool lies: as installed, and in the build folder by a link.
file(RELATIVE_PATH to_data ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_DATADIR})
set_property(SOURCE cli/bench_suite.c APPEND PROPERTY COMPILE_DEFINITIONS
             EK_TO_SUITES="${to_data}/evenkeel/suites")
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/bench/suites ${PROJECT_BINARY_DIR}/suites SYMBOLIC)

# The commit stands in one small header that only the files naming EK_COMMIT include, so a new
# commit compiles those again and nothing else.
set(commit_header ${PROJECT_BINARY_DIR}/ek_commit.h)
set(commit_script ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DOUT=${commit_header}
                  -DVERSION=${PROJECT_VERSION} -P ${PROJECT_SOURCE_DIR}/cmake/commit.cmake)
execute_process(COMMAND ${commit_script})
add_custom_target(ek_commit COMMAND ${commit_script} BYPRODUCTS ${commit_header} VERBATIM)
add_dependencies(ek ek_commit)
foreach(source ${CLI_SOURCES})
  file(STRINGS ${source} uses REGEX "EK_COMMIT")
  if(uses)
    set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS "-include;${commit_header}"
                                OBJECT_DEPENDS ${commit_header})
  endif()
endforeach()

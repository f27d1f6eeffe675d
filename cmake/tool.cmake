# SPDX-License-Identifier: BSD-3-Clause
# The tool ek: everything in cli/ and bench/, over the public header and the library, shared if it is there.
file(GLOB CLI_SOURCES CONFIGURE_DEPENDS cli/*.c bench/*.c)
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
set_property(SOURCE bench/suite.c APPEND PROPERTY COMPILE_DEFINITIONS
             EK_TO_SUITES="${to_data}/evenkeel/suites")
# The page of ek bench --html carries its style sheet and its script; the assembler takes them in.
set(page ${PROJECT_SOURCE_DIR}/bench)
set_property(SOURCE bench/html.c APPEND PROPERTY COMPILE_DEFINITIONS EK_PAGE_DIR="${page}")
set_property(SOURCE bench/html.c APPEND PROPERTY OBJECT_DEPENDS "${page}/page.css;${page}/page.js;${page}/chart.js")
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/bench/suites ${PROJECT_BINARY_DIR}/suites SYMBOLIC)

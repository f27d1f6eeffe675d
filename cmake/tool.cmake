# SPDX-License-Identifier: BSD-3-Clause
# The tool ek: everything in cli/, bench/ and reproduce/, with the public header and the (shared) library.
file(GLOB CLI_SOURCES CONFIGURE_DEPENDS cli/*.c bench/*.c reproduce/*.c)
if(NOT CLI_SOURCES)
  return()
endif()
add_executable(ek ${CLI_SOURCES})
target_link_libraries(ek PRIVATE evenkeel PkgConfig::JANSSON m ${CMAKE_DL_LIBS}
                      $<$<BOOL:${OpenMP_C_FOUND}>:OpenMP::OpenMP_C>)
file(RELATIVE_PATH to_lib ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
set_target_properties(ek PROPERTIES INSTALL_RPATH "$ORIGIN/${to_lib}")
# Suites are found relative to the tool: where installed, or by a link in the build folder.
file(RELATIVE_PATH to_data ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_DATADIR})
set_property(SOURCE bench/suite.c APPEND PROPERTY COMPILE_DEFINITIONS
             EK_TO_SUITES="${to_data}/evenkeel/suites")
# The page of ek bench --html contains its style sheet and scripts, which the assembler includes.
set(page ${PROJECT_SOURCE_DIR}/bench)
set_property(SOURCE bench/html.c APPEND PROPERTY COMPILE_DEFINITIONS EK_PAGE_DIR="${page}")
set_property(SOURCE bench/html.c APPEND PROPERTY OBJECT_DEPENDS "${page}/page.css;${page}/page.js;${page}/chart.js;${page}/key.js;${page}/sort.js")
set(reproduce ${PROJECT_SOURCE_DIR}/reproduce)
set_property(SOURCE reproduce/page.c APPEND PROPERTY COMPILE_DEFINITIONS EK_PAGE_DIR="${reproduce}")
set_property(SOURCE reproduce/page.c APPEND PROPERTY OBJECT_DEPENDS "${reproduce}/reproduce.js")
set_property(SOURCE reproduce/works.c APPEND PROPERTY COMPILE_DEFINITIONS
             EK_TO_WORKS="${to_data}/evenkeel/works")
file(CREATE_LINK ${reproduce}/works ${PROJECT_BINARY_DIR}/works SYMBOLIC)
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/bench/suites ${PROJECT_BINARY_DIR}/suites SYMBOLIC)

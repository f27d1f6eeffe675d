# SPDX-License-Identifier: BSD-3-Clause
# The tool ek: everything in cli/, over the public header and the shared library.
file(GLOB CLI_SOURCES CONFIGURE_DEPENDS cli/*.c)
if(NOT CLI_SOURCES)
  return()
endif()
add_executable(ek ${CLI_SOURCES})
target_link_libraries(ek PRIVATE evenkeel_shared PkgConfig::JANSSON m ${CMAKE_DL_LIBS}
                      $<$<BOOL:${OpenMP_C_FOUND}>:OpenMP::OpenMP_C>)
target_compile_definitions(ek PRIVATE EK_SUITE_DIR="${PROJECT_SOURCE_DIR}/bench/suites")
file(RELATIVE_PATH to_lib /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR})
set_target_properties(ek PROPERTIES INSTALL_RPATH "$ORIGIN/${to_lib}")

# SPDX-License-Identifier: BSD-3-Clause
# What the Python package has besides its modules: _api.py, which is made from the header, and fast.c,
# compiled. The wheel (CMakeLists.txt) and the package beside an installed library (cmake/python.cmake)
# have them in the folder that python_package names.
find_package(Python REQUIRED COMPONENTS Interpreter)

# The short way for A @ x. What it needs of Python, the process has.
add_library(evenkeel_fast MODULE ${CMAKE_CURRENT_LIST_DIR}/fast.c)
target_include_directories(evenkeel_fast PRIVATE ${CMAKE_CURRENT_LIST_DIR}/../include)
target_compile_options(evenkeel_fast PRIVATE -Wall -Wextra -Wpedantic -Wshadow -O2)
set_target_properties(evenkeel_fast PROPERTIES PREFIX lib OUTPUT_NAME ek_fast C_STANDARD 17
                      C_VISIBILITY_PRESET hidden)

set(python_header ${CMAKE_CURRENT_LIST_DIR}/../include/evenkeel/ek.h)
set(python_declare ${CMAKE_CURRENT_LIST_DIR}/declare.py)
set(python_api ${CMAKE_CURRENT_BINARY_DIR}/_api.py)
file(GLOB python_modules CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/src/evenkeel/*.py)
add_custom_command(OUTPUT ${python_api} VERBATIM
                   DEPENDS ${python_declare} ${python_header} ${python_modules}
                   COMMAND ${Python_EXECUTABLE} ${python_declare} ${python_header} ${python_api})
add_custom_target(evenkeel_api ALL DEPENDS ${python_api} evenkeel_fast)
install(FILES ${python_api} DESTINATION ${python_package} COMPONENT python)
install(TARGETS evenkeel_fast LIBRARY DESTINATION ${python_package} COMPONENT python)

# SPDX-License-Identifier: BSD-3-Clause
# The static library: all objects linked into one that exports only the names of the public header,
# so that programs may use our other names. It costs nothing: as every table refers to all of its
# rows, a linker would take all objects in any case.
if(NOT CMAKE_OBJCOPY)
  message(FATAL_ERROR "objcopy is missing (binutils): the static library needs it to hide its own "
                      "names; -DBUILD_SHARED_LIBS=ON builds the shared library only")
endif()
# The archive's members have no time and no owner, so that builds are reproducible.
set(CMAKE_C_ARCHIVE_CREATE "<CMAKE_AR> qcD <TARGET> <LINK_FLAGS> <OBJECTS>")
set(CMAKE_C_ARCHIVE_FINISH "<CMAKE_RANLIB> -D <TARGET>")

if(EK_SANITIZE)
  # The sanitizer's run time needs the instrumented objects one by one. They are never installed.
  add_library(evenkeel_static STATIC $<TARGET_OBJECTS:ek_objects>)
else()
  separate_arguments(flags UNIX_COMMAND "${CMAKE_C_FLAGS}")
  if(CMAKE_C_COMPILER_TARGET)
    list(APPEND flags --target=${CMAKE_C_COMPILER_TARGET})
  endif()
  if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
    list(APPEND flags -flinker-output=nolto-rel) # with -flto: machine code, not LTO bytecode
  endif()
  set(one ${PROJECT_BINARY_DIR}/evenkeel.o)
  add_custom_command(
    OUTPUT ${one}
    COMMAND ${CMAKE_C_COMPILER} ${flags} -r -nostdlib -o ${one} $<TARGET_OBJECTS:ek_objects>
    COMMAND ${CMAKE_OBJCOPY} --localize-hidden ${one}
    DEPENDS ek_objects $<TARGET_OBJECTS:ek_objects>
    COMMENT "Linking evenkeel.o, hiding names" COMMAND_EXPAND_LISTS VERBATIM)
  set_source_files_properties(${one} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  add_library(evenkeel_static STATIC ${one})
  set_target_properties(evenkeel_static PROPERTIES LINKER_LANGUAGE C)
endif()
target_link_libraries(evenkeel_static INTERFACE $<INSTALL_INTERFACE:${static_libs}>)

# SPDX-License-Identifier: BSD-3-Clause
# The Python package beside the installed library, which it loads by its SONAME (EK_PYTHON_DIR): the
# modules, what is made for them, and what importlib.metadata reads. Distributions have it so; the wheel
# (python/CMakeLists.txt) has a library of its own.
if(NOT shared IN_LIST kinds)
  list(APPEND left_out "the Python package: there is no shared library (BUILD_SHARED_LIBS is off)")
  return()
endif()
set(python_package ${EK_PYTHON_DIR}/evenkeel)
include(python/parts.cmake)
install(DIRECTORY python/src/evenkeel DESTINATION ${EK_PYTHON_DIR} COMPONENT python
        FILES_MATCHING PATTERN "*.py" PATTERN py.typed PATTERN _api.py EXCLUDE
        PATTERN __pycache__ EXCLUDE)

# What pyproject.toml tells of the wheel holds here, too.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS python/pyproject.toml)
file(READ python/pyproject.toml project)
foreach(key description license requires-python dependencies scipy)
  if(NOT project MATCHES "\n${key} = [[{]?(text = )?\"([^\"\n]*)\"[]}]?\n")
    message(FATAL_ERROR "python/pyproject.toml: ${key} is not one text")
  endif()
  set(python_${key} "${CMAKE_MATCH_2}")
endforeach()
file(WRITE ${PROJECT_BINARY_DIR}/METADATA "\
Metadata-Version: 2.1
Name: evenkeel
Version: ${PROJECT_VERSION}
Summary: ${python_description}
License: ${python_license}
Requires-Python: ${python_requires-python}
Requires-Dist: ${python_dependencies}
Provides-Extra: scipy
Requires-Dist: ${python_scipy}; extra == 'scipy'
")
install(FILES ${PROJECT_BINARY_DIR}/METADATA COMPONENT python
        DESTINATION ${EK_PYTHON_DIR}/evenkeel-${PROJECT_VERSION}.dist-info)

# SPDX-License-Identifier: BSD-3-Clause
# Each configuration looks anew for what is installed. CMake keeps what it found, so that a package
# that is gone seems to be there, and for some things also that it found nothing. Forgotten are the
# answers of pkg-config, files that were not found or are not there any more, and the folders in which
# find_path found a header, which stay when the header goes; what was given by -D and exists stays.
get_cmake_property(cached CACHE_VARIABLES)
foreach(name ${cached})
  if(name MATCHES "^__pkg_config_checked_(.*)")
    set(prefix ${CMAKE_MATCH_1})
    foreach(of_it ${cached})
      if(of_it MATCHES "^(pkgcfg_lib_)?${prefix}_" OR of_it STREQUAL name)
        unset(${of_it} CACHE)
      endif()
    endforeach()
  endif()
endforeach()
foreach(name ${cached})
  get_property(type CACHE ${name} PROPERTY TYPE)
  if(NOT type MATCHES "^(FILE)?PATH$" OR (name MATCHES "^(CMAKE|EK)_" AND
     NOT name STREQUAL "CMAKE_CXX_COMPILER"))
    continue()
  endif()
  get_property(text CACHE ${name} PROPERTY HELPSTRING)
  if("${${name}}" MATCHES "NOTFOUND$" OR text STREQUAL "Path to a file." OR (IS_ABSOLUTE "${${name}}" AND NOT EXISTS "${${name}}"))
    unset(${name} CACHE)
    if(name MATCHES "^OpenMP_")
      set(forget_openmp ON)
    endif()
  endif()
endforeach()
if(forget_openmp) # its flags hang together with its libraries
  foreach(name ${cached})
    if(name MATCHES "^OpenMP_")
      unset(${name} CACHE)
    endif()
  endforeach()
endif()

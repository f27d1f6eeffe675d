# SPDX-License-Identifier: BSD-3-Clause
# Makes each configuration look anew for what is installed: CMake caches what it found, even
# packages since removed, and some failures. Forgets the answers of pkg-config, files not found or
# now missing, and the folders where find_path found a header, which outlive the header. Keeps what
# was given by -D and exists.
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
if(forget_openmp) # its flags depend on its libraries
  foreach(name ${cached})
    if(name MATCHES "^OpenMP_")
      unset(${name} CACHE)
    endif()
  endforeach()
endif()

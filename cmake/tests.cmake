# SPDX-License-Identifier: BSD-3-Clause
# Tests, by label:
#   unit     test/test_*.c, cmocka programs; test/support/*.c is linked to each
#   device   unit tests that run kernels, or stand in for a driver
#   slow     unit tests that take minutes in an emulator (test/cross.sh leaves them out, but for five on AArch64)
#   cli      test/cli/run.sh: the tool's commands and what they print; test/reproduce.sh
#   source   rules on the source files, README, examples and public header
#   mkl      test/mkl: libevenkeel_mkl.so
#   package  the installation: symbols, consumers with pkg-config and CMake, run paths, documents;
#            the same bytes from two folders; ABI breaks; the build without CMake
# EK_TEST_TIER=full in the environment makes unit tests longer.
file(GLOB TEST_SOURCES CONFIGURE_DEPENDS test/test_*.c)
file(GLOB TEST_SUPPORT CONFIGURE_DEPENDS test/support/*.c)
# Tests of more than 30 s of processor time in QEMU, unoptimised.
set(SLOW_TESTS test_base1 test_blocks test_dense_spmm test_formats test_forward test_generate
               test_kselect test_merge
               test_methods test_parts test_scan test_segmented test_spadd test_spadd_dense
               test_spgemm test_spgemm_memory test_spgemm_wide test_spmm test_spmspv test_templates_formats
               test_triple
               test_templates_methods)
set(LONG_TESTS ${SLOW_TESTS} test_sort test_nvrtc test_cuda_programs test_gpu_methods)
# Kernels for NEON run in the emulator only, so the tests that walk their tables do as well. Instead,
# those wait that take long there and test code that is the same on all machines.
if(CMAKE_CROSSCOMPILING AND CMAKE_SYSTEM_PROCESSOR STREQUAL "aarch64")
  list(REMOVE_ITEM SLOW_TESTS test_formats test_merge test_methods test_scan test_segmented)
  list(APPEND SLOW_TESTS test_measure test_measure_runs test_mtx_files test_parallel test_patterns
              test_proportion test_sort test_tune)
endif()
# add_unit_test(name source objects...)
function(add_unit_test name source)
  add_executable(${name} ${source} ${ARGN} ${support_objects})
  target_include_directories(${name} PRIVATE src test)
  target_compile_definitions(${name} PRIVATE ${test_definitions})
  # Objects given here replace files of the library, so their tests need the static one.
  set(internals ek_internal)
  if(TARGET ek_internal_shared AND NOT ARGN)
    set(internals ek_internal_shared)
  endif()
  target_link_libraries(${name} PRIVATE ${internals} PkgConfig::CMOCKA m
                        $<$<BOOL:${OpenMP_C_FOUND}>:OpenMP::OpenMP_C>)
  add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set(labels unit)
  if(name MATCHES "^test_(templates_)?(gpu|opencl|cuda|nvrtc)")
    list(APPEND labels device)
  endif()
  if(name IN_LIST SLOW_TESTS)
    list(APPEND labels slow)
  endif()
  # No test depends on what ek tune has stored for the user.
  set_tests_properties(${name} PROPERTIES LABELS "${labels}" TIMEOUT 900 ENVIRONMENT EK_PROFILE=none)
endfunction()
if(CMOCKA_FOUND)
  # Unit tests see the names that the installed libraries hide.
  add_library(ek_internal STATIC $<TARGET_OBJECTS:ek_objects>)
  set(internal_targets ek_internal)
  if(EK_TESTS_SHARED)
    add_library(ek_internal_shared SHARED $<TARGET_OBJECTS:ek_objects>)
    list(APPEND internal_targets ek_internal_shared)
  endif()
  foreach(target ${internal_targets})
    target_include_directories(${target} PUBLIC include)
    target_link_libraries(${target} PUBLIC m ${CMAKE_DL_LIBS} ${codec_targets}
                          $<$<BOOL:${EK_PTHREADS}>:Threads::Threads>)
  endforeach()
  set(test_definitions EK_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
      EK_FAKE_DIR="${PROJECT_BINARY_DIR}/fake" ${codec_macros})
  if(NOT EK_WITH_GPU)
    list(APPEND test_definitions EK_NO_GPU)
  endif()
  if(CMAKE_CROSSCOMPILING_EMULATOR MATCHES "qemu-")
    list(APPEND test_definitions EK_TEST_IN_QEMU)
  endif()
  # Stand-ins for libcuda.so.1: a full one, and one that lacks a function.
  foreach(name fake_cuda fake_cuda_part)
    add_library(${name} MODULE test/fake/fake_cuda.c test/fake/fake_cuda_memory.c
                           test/fake/fake_cuda_graph.c)
    target_include_directories(${name} PRIVATE src test)
    set_target_properties(${name} PROPERTIES C_VISIBILITY_PRESET default
      LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/fake)
  endforeach()
  target_compile_definitions(fake_cuda_part PRIVATE cuLaunchKernel=no_cuLaunchKernel)
  if(TEST_SUPPORT)
    add_library(ek_test_support OBJECT ${TEST_SUPPORT})
    target_include_directories(ek_test_support PRIVATE src test)
    target_compile_definitions(ek_test_support PRIVATE ${test_definitions})
    add_dependencies(ek_test_support fake_cuda fake_cuda_part)
    target_link_libraries(ek_test_support PRIVATE ek_internal PkgConfig::CMOCKA
                          $<$<BOOL:${OpenMP_C_FOUND}>:OpenMP::OpenMP_C>)
    set(support_objects $<TARGET_OBJECTS:ek_test_support>)
  endif()
  foreach(source ${TEST_SOURCES})
    get_filename_component(name ${source} NAME_WE)
    add_unit_test(${name} ${source})
  endforeach()
  # Templates of new files (doc/add-a-*.md): test/templates comes before src, so that the tests here
  # walk its tables, which have only the references and the templates.
  file(GLOB templates CONFIGURE_DEPENDS test/templates/*/*.c)
  add_library(ek_templates OBJECT ${templates} src/format/format.c src/plan/forced.c
              src/plan/methods.c src/plan/operations.c)
  target_include_directories(ek_templates PRIVATE test/templates src include)
  target_compile_definitions(ek_templates PRIVATE EK_KERNEL_DIR="${PROJECT_SOURCE_DIR}/test/templates")
  file(GLOB kernels CONFIGURE_DEPENDS test/templates/*/*.cl)
  foreach(kernel ${kernels})
    string(REGEX REPLACE "cl$" "c" source ${kernel})
    set_property(SOURCE ${source} APPEND PROPERTY OBJECT_DEPENDS ${kernel})
  endforeach()
  set(template_tests test/test_methods.c test/test_formats.c test/test_formats_safe.c
                     test/test_not_finite.c test/test_threads.c test/templates/test_yours.c)
  if(EK_WITH_GPU)
    list(APPEND template_tests test/test_gpu_methods.c test/test_nvrtc.c)
  endif()
  foreach(source ${template_tests})
    get_filename_component(name ${source} NAME_WE)
    string(REPLACE test_ test_templates_ name ${name})
    add_unit_test(${name} ${source} $<TARGET_OBJECTS:ek_templates>)
    target_include_directories(${name} BEFORE PRIVATE test/templates)
  endforeach()
  # The files that depend on codecs, compiled for each smaller set, are linked before the library's.
  foreach(set none ZLIB ARCHIVE)
    string(TOLOWER test_codecs_${set} name)
    if(NOT set STREQUAL "none" AND NOT set IN_LIST codecs)
      continue()
    endif()
    add_executable(${name} test/test_codecs.c src/io/gzip.c src/io/archive.c src/io/sink.c
                   src/io/source.c ${support_objects})
    target_include_directories(${name} PRIVATE src test)
    set(one ${codecs})
    list(FILTER one INCLUDE REGEX "^${set}$")
    list(TRANSFORM one PREPEND EK_HAVE_)
    target_compile_definitions(${name} PRIVATE ${one})
    target_link_libraries(${name} PRIVATE ek_internal PkgConfig::CMOCKA m ${codec_targets}
                          $<$<BOOL:${OpenMP_C_FOUND}>:OpenMP::OpenMP_C>)
    add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(${name} PROPERTIES LABELS unit TIMEOUT 900)
  endforeach()
endif()

# Starting with the long tests shortens a parallel run.
foreach(name ${LONG_TESTS})
  if(TEST ${name})
    set_tests_properties(${name} PROPERTIES COST 100)
  endif()
endforeach()

# Examples are built as users build programs. multigrid solves a small problem.
set(multigrid_arguments 24)
file(GLOB EXAMPLES CONFIGURE_DEPENDS examples/*.c)
foreach(source ${EXAMPLES})
  get_filename_component(name ${source} NAME_WE)
  add_executable(example_${name} ${source})
  target_link_libraries(example_${name} PRIVATE evenkeel m)
  add_test(NAME example.${name} COMMAND example_${name} ${${name}_arguments})
  set_tests_properties(example.${name} PROPERTIES LABELS source TIMEOUT 300)
endforeach()

# The door for programs that call MKL, tested as such programs are built. evenkeel_mkl_over has MKL
# behind it, for sparse_dot_mkl, which takes more than the Sparse BLAS from one library.
if(TARGET evenkeel_mkl)
  foreach(name vectors sparse values)
    add_executable(mkl_${name} test/mkl/${name}.c)
    target_link_libraries(mkl_${name} PRIVATE evenkeel_mkl Threads::Threads m)
    add_test(NAME mkl.${name} COMMAND mkl_${name})
    set_tests_properties(mkl.${name} PROPERTIES LABELS mkl TIMEOUT 300 ENVIRONMENT EK_PROFILE=none)
  endforeach()
  if(MKL_RT AND NOT EK_SANITIZE)
    add_library(evenkeel_mkl_over MODULE ${MKL_SOURCES})
    target_link_libraries(evenkeel_mkl_over PRIVATE evenkeel_shared Threads::Threads
                          -Wl,--no-as-needed ${MKL_RT})
    # A program that is linked with MKL, and gets the door first.
    add_executable(mkl_preloaded test/mkl/vectors.c)
    target_link_libraries(mkl_preloaded PRIVATE ${MKL_RT} Threads::Threads m)
    add_test(NAME mkl.preloaded COMMAND mkl_preloaded)
    set_tests_properties(mkl.preloaded PROPERTIES LABELS mkl TIMEOUT 300 ENVIRONMENT
                         "EK_PROFILE=none;LD_PRELOAD=$<TARGET_FILE:evenkeel_mkl>")
  endif()
endif()

find_program(BASH bash)
mark_as_advanced(BASH)
if(NOT BASH)
  return()
endif()

# add_script_test(name label script arguments...)
function(add_script_test name label script)
  add_test(NAME ${name} COMMAND ${BASH} ${PROJECT_SOURCE_DIR}/${script} ${ARGN})
  set_tests_properties(${name} PROPERTIES LABELS ${label} TIMEOUT 900 SKIP_RETURN_CODE 77)
endfunction()

if(TARGET ek AND EXISTS ${PROJECT_SOURCE_DIR}/test/cli/run.sh)
  add_script_test(cli cli test/cli/run.sh $<TARGET_FILE:ek>)
  set_tests_properties(cli PROPERTIES COST 100)
  add_script_test(reproduce cli test/reproduce.sh $<TARGET_FILE:ek>)
  set_tests_properties(reproduce PROPERTIES TIMEOUT 1800) # EK_TEST_TIER=full compiles all kernels
endif()

add_script_test(source.rules source tool/check-source)
add_script_test(source.header source test/install/header.sh)
if(TARGET ek)
  add_script_test(source.docs source tool/update-docs --check $<TARGET_FILE:ek>)
endif()

# These tests build programs without instrumentation, or are such; they cannot use instrumented
# libraries.
if(EK_SANITIZE)
  return()
endif()
if(TARGET evenkeel_mkl)
  add_script_test(mkl.symbols mkl test/mkl/symbols.sh $<TARGET_FILE:evenkeel_mkl> "${MKL_INCLUDE}")
  if(TARGET evenkeel_mkl_over)
    add_script_test(mkl.sparse_dot_mkl mkl test/mkl/sparse_dot_mkl.sh
                    $<TARGET_FILE:evenkeel_mkl_over>)
  endif()
endif()
set(tree ${PROJECT_BINARY_DIR}/install-test)
list(JOIN kinds " " kinds_words)
set(install_env CC=${CMAKE_C_COMPILER} CMAKE=${CMAKE_COMMAND} TREE=${tree} LIB=${CMAKE_INSTALL_LIBDIR}
    KINDS=${kinds_words})
set(parts tree symbols clash version pkgconfig cmake cpp fortran readme operations docs tool usr reproducible abi_judge plain_build)
if(TARGET ek)
  list(APPEND install_env TOOL=yes)
else()
  list(REMOVE_ITEM parts tool)
endif()
foreach(part ${parts})
  add_script_test(install.${part} package test/install/${part}.sh ${PROJECT_BINARY_DIR})
  set_tests_properties(install.${part} PROPERTIES ENVIRONMENT "${install_env}")
  if(part STREQUAL "tree")
    set_tests_properties(install.tree PROPERTIES FIXTURES_SETUP installed)
  elseif(NOT part MATCHES "^(usr|reproducible|abi_judge|plain_build)$")
    set_tests_properties(install.${part} PROPERTIES FIXTURES_REQUIRED installed)
  endif()
endforeach()
foreach(part configure make)
  add_script_test(install.${part} package test/install/${part}.sh)
  set_tests_properties(install.${part} PROPERTIES ENVIRONMENT "${install_env}")
endforeach()
set_tests_properties(install.plain_build PROPERTIES COST 100)

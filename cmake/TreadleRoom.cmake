# SPDX-License-Identifier: MIT
# Functions that build the library of a room (module) and its tests.

add_library(treadle_flags INTERFACE)
target_compile_options(treadle_flags INTERFACE -Wall -Wextra -Wconversion -Wshadow -Wnon-virtual-dtor)
if(TREADLE_WERROR)
  target_compile_options(treadle_flags INTERFACE -Werror)
endif()
if(TREADLE_SANITIZE)
  target_compile_options(treadle_flags INTERFACE -fsanitize=${TREADLE_SANITIZE} -fno-omit-frame-pointer
                                                 -fno-sanitize-recover=all
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)  # warns about its own instrumentation, for example in <regex>
  target_link_options(treadle_flags INTERFACE -fsanitize=${TREADLE_SANITIZE})
  # The macros by which GCC tells the tests.
  if(CMAKE_CXX_COMPILER_ID MATCHES Clang AND TREADLE_SANITIZE MATCHES thread)
    target_compile_definitions(treadle_flags INTERFACE __SANITIZE_THREAD__=1)
  endif()
  if(CMAKE_CXX_COMPILER_ID MATCHES Clang AND TREADLE_SANITIZE MATCHES address)
    target_compile_definitions(treadle_flags INTERFACE __SANITIZE_ADDRESS__=1)
    # The entry points of CUDA are C functions: callers may pass values outside of an enumeration.
    target_compile_options(treadle_flags INTERFACE -fno-sanitize=enum)
  endif()
endif()

# The sanitizer builds are unity builds (CMAKE_UNITY_BUILD); `make` builds rooms and test programs so (TREADLE_UNITY),
# which takes half the time and a third of it.
# In a unity build names in unnamed namespaces must differ between files; shadowing is harmless, and so are types of
# unnamed namespaces in headers' types: each file is compiled once.
add_library(treadle_together INTERFACE)
target_compile_options(treadle_together INTERFACE -Wno-shadow
  $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
if(CMAKE_UNITY_BUILD)
  target_link_libraries(treadle_flags INTERFACE treadle_together)
endif()
# treadle_unity(TARGET): a unity build of a target, where unity builds are wanted. Which files are compiled together depends on
# their names, so that a new file does not bring others together whose names in unnamed namespaces are the same. Up to 32 files:
# most of the time goes to headers and to templates' instances, once a group. Files of different folders stay apart.
# TOGETHER: files that alone include headers which take long to read; they are one group.
function(treadle_unity target)
  cmake_parse_arguments(arg "" "" "TOGETHER" ${ARGN})
  if(NOT TREADLE_UNITY AND NOT CMAKE_UNITY_BUILD)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  list(LENGTH sources count)
  set(groups 1)
  while(count GREATER 32)
    math(EXPR groups "${groups} * 2")
    math(EXPR count "(${count} + 1) / 2")
  endwhile()
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source OUTPUT_VARIABLE path)
    cmake_path(RELATIVE_PATH path BASE_DIRECTORY "${PROJECT_SOURCE_DIR}")
    cmake_path(GET path PARENT_PATH folder)
    string(MAKE_C_IDENTIFIER "${folder}" folder)
    string(MD5 hash "${path}")
    string(SUBSTRING "${hash}" 0 4 digits)
    math(EXPR group "0x${digits} % ${groups}")
    set_source_files_properties("${source}" PROPERTIES UNITY_GROUP "${folder}_${group}")
  endforeach()
  if(arg_TOGETHER)
    set_source_files_properties(${arg_TOGETHER} PROPERTIES UNITY_GROUP together)
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:treadle_together>)
endfunction()

# treadle_precompile(TARGET HEADER ...): where unity builds are wanted, these headers are read once.
function(treadle_precompile target)
  if(TREADLE_UNITY OR CMAKE_UNITY_BUILD)
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
endfunction()

# treadle_precompile_tests(TARGET [HEADER ...]): GoogleTest's headers, which all test programs share; a program that adds
# headers gets its own.
function(treadle_precompile_tests target)
  set(headers <gmock/gmock.h> <gtest/gtest.h> <algorithm> <filesystem> <functional> <map> <memory> <optional> <string>
      <thread> <vector>)
  if(ARGN)
    treadle_precompile(${target} ${headers} ${ARGN})
  elseif(TREADLE_UNITY OR CMAKE_UNITY_BUILD)
    if(NOT TARGET treadle_test_headers)
      # A program as they are: what it is compiled with has to be the same.
      file(WRITE "${PROJECT_BINARY_DIR}/tests/test_headers.cpp" "int main() {}\n")
      add_executable(treadle_test_headers "${PROJECT_BINARY_DIR}/tests/test_headers.cpp")
      target_link_libraries(treadle_test_headers PRIVATE treadle_flags treadle_together GTest::gtest GTest::gmock)
      target_compile_options(treadle_test_headers PRIVATE -O0)
      treadle_precompile(treadle_test_headers ${headers})
    endif()
    target_precompile_headers(${target} REUSE_FROM treadle_test_headers)
  endif()
endfunction()

# treadle_room(NAME [SOURCES ...] [LINK ...] [PRIVATE_LINK ...]): static library treadle_NAME from src/NAME.
function(treadle_room name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINK;PRIVATE_LINK" ${ARGN})
  if(NOT arg_SOURCES)
    file(GLOB arg_SOURCES CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp")
  endif()
  add_library(treadle_${name} STATIC ${arg_SOURCES})
  add_library(treadle::${name} ALIAS treadle_${name})
  set_target_properties(treadle_${name} PROPERTIES EXPORT_NAME ${name})
  target_compile_features(treadle_${name} PUBLIC cxx_std_20)
  target_include_directories(treadle_${name}
    PUBLIC "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>" "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>"
    PRIVATE "${PROJECT_SOURCE_DIR}/src")
  target_link_libraries(treadle_${name} PUBLIC ${arg_LINK} PRIVATE $<BUILD_INTERFACE:treadle_flags> ${arg_PRIVATE_LINK})
  treadle_unity(treadle_${name})
endfunction()

# treadle_keep_threaded(LIST): removes each *_test.cpp that starts no threads.
function(treadle_keep_threaded list)
  foreach(source IN LISTS ${list})
    set(threads TRUE)
    if(source MATCHES "_test\\.cpp$")
      cmake_path(ABSOLUTE_PATH source OUTPUT_VARIABLE file)
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
      file(STRINGS "${file}" threads REGEX "^#include <thread>" LIMIT_COUNT 1)
    endif()
    if(threads)
      list(APPEND kept "${source}")
    endif()
  endforeach()
  set(${list} ${kept} PARENT_SCOPE)
endfunction()

# treadle_test(NAME [SOURCES ...] [LINK ...] [NEEDS_COMPILER] [OPENCL_SHARDS n] [THREADED] [PRECOMPILE ...]): a GoogleTest program, which is
# one test of ctest: starting a process for each case takes longer than the cases. With TREADLE_CTEST_CASES each case is one.
# Without SOURCES every *_test.cpp of the folder.
# It must also run on a machine without this source tree and build folder (from the GPU bundle):
# files of the source tree are found by TREADLE_SOURCE_DIR (the test presets set it), our libraries by TREADLE_LIBRARY_DIR.
# WHOLE: one test also with TREADLE_CTEST_CASES, for programs whose cases share a slow set-up, such as devices.
# OPENCL_SHARDS: as WHOLE; the cases on OpenCL devices are n further tests of ctest, NAME.opencl.0 and so on, whose devices
# are kept from case to case: PoCL compiles slowly. `make test` runs the first of them (tools/run_tests.py).
# NEEDS_COMPILER: it compiles CUDA C for the CPU device; not built without that compiler.
# PRECOMPILE: headers that most of its files include and that take long to read.
# THREADED: the tested code starts threads, so TREADLE_ONLY_THREADED_TESTS keeps all of its files.
function(treadle_test name)
  cmake_parse_arguments(arg "NEEDS_COMPILER;WHOLE;THREADED" "OPENCL_SHARDS" "SOURCES;LINK;PRECOMPILE" ${ARGN})
  if(arg_NEEDS_COMPILER AND NOT TREADLE_BUILD_CPU_COMPILER)
    return()
  endif()
  if(NOT arg_SOURCES)
    file(GLOB arg_SOURCES CONFIGURE_DEPENDS RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" "${CMAKE_CURRENT_SOURCE_DIR}/*_test.cpp")
  endif()
  if(TREADLE_ONLY_THREADED_TESTS AND NOT arg_THREADED)
    treadle_keep_threaded(arg_SOURCES)
    if(NOT arg_SOURCES MATCHES "_test\\.cpp(;|$)")
      return()
    endif()
  endif()
  list(APPEND arg_SOURCES "${PROJECT_SOURCE_DIR}/tests/census_listener.cpp")
  if(TREADLE_SANITIZE)
    list(APPEND arg_SOURCES "${PROJECT_SOURCE_DIR}/tests/sanitizer_defaults.cpp")
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/tests")
  target_link_libraries(${name} PRIVATE treadle_flags ${arg_LINK} treadle_process treadle_base GTest::gtest GTest::gtest_main GTest::gmock)
  treadle_unity(${name})
  treadle_precompile_tests(${name} ${arg_PRECOMPILE})
  # Compiling tests takes longer than running them; without optimisation it takes half the time.
  target_compile_options(${name} PRIVATE -O0)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests/bin")
  # The libraries are opened at run time, so linking adds no dependency on them.
  foreach(library treadle_cpu treadle_clang)
    if(TARGET ${library})
      add_dependencies(${name} ${library})
    endif()
  endforeach()
  # Tests do not use the user's own cache.
  set(environment ENVIRONMENT "TREADLE_LIBRARY_DIR=${PROJECT_BINARY_DIR}/lib"
      ENVIRONMENT_MODIFICATION "TREADLE_CACHE_DIR=set:${PROJECT_BINARY_DIR}/tests/cache")
  if(arg_WHOLE OR arg_OPENCL_SHARDS OR NOT TREADLE_CTEST_CASES)
    add_test(NAME ${name} COMMAND ${name})
    set_tests_properties(${name} PROPERTIES ${environment} TIMEOUT 600)
    if(arg_OPENCL_SHARDS)
      set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT "GTEST_FILTER=-*opencl*")
      math(EXPR last "${arg_OPENCL_SHARDS} - 1")
      foreach(shard RANGE ${last})
        set(test ${name}.opencl.${shard})
        add_test(NAME ${test} COMMAND ${name})
        set_tests_properties(${test} PROPERTIES ${environment} TIMEOUT 600)
        set_property(TEST ${test} APPEND PROPERTY ENVIRONMENT "GTEST_FILTER=*opencl*" TREADLE_TEST_HOLD_DEVICES=1
                     GTEST_TOTAL_SHARDS=${arg_OPENCL_SHARDS} GTEST_SHARD_INDEX=${shard})
      endforeach()
    endif()
    return()
  endif()
  # Listing the tests may load PoCL, which takes more than CMake's default of 5 s from a cold disk.
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 120
    PROPERTIES ${environment} TIMEOUT 300)
endfunction()

# SPDX-License-Identifier: MIT
# Checks that every header compiles by itself: a generated source file for each header includes just that header.

# treadle_check_headers(NAME FOLDER PREFIX [EXCLUDE regex] [ONLY regex] [LINK target...] [LIKE target]): the headers below FOLDER,
# included by their path after PREFIX, compiled with the usage requirements of LINK or the own ones of LIKE.
function(treadle_check_headers name folder prefix)
  cmake_parse_arguments(arg "" "LIKE;EXCLUDE;ONLY" "LINK" ${ARGN})
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS "${folder}/*.hpp" "${folder}/*.h")
  if(arg_EXCLUDE)
    list(FILTER headers EXCLUDE REGEX "${arg_EXCLUDE}")
  endif()
  if(arg_ONLY)
    list(FILTER headers INCLUDE REGEX "${arg_ONLY}")
  endif()
  set(sources)
  foreach(header IN LISTS headers)
    # A source file that includes the header first proves it already, without another compilation.
    cmake_path(REPLACE_EXTENSION header LAST_ONLY cpp OUTPUT_VARIABLE own)
    cmake_path(GET header FILENAME file)
    if(EXISTS "${own}")
      file(STRINGS "${own}" first LIMIT_COUNT 1 REGEX "^#include")
      if(first MATCHES "[\"/]${file}\"")
        continue()
      endif()
    endif()
    cmake_path(RELATIVE_PATH header BASE_DIRECTORY "${prefix}" OUTPUT_VARIABLE path)
    string(MAKE_C_IDENTIFIER "${path}" stem)
    set(source "${CMAKE_CURRENT_BINARY_DIR}/headers/${stem}.cpp")
    file(CONFIGURE OUTPUT "${source}" CONTENT "#include \"${path}\"  // alone\n")
    list(APPEND sources "${source}")
  endforeach()
  if(NOT sources)
    return()
  endif()
  add_library(${name} OBJECT ${sources})
  target_compile_features(${name} PRIVATE cxx_std_20)
  target_compile_options(${name} PRIVATE -O0)
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/include" "${prefix}")
  target_link_libraries(${name} PRIVATE treadle_flags ${arg_LINK})
  # The standard library takes most of the time. Where it is read once, a header that forgets to include some of it is not
  # found; the presets without unity builds find it.
  treadle_precompile(${name} <algorithm> <array> <chrono> <complex> <cstdint> <filesystem> <functional> <map> <memory> <mutex>
                     <optional> <ostream> <span> <stdexcept> <string> <string_view> <utility> <variant> <vector>)
  if(arg_LIKE)
    target_include_directories(${name} SYSTEM PRIVATE "$<TARGET_PROPERTY:${arg_LIKE},INCLUDE_DIRECTORIES>")
    target_compile_definitions(${name} PRIVATE "$<TARGET_PROPERTY:${arg_LIKE},COMPILE_DEFINITIONS>")
  endif()
endfunction()

set(treadle_src "${PROJECT_SOURCE_DIR}/src")
# Public headers are compiled without cuda.h and CL/cl.h, which users do not need, except the two that declare the entry points.
set(treadle_include "${PROJECT_SOURCE_DIR}/include")
treadle_check_headers(treadle_headers_public "${treadle_include}" "${treadle_include}" EXCLUDE "/(cuda|opencl)/table\\.hpp$")
treadle_check_headers(treadle_headers_driver "${treadle_include}" "${treadle_include}" ONLY "/(cuda|opencl)/table\\.hpp$"
                      LINK treadle_cuda_headers treadle_opencl_headers)
# Those of VkFFT stand before and behind its own header, and are nothing without it.
treadle_check_headers(treadle_headers_private "${treadle_src}" "${treadle_src}"
                      EXCLUDE "/cuda_cpu/compiler/|/vkfft/(application|cuda_words|opencl_words)\\.hpp$" LINK treadle_cuda_headers treadle_opencl_headers)
if(TARGET treadle_clang)
  treadle_check_headers(treadle_headers_compiler "${treadle_src}/cuda_cpu/compiler" "${treadle_src}"
                        LIKE treadle_clang)
endif()
if(TARGET _core)
  treadle_check_headers(treadle_headers_bindings "${PROJECT_SOURCE_DIR}/python/bindings"
                        "${PROJECT_SOURCE_DIR}/python/bindings" LIKE _core)
endif()

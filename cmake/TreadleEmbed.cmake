# SPDX-License-Identifier: MIT
# treadle_embed(TARGET FOLDER NAMESPACE): compiles the files below FOLDER into TARGET as
# NAMESPACE::embedded_files (treadle/base/embedded.hpp).
find_package(Python3 REQUIRED COMPONENTS Interpreter)
function(treadle_embed target folder namespace)
  string(REPLACE "::" "_" stem "${namespace}")
  set(output "${CMAKE_CURRENT_BINARY_DIR}/embedded_${stem}.cpp")
  file(GLOB_RECURSE files CONFIGURE_DEPENDS "${folder}/*")
  add_custom_command(OUTPUT "${output}"
    COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tools/embed_files.py" "${folder}" "${output}" "${namespace}"
    DEPENDS ${files} "${PROJECT_SOURCE_DIR}/tools/embed_files.py" VERBATIM)
  target_sources(${target} PRIVATE "${output}")
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/include")
endfunction()

# SPDX-License-Identifier: MIT
# treadle_embed(TARGET FOLDER NAMESPACE [FOLDER ...]): compiles the files below the folders into TARGET as
# NAMESPACE::embedded_files (treadle/base/embedded.hpp).
find_package(Python3 REQUIRED COMPONENTS Interpreter)
function(treadle_embed target folder namespace)
  string(REPLACE "::" "_" stem "${namespace}")
  set(output "${CMAKE_CURRENT_BINARY_DIR}/embedded_${stem}.cpp")
  set(folders "${folder}" ${ARGN})
  list(TRANSFORM folders APPEND "/*" OUTPUT_VARIABLE patterns)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS ${patterns})
  # Renaming a file does not change its time stamp; a digest of the names in the command line makes ninja notice.
  string(MD5 names "${files}")
  add_custom_command(OUTPUT "${output}"
    COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tools/embed_files.py" "${output}" "${namespace}" "${names}"
            ${folders}
    DEPENDS ${files} "${PROJECT_SOURCE_DIR}/tools/embed_files.py" VERBATIM)
  target_sources(${target} PRIVATE "${output}")
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/include")
endfunction()

# SPDX-License-Identifier: MIT
# The Python package: in the build folder, linked to the sources, and in the wheel.
#
#   build/python/treadle/_core*.so      the extension
#   build/python/treadle/lib -> build/lib
#   build/python/treadle/* -> python/treadle/*    an edited Python file takes effect at once
find_package(Python 3.10 REQUIRED COMPONENTS Interpreter Development.Module)
execute_process(COMMAND "${Python_EXECUTABLE}" -m nanobind --cmake_dir
                OUTPUT_VARIABLE nanobind_ROOT OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
find_package(nanobind CONFIG REQUIRED)

add_subdirectory(python/bindings)
target_compile_definitions(_core PRIVATE TREADLE_VERSION="${PROJECT_VERSION}")
foreach(library treadle_cpu treadle_clang)
  if(TARGET ${library})
    add_dependencies(_core ${library})
  endif()
endforeach()

set(treadle_live_package "${PROJECT_BINARY_DIR}/python/treadle")
set_target_properties(_core PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${treadle_live_package}")
file(GLOB entries CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}/python/treadle" "${PROJECT_SOURCE_DIR}/python/treadle/*")
list(REMOVE_ITEM entries __pycache__)
file(GLOB stale LIST_DIRECTORIES true "${treadle_live_package}/*")
foreach(link IN LISTS stale)
  if(IS_SYMLINK "${link}" AND NOT EXISTS "${link}")
    file(REMOVE "${link}")
  endif()
endforeach()
file(MAKE_DIRECTORY "${treadle_live_package}" "${PROJECT_BINARY_DIR}/lib")
foreach(entry IN LISTS entries)
  file(CREATE_LINK "${PROJECT_SOURCE_DIR}/python/treadle/${entry}" "${treadle_live_package}/${entry}" SYMBOLIC)
endforeach()
file(CREATE_LINK "${PROJECT_BINARY_DIR}/lib" "${treadle_live_package}/lib" SYMBOLIC)

install(TARGETS _core LIBRARY DESTINATION treadle COMPONENT python)

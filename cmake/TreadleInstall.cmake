# SPDX-License-Identifier: MIT
# Install component `cpp`: find_package(treadle). Component `python`: the contents of the wheel.
include(CMakePackageConfigHelpers)
set(treadle_config_dir "${CMAKE_INSTALL_LIBDIR}/cmake/treadle")
set(treadle_plugin_dir "${CMAKE_INSTALL_LIBDIR}/treadle")

install(TARGETS treadle_sparse treadle_tune treadle_fft treadle_linalg treadle_array treadle_device treadle_kernel
  EXPORT treadle-targets ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT cpp)
install(TARGETS treadle treadle_base treadle_process treadle_cuda treadle_opencl treadle_compile treadle_library treadle_memory treadle_codegen treadle_cuda_headers treadle_opencl_headers
  EXPORT treadle-targets ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT cpp)
install(EXPORT treadle-targets NAMESPACE treadle:: DESTINATION "${treadle_config_dir}" COMPONENT cpp)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/treadle" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT cpp)
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/treadle-config.cmake.in"
  "${PROJECT_BINARY_DIR}/treadle-config.cmake"
  INSTALL_DESTINATION "${treadle_config_dir}"
  PATH_VARS treadle_plugin_dir)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/treadle-config-version.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/treadle-config.cmake" "${PROJECT_BINARY_DIR}/treadle-config-version.cmake"
  DESTINATION "${treadle_config_dir}" COMPONENT cpp)

# The libraries that are opened at run time, with the files they read.
foreach(library treadle_cpu treadle_clang)
  if(TARGET ${library})
    get_target_property(data ${library} TREADLE_DATA_FILES)
    foreach(layout "cpp|${treadle_plugin_dir}" "python|treadle/lib")
      string(REPLACE "|" ";" layout "${layout}")
      list(GET layout 0 component)
      list(GET layout 1 folder)
      install(TARGETS ${library} LIBRARY DESTINATION "${folder}" COMPONENT ${component})
      if(data)
        install(FILES ${data} DESTINATION "${folder}" COMPONENT ${component})
      endif()
    endforeach()
  endif()
endforeach()

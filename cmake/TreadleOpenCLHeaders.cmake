# SPDX-License-Identifier: MIT
# treadle::opencl_headers: CL/cl.h, for building only; no OpenCL library is linked.
find_path(TREADLE_OPENCL_INCLUDE_DIR CL/cl_ext.h DOC "Folder of CL/cl.h, OpenCL 3.0")
if(NOT TREADLE_OPENCL_INCLUDE_DIR)
  message(FATAL_ERROR "CL/cl.h is missing: apt install opencl-c-headers, or set TREADLE_OPENCL_INCLUDE_DIR")
endif()

add_library(treadle_opencl_headers INTERFACE)
add_library(treadle::opencl_headers ALIAS treadle_opencl_headers)
# Adding the system's own folder would put it before the compiler's, and #include_next would fail.
if(NOT TREADLE_OPENCL_INCLUDE_DIR STREQUAL "/usr/include")
  target_include_directories(treadle_opencl_headers SYSTEM INTERFACE
                             "$<BUILD_INTERFACE:${TREADLE_OPENCL_INCLUDE_DIR}>")
endif()
set_target_properties(treadle_opencl_headers PROPERTIES EXPORT_NAME opencl_headers)

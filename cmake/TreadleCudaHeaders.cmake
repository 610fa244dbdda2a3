# SPDX-License-Identifier: MIT
# treadle::cuda_headers: cuda.h of a pinned nvidia-cuda-runtime wheel, the same on every machine,
# and the headers that tests pass to NVRTC.
set(TREADLE_CUDA_INCLUDE_DIR "" CACHE PATH "Folder of cuda.h; empty: the pinned wheel's, fetched from PyPI")

if(NOT TREADLE_CUDA_INCLUDE_DIR)
  set(treadle_cuda_headers "${PROJECT_SOURCE_DIR}/.cache/cuda-headers")
  if(NOT EXISTS "${treadle_cuda_headers}/cuda.h" OR NOT EXISTS "${treadle_cuda_headers}/cccl/cuda/atomic"
     OR NOT EXISTS "${treadle_cuda_headers}/mma.h")
    find_package(Python3 REQUIRED COMPONENTS Interpreter)
    execute_process(COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tools/fetch_cuda_headers.py"
                            "${treadle_cuda_headers}" COMMAND_ERROR_IS_FATAL ANY)
  endif()
  set(TREADLE_CUDA_INCLUDE_DIR "${treadle_cuda_headers}" CACHE PATH "" FORCE)
endif()

add_library(treadle_cuda_headers INTERFACE)
add_library(treadle::cuda_headers ALIAS treadle_cuda_headers)
target_include_directories(treadle_cuda_headers SYSTEM INTERFACE "$<BUILD_INTERFACE:${TREADLE_CUDA_INCLUDE_DIR}>")
set_target_properties(treadle_cuda_headers PROPERTIES EXPORT_NAME cuda_headers)

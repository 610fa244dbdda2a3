# SPDX-License-Identifier: MIT
# treadle_fft_sources: the folder of the pinned sources of ducc0's FFT and of VkFFT, fetched from PyPI.
set(TREADLE_FFT_SOURCES "" CACHE PATH "Folder of ducc0/fft/fft.h and vkFFT.h; empty: the pinned versions', fetched from PyPI")

set(treadle_fft_sources "${TREADLE_FFT_SOURCES}")
if(NOT treadle_fft_sources)
  set(treadle_fft_sources "${PROJECT_SOURCE_DIR}/.cache/fft-sources")
  if(NOT EXISTS "${treadle_fft_sources}/ducc0/fft/fftnd_impl.h" OR NOT EXISTS "${treadle_fft_sources}/vkFFT.h")
    find_package(Python3 REQUIRED COMPONENTS Interpreter)
    execute_process(COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tools/fetch_fft_sources.py" "${treadle_fft_sources}"
                    COMMAND_ERROR_IS_FATAL ANY)
  endif()
endif()

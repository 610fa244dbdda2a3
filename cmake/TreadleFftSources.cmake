# SPDX-License-Identifier: MIT
# treadle_ducc_dir: the folder of the pinned ducc0's sources, fetched from PyPI.
set(TREADLE_DUCC_INCLUDE_DIR "" CACHE PATH "Folder of ducc0/fft/fft.h; empty: the pinned version's, fetched from PyPI")

set(treadle_ducc_dir "${TREADLE_DUCC_INCLUDE_DIR}")
if(NOT treadle_ducc_dir)
  set(treadle_ducc_dir "${PROJECT_SOURCE_DIR}/.cache/fft-sources")
  if(NOT EXISTS "${treadle_ducc_dir}/ducc0/fft/fftnd_impl.h")
    find_package(Python3 REQUIRED COMPONENTS Interpreter)
    execute_process(COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tools/fetch_fft_sources.py" "${treadle_ducc_dir}"
                    COMMAND_ERROR_IS_FATAL ANY)
  endif()
endif()

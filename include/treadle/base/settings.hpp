// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace treadle {

/// Everything the environment can choose, read once, at the first call of settings().
/// docs/environment.md holds the same table; a test compares the two.
struct Settings {
  std::string device;  ///< TREADLE_DEVICE: cuda:0 | opencl:<platform>:<n> | cpu; empty: the best
  bool cache = true;   ///< TREADLE_CACHE: 0 keeps compiled kernels in memory only
  std::filesystem::path
      cache_dir;  ///< TREADLE_CACHE_DIR: folder of the disk cache; empty: the user's cache folder
  std::uint64_t cache_max_bytes =
      1ull << 30;              ///< TREADLE_CACHE_MAX_BYTES: size cap of the disk cache, in bytes
  std::string compiler;        ///< TREADLE_COMPILER: the compiler of CUDA C, by name; empty: NVRTC
  std::filesystem::path nvcc;  ///< TREADLE_NVCC: the nvcc to run; empty: the one on PATH
  std::filesystem::path
      libcuda;  ///< TREADLE_LIBCUDA: the driver library to open; empty: the system's
  std::filesystem::path compiler_library;  ///< TREADLE_LIBNVRTC: the NVRTC library to open; empty:
                                           ///< the best that is found
  std::filesystem::path
      library_dir;  ///< TREADLE_LIBRARY_DIR: folder of libtreadle_cpu and libtreadle_clang
  unsigned cpu_threads =
      0;  ///< TREADLE_CPU_THREADS: worker threads of the CPU device; 0: one per allowed core
  bool sync = false;  ///< TREADLE_SYNC: 1 waits after every launch, so an error names its kernel
  std::filesystem::path dump;  ///< TREADLE_DUMP: folder that receives every source that is compiled
};

/// The process's settings. Thread-safe; throws InvalidArgument naming the variable if a value is
/// malformed.
const Settings& settings();

}  // namespace treadle

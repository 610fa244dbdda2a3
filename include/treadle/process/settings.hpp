// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace treadle {

/// What compiled kernels of the CPU device look for while they run, beside what they compute.
struct Checks {
  bool memory = false;       ///< accesses outside every allocation, and misaligned ones
  bool race = false;         ///< two threads at one place of memory that nothing puts in order
  bool init = false;         ///< reads of memory that was never written
  bool sync = false;         ///< barriers that not all threads of the block reach
  bool determinism = false;  ///< other bits if blocks and warps run in another order

  bool any() const noexcept { return memory || race || init || sync || determinism; }
  /// The names of those that are on, in the order above, separated by commas.
  std::string names() const;
  /// The reverse, in any order; empty where a name is unknown.
  static std::optional<Checks> parse(std::string_view names);
  bool operator==(const Checks&) const = default;
};

/// Everything the environment can choose, read once, at the first call of settings().
/// docs/environment.md holds the same table; a test compares the two.
struct Settings {
  /// Paths are as the variables have them: nothing is made absolute or looked up.
  using Path = std::filesystem::path;
  /// TREADLE_DEVICE: cuda:0 | opencl:<platform>:<n> | cpu; empty: the best there is
  std::string device;
  /// TREADLE_CACHE: 0 keeps compiled kernels in memory only
  bool cache = true;
  /// TREADLE_CACHE_DIR: folder of the disk cache; empty: the user's cache folder
  Path cache_dir;
  /// TREADLE_SHARED_CACHE_DIR: folders of others that are read, never written; separated by colons
  std::vector<Path> shared_cache_dirs;
  /// TREADLE_CACHE_MAX_BYTES: size cap of the disk cache, in bytes
  std::uint64_t cache_max_bytes = 1ull << 30;
  /// TREADLE_COMPILER: the compiler of CUDA C, by name; empty: NVRTC
  std::string compiler;
  /// TREADLE_NVCC: the nvcc to run; empty: the one on PATH
  Path nvcc;
  /// TREADLE_LIBCUDA: the driver library to open; empty: the system's
  Path libcuda;
  /// TREADLE_LIBOPENCL: the OpenCL loader to open; empty: the system's
  Path libopencl;
  /// TREADLE_OPENCL_CPU_AS_GPU: 1 lets the processors of an OpenCL platform without a GPU answer
  /// programs of treadle.pyopencl that ask for one
  bool opencl_cpu_as_gpu = false;
  /// TREADLE_LIBNVRTC: the NVRTC library to open; empty: the best that is found
  Path compiler_library;
  /// TREADLE_LIBRARIES: libraries of others to open in the place of those that are found, by name:
  /// blas=PATH,cublas=PATH; docs/environment.md lists the names
  std::map<std::string, Path> libraries;
  /// TREADLE_LIBRARY_DIR: folder of libtreadle_cpu and libtreadle_clang; empty: beside this code
  Path library_dir;
  /// TREADLE_MEASURE: 0 measures no library against generated kernels: what was measured before
  /// decides, else a rule
  bool measure = true;
  /// TREADLE_CPU_THREADS: worker threads of the CPU device; 0: one per core the process may use
  unsigned cpu_threads = 0;
  /// TREADLE_CPU_MEMORY_BYTES: memory of the CPU device, in bytes; 0: three quarters of what is
  /// available when the process first asks
  std::uint64_t cpu_memory_bytes = 0;
  /// TREADLE_POOL_SECONDS: how long memory that arrays have given up is kept for the next ones,
  /// after which the device's pool gives it back at its next use; 0: for ever
  unsigned pool_seconds = 1;
  /// TREADLE_POOL_PERCENT: how much of a device's memory its pool keeps so, in percent
  unsigned pool_percent = 25;
  /// TREADLE_CHECK: what kernels of the CPU device look for: memory,race,init,sync,determinism
  Checks checks;
  /// TREADLE_WATCHDOG: seconds a kernel of the CPU device may run; 0: for ever
  unsigned watchdog_seconds = 0;
  /// TREADLE_SYNC: 1 waits after every launch, so an error names its kernel
  bool sync = false;
  /// TREADLE_STRICT: 1 makes errors of warnings about kernel arguments that contradict the kernel's
  /// declaration
  bool strict = false;
  /// TREADLE_PYCUDA_CUDA_VERSION: the CUDA version that treadle.pycuda tells programs, as the
  /// driver writes it (11080 for 11.8); 0: the true one
  int pycuda_cuda_version = 0;
  /// TREADLE_DUMP: folder that receives every source that is compiled
  Path dump;
  /// TREADLE_TRACE: file that receives the times of compiles, copies and launches; with a + before
  /// it, adds to the trace that is there
  Path trace;
  /// TREADLE_COVERAGE: file in which kernels of the CPU device count who comes to which line
  Path coverage;
};

/// The value of an environment variable; null if it is not set.
using VariableLookup = std::function<const char*(const char* name)>;
/// Settings from variables that `lookup` finds. Throws InvalidArgument naming the variable if a
/// value is malformed.
Settings read_settings(const VariableLookup& lookup);

/// The process's settings, from its environment. Thread-safe; throws as read_settings.
const Settings& settings();

}  // namespace treadle

// SPDX-License-Identifier: MIT
// cuRAND as an object: NVIDIA's generators of random numbers, called by the host. No room needs
// them, since generated kernels give cuRAND's numbers on every device (curand_kernel.h, and the
// generators of PyCUDA's face); they are here for programs that want the library itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "treadle/cuda/context.hpp"
#include "treadle/process/library.hpp"

namespace treadle::library {

/// The entry points, under the names of curand.def.
struct CurandTable {
#define TREADLE_CURAND(member, exported, parameters) int(*member) parameters = nullptr;
#include "treadle/library/curand.def"
};

/// One library. Never changes, and any thread may call through it.
class Curand {
 public:
  /// The process's, opened by the first call, as Cublas::load() does. Throws LibraryNotFound.
  static std::shared_ptr<const Curand> load(int cuda_version);
  /// The same for a context; null where there is none, and for a context of the CPU device.
  static std::shared_ptr<const Curand> find(const cuda::Context& context);
  /// A library of the caller's. Throws LibraryNotFound for one that lacks an entry point.
  explicit Curand(SharedLibrary library);
  /// A table that the caller filled in.
  explicit Curand(const CurandTable& table) : table_(table) {}

  /// Its entry points, none of them null.
  const CurandTable& table() const noexcept { return table_; }
  /// Where it lies; empty for a table of the caller's.
  const std::filesystem::path& path() const noexcept { return path_; }
  /// "10.3.10"; empty where it does not tell.
  const std::string& version() const noexcept { return version_; }
  /// Throws DeviceError, OutOfMemory for want of memory, with the routine, the status in words and
  /// what `detail` tells, unless the status is that of success.
  static void check(int status, const char* routine,
                    const std::function<std::string()>& detail = {});

 private:
  CurandTable table_;
  std::filesystem::path path_;
  std::string version_;
};

/// Which sequence a generator has, by cuRAND's numbers.
enum class CurandKind : int {
  xorwow = 101,
  mrg32k3a = 121,
  mtgp32 = 141,
  mt19937 = 142,
  philox = 161
};

/// A generator in a context, for all of its streams; the caller orders calls on different streams,
/// since each changes the state on the device. One thread at a time. All throw as
/// Curand::check().
class CurandGenerator {
 public:
  /// Begins with the seed, behind `offset` numbers of its sequence. mt19937 takes no offset but 0.
  CurandGenerator(std::shared_ptr<const Curand> library, const cuda::Context& context,
                  CurandKind kind, std::uint64_t seed, std::uint64_t offset = 0);
  ~CurandGenerator();
  CurandGenerator(const CurandGenerator&) = delete;
  CurandGenerator& operator=(const CurandGenerator&) = delete;

  /// Queues the next `count` numbers of 32 bits on a stream (CUstream), to an address there.
  void bits(std::uint64_t stream, std::uint64_t place, std::size_t count);
  /// The same from the interval (0, 1]: float32, or float64.
  void uniform(std::uint64_t stream, std::uint64_t place, std::size_t count, bool is_double);
  /// The same from a normal distribution. `count` has to be even.
  void normal(std::uint64_t stream, std::uint64_t place, std::size_t count, bool is_double,
              double mean = 0, double deviation = 1);

 private:
  void run(std::uint64_t stream, const char* routine, std::size_t count,
           const std::function<int(const CurandTable&)>& generate);

  std::shared_ptr<const Curand> library_;
  cuda::Context context_;
  void* raw_ = nullptr;
};

}  // namespace treadle::library

// SPDX-License-Identifier: MIT
// CLBlast as an object: products of matrices in buffers of OpenCL, on queues of the caller's.
#pragma once

#include <complex>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <tuple>

#include "treadle/process/library.hpp"

namespace treadle::library {

/// The entry points for one dtype, under the names of clblast.def.
template <class T>
struct ClblastRoutines {
#define TREADLE_CLBLAST(member, name, parameters) int(*member) parameters = nullptr;
#include "treadle/library/clblast.def"
};

/// All of them, by dtype.
using ClblastTable =
    std::tuple<ClblastRoutines<float>, ClblastRoutines<double>,
               ClblastRoutines<std::complex<float>>, ClblastRoutines<std::complex<double>>>;

/// CLBlast's numbers for its enumerations.
struct ClblastWords {
  static constexpr int column_major = 102, plain = 111, transposed = 112;  ///< how a is read
};

/// One library. Never changes, and any thread may call through it. It compiles its kernels for a
/// dtype and a device when they are first called, which takes seconds.
class Clblast {
 public:
  /// The process's, opened by the first call: what TREADLE_LIBRARIES names as `clblast`, else the
  /// system's. Throws LibraryNotFound.
  static std::shared_ptr<const Clblast> load();
  /// A library of the caller's. Throws LibraryNotFound for one that lacks an entry point.
  explicit Clblast(SharedLibrary library);
  /// A table that the caller filled in.
  explicit Clblast(const ClblastTable& table) : table_(table) {}

  /// Those of one dtype, none of them null.
  template <class T>
  const ClblastRoutines<T>& routines() const noexcept {
    return std::get<ClblastRoutines<T>>(table_);
  }
  /// Where it lies; empty for a table of the caller's.
  const std::filesystem::path& path() const noexcept { return path_; }
  /// "1.5.3", from the name of its file: it has no function that tells. Empty where that does not
  /// tell either.
  const std::string& version() const noexcept { return version_; }
  /// Throws DeviceError, OutOfMemory for want of memory, with the routine, the status in words and
  /// what `detail` tells, unless the status is that of success.
  static void check(int status, const char* routine,
                    const std::function<std::string()>& detail = {});

 private:
  ClblastTable table_;
  std::filesystem::path path_;
  std::string version_;
};

}  // namespace treadle::library

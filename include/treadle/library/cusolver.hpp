// SPDX-License-Identifier: MIT
// cuSOLVER as an object: NVIDIA's decompositions of dense matrices, column by column as LAPACK has
// them.
#pragma once

#include <complex>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <tuple>

#include "treadle/library/host_blas.hpp"
#include "treadle/library/stream_handle.hpp"
#include "treadle/process/library.hpp"

namespace treadle::library {

/// The entry points for one dtype, under the names of cusolver.def.
template <class T>
struct CusolverRoutines {
  using Real = typename Magnitude<T>::Type;  ///< of a magnitude
#define TREADLE_CUSOLVER(member, exported, parameters)
#define TREADLE_CUSOLVER_OF(member, name, of_complex, parameters) int(*member) parameters = nullptr;
#include "treadle/library/cusolver.def"
};

/// All of them.
struct CusolverTable {
#define TREADLE_CUSOLVER(member, exported, parameters) int(*member) parameters = nullptr;
#define TREADLE_CUSOLVER_OF(member, name, of_complex, parameters)
#include "treadle/library/cusolver.def"
  std::tuple<CusolverRoutines<float>, CusolverRoutines<double>,
             CusolverRoutines<std::complex<float>>, CusolverRoutines<std::complex<double>>>
      routines;  ///< by dtype
};

/// cuSOLVER's numbers for its enumerations.
struct CusolverWords {
  static constexpr int plain = 0, lower = 0, upper = 1, values = 0, values_and_vectors = 1;
};

/// One library. Never changes, and any thread may call through it.
class Cusolver {
 public:
  /// The process's, opened by the first call, as Cublas::load() does. Throws LibraryNotFound.
  static std::shared_ptr<const Cusolver> load(int cuda_version);
  /// A library of the caller's. Throws LibraryNotFound for one that lacks an entry point.
  explicit Cusolver(SharedLibrary library);
  /// A table that the caller filled in.
  explicit Cusolver(const CusolverTable& table) : table_(table) {}

  /// Its entry points, none of them null.
  const CusolverTable& table() const noexcept { return table_; }
  /// Those of one dtype.
  template <class T>
  const CusolverRoutines<T>& routines() const noexcept {
    return std::get<CusolverRoutines<T>>(table_.routines);
  }
  /// Where it lies; empty for a table of the caller's.
  const std::filesystem::path& path() const noexcept { return path_; }
  /// "12.0.4"; empty where it does not tell.
  const std::string& version() const noexcept { return version_; }
  /// Throws DeviceError, OutOfMemory for want of memory, with the routine, the status in words and
  /// what `detail` tells, unless the status is that of success.
  static void check(int status, const char* routine,
                    const std::function<std::string()>& detail = {});

  // What StreamHandle asks of a library. The context is current.
  /// A new handle.
  void* create_handle() const;
  /// Its end.
  void destroy_handle(void* handle) const noexcept { table_.destroy(handle); }
  /// The workspace is passed to each routine.
  void set_stream(void* handle, std::uint64_t stream, const HandleWorkspace& workspace) const;

 private:
  CusolverTable table_;
  std::filesystem::path path_;
  std::string version_;
};

/// A handle of cuSOLVER.
using CusolverHandle = StreamHandle<Cusolver>;

}  // namespace treadle::library

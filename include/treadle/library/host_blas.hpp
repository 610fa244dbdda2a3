// SPDX-License-Identifier: MIT
// A CBLAS and LAPACK of the host as an object: OpenBLAS, MKL or the reference, with integers of 32
// or 64 bits and whatever they call their functions.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "treadle/process/library.hpp"

namespace treadle::library {

/// How C passes a scalar: a real number by value, a complex one by address.
template <class T>
using Factor = std::conditional_t<std::is_floating_point_v<T>, T, const void*>;
/// The dtype of a magnitude: float of std::complex<float>.
template <class T>
struct Magnitude {
  using Type = T;
};
template <class T>
struct Magnitude<std::complex<T>> {
  using Type = T;
};

/// The entry points for one dtype: pointers under the names of host_blas.def, null where the
/// library lacks one.
template <class T, class Int>
struct HostRoutines {
  using Real = typename Magnitude<T>::Type;  ///< of a magnitude
#define TREADLE_CBLAS(name, parameters) void(*name) parameters = nullptr;
#define TREADLE_LAPACK(name, of_complex, parameters) void(*name) parameters = nullptr;
#define TREADLE_LAPACK_REAL(member, name, parameters) void(*member) parameters = nullptr;
#define TREADLE_LAPACK_COMPLEX(member, name, parameters) void(*member) parameters = nullptr;
#include "treadle/library/host_blas.def"
};

/// CBLAS's numbers for its enumerations.
struct Cblas {
  static constexpr int row_major = 101, column_major = 102, plain = 111, transposed = 112,
                       conjugate_transposed = 113;
};

/// One library. Never changes, and any thread may call through it.
class HostBlas {
 public:
  /// The process's, opened by the first call: what TREADLE_LIBRARIES names as `blas`, else the best
  /// that is found. Throws LibraryNotFound.
  static std::shared_ptr<const HostBlas> load();
  /// A library of the caller's. LAPACK is looked for in `lapack` where `blas` has none. Throws
  /// LibraryNotFound if it has no cblas_dgemm under any of the names that are known.
  explicit HostBlas(SharedLibrary blas, std::vector<SharedLibrary> lapack = {});

  /// Where it lies.
  const std::filesystem::path& path() const noexcept { return blas_.path(); }
  /// What it says of itself: "OpenBLAS 0.3.30 ..."; empty where it says nothing.
  const std::string& version() const noexcept { return version_; }
  /// 4 or 8.
  unsigned integer_bytes() const noexcept { return integer_bytes_; }
  /// Whether it has LAPACK.
  bool has_lapack() const noexcept { return has_lapack_; }

  /// Calls `function` with the HostRoutines of T, in the library's integers.
  template <class T, class F>
  decltype(auto) call(F&& function) const {
    if (integer_bytes_ == 8) return function(std::get<HostRoutines<T, std::int64_t>>(routines_));
    return function(std::get<HostRoutines<T, std::int32_t>>(routines_));
  }

  /// The address of any function by its plain name, for callers that declare it themselves:
  /// "cblas_zhemv", or LAPACK's as Fortran calls it, "dgesvd_". Null if the library has none.
  void* symbol(const std::string& name) const;

  /// Threads of the library's that work at a call; 0 where it does not tell.
  int threads() const;
  /// Sets it, for the whole process: a library that NumPy uses as well has one number for both.
  void set_threads(int count) const;

 private:
  template <class Int>
  using Of =
      std::tuple<HostRoutines<float, Int>, HostRoutines<double, Int>,
                 HostRoutines<std::complex<float>, Int>, HostRoutines<std::complex<double>, Int>>;
  using Routines = decltype(std::tuple_cat(Of<std::int32_t>{}, Of<std::int64_t>{}));

  template <class Int>
  void fill_all(const std::string& prefix, const std::string& suffix);

  SharedLibrary blas_;
  std::vector<SharedLibrary> lapack_;
  std::string prefix_, suffix_;  // of the names that it exports
  std::string version_;
  unsigned integer_bytes_ = 4;
  bool has_lapack_ = false;
  Routines routines_;
  int (*get_threads_)() = nullptr;
  void (*set_threads_)(int) = nullptr;

  friend class BlasThreads;
  mutable std::mutex threads_mutex_;
  mutable int thread_changes_ = 0, threads_before_ = 0;  // of BlasThreads
};

/// For a time the library works with as many threads, and afterwards with as many as before. Where
/// such times overlap, the last to begin counts, and the last to end restores the number that was
/// there before all of them.
class BlasThreads {
 public:
  BlasThreads(const HostBlas& blas, int count);
  ~BlasThreads();
  BlasThreads(const BlasThreads&) = delete;
  BlasThreads& operator=(const BlasThreads&) = delete;

 private:
  const HostBlas& blas_;
  bool changes_ = false;
};

}  // namespace treadle::library

// SPDX-License-Identifier: MIT
// cuBLAS as an object: NVIDIA's products of matrices, column by column as Fortran has them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "treadle/base/dtype.hpp"
#include "treadle/library/stream_handle.hpp"
#include "treadle/process/library.hpp"

namespace treadle::library {

/// The entry points, under the names of cublas.def.
struct CublasTable {
#define TREADLE_CUBLAS(member, exported, parameters) int(*member) parameters = nullptr;
#include "treadle/library/cublas.def"
};

/// cuBLAS's numbers for its enumerations.
struct CublasWords {
  static constexpr int plain = 0, transposed = 1;  ///< how a factor is read
  /// Nothing of float32 is computed in TF32, and sums of float16 are float32 to their end.
  static constexpr int default_math = 0, whole_sums = 16;
  static constexpr int default_algorithm = -1;
};

/// How a dtype is multiplied: the number of what is stored, of what sums are made in, and 1 and 0
/// of that.
struct CublasType {
  int stored, computed;
  const void *one, *zero;
};
/// None for dtypes that cuBLAS does not multiply without loss: integers and bool.
std::optional<CublasType> cublas_type(Scalar dtype) noexcept;

/// One library. Never changes, and any thread may call through it.
class Cublas {
 public:
  /// The process's, opened by the first call: what TREADLE_LIBRARIES names as `cublas`, else the
  /// newest that a driver of this version of CUDA runs (13000 is 13.0; 0: any). Throws
  /// LibraryNotFound.
  static std::shared_ptr<const Cublas> load(int cuda_version);
  /// A library of the caller's. Throws LibraryNotFound for one that lacks an entry point.
  explicit Cublas(SharedLibrary library);
  /// A table that the caller filled in.
  explicit Cublas(const CublasTable& table) : table_(table) {}

  /// Its entry points, none of them null.
  const CublasTable& table() const noexcept { return table_; }
  /// Where it lies; empty for a table of the caller's.
  const std::filesystem::path& path() const noexcept { return path_; }
  /// "13.1.0"; empty where it does not tell.
  const std::string& version() const noexcept { return version_; }
  /// Throws DeviceError, OutOfMemory for want of memory, with the routine, the status in words and
  /// what `detail` tells, unless the status is that of success.
  static void check(int status, const char* routine,
                    const std::function<std::string()>& detail = {});

  /// What NVIDIA advises as a workspace on a device: with less, some products are slower.
  static std::size_t workspace_bytes(const cuda::Context& context);

  // What StreamHandle asks of a library. The context is current.
  /// A new handle, for float32 without TF32 and sums of float16 in float32.
  void* create_handle() const;
  /// Its end.
  void destroy_handle(void* handle) const noexcept { table_.destroy(handle); }
  /// With a workspace calls allocate nothing: they can be captured in a graph.
  void set_stream(void* handle, std::uint64_t stream, const HandleWorkspace& workspace) const;

 private:
  CublasTable table_;
  std::filesystem::path path_;
  std::string version_;
};

/// A handle of cuBLAS.
using CublasHandle = StreamHandle<Cublas>;

}  // namespace treadle::library

// SPDX-License-Identifier: MIT
// cuSPARSE as an object: NVIDIA's products of matrices in compressed rows with vectors, with dense
// matrices and with each other, through its generic interface.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "treadle/base/dtype.hpp"
#include "treadle/library/stream_handle.hpp"
#include "treadle/process/library.hpp"

namespace treadle::library {

/// The entry points, under the names of cusparse.def.
struct CusparseTable {
#define TREADLE_CUSPARSE(member, exported, parameters) int(*member) parameters = nullptr;
#include "treadle/library/cusparse.def"
};

/// cuSPARSE's numbers for its enumerations.
struct CusparseWords {
  static constexpr int plain = 0;        ///< an operand that is not transposed
  static constexpr int int32 = 2;        ///< a type of starts and indices
  static constexpr int from_zero = 0;    ///< how indices are counted
  static constexpr int row_by_row = 2;   ///< C's order of dense elements
  static constexpr int vector_sums = 3;  ///< SpMV whose sums repeat bit for bit
  static constexpr int dense_sums = 12;  ///< SpMM whose sums repeat bit for bit
  static constexpr int any_product = 0;  ///< the default of SpGEMM; values may differ by rounding
};

/// The number of a dtype that cuSPARSE multiplies, and 1 and 0 of it.
struct CusparseType {
  int stored;              ///< of elements and of sums
  const void *one, *zero;  ///< in the host's memory
};
/// None for dtypes other than float32, float64 and complex numbers of these.
std::optional<CusparseType> cusparse_type(Scalar dtype) noexcept;

/// One library. Never changes, and any thread may call through it.
class Cusparse {
 public:
  /// The process's, opened by the first call, as Cublas::load() does. Throws LibraryNotFound.
  static std::shared_ptr<const Cusparse> load(int cuda_version);
  /// A library of the caller's. Throws LibraryNotFound for one that lacks an entry point.
  explicit Cusparse(SharedLibrary library);
  /// A table that the caller filled in.
  explicit Cusparse(const CusparseTable& table) : table_(table) {}

  /// Its entry points, none of them null.
  const CusparseTable& table() const noexcept { return table_; }
  /// Where it lies; empty for a table of the caller's.
  const std::filesystem::path& path() const noexcept { return path_; }
  /// "12.5.10"; empty where it does not tell.
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
  CusparseTable table_;
  std::filesystem::path path_;
  std::string version_;
};

/// A handle of cuSPARSE.
using CusparseHandle = StreamHandle<Cusparse>;

/// A matrix in compressed rows in memory of the device: addresses of int32 starts, one more than
/// rows, of int32 columns and of values, one for each entry.
struct CusparseRows {
  std::int64_t rows = 0, columns = 0, entries = 0;    ///< the matrix's
  std::uint64_t starts = 0, indices = 0, values = 0;  ///< 0: not known yet
};
/// A dense vector, or a matrix row by row.
struct CusparseDense {
  std::int64_t rows = 0;
  std::int64_t columns = 0;  ///< 0: a vector
  std::uint64_t values = 0;  ///< address of the first element
};

/// A descriptor of the library, which it ends.
class CusparseDescriptor {
 public:
  /// Of a sparse matrix. Throws as Cusparse::check(); so does what follows.
  CusparseDescriptor(std::shared_ptr<const Cusparse> library, const CusparseRows& rows, int type);
  /// Of a dense operand.
  CusparseDescriptor(std::shared_ptr<const Cusparse> library, const CusparseDense& dense, int type);
  /// Of a product of two sparse matrices.
  explicit CusparseDescriptor(std::shared_ptr<const Cusparse> library);
  ~CusparseDescriptor();
  CusparseDescriptor(const CusparseDescriptor&) = delete;
  CusparseDescriptor& operator=(const CusparseDescriptor&) = delete;

  void* raw() const noexcept { return raw_; }  ///< for calls of the library

 private:
  std::shared_ptr<const Cusparse> library_;
  int (*CusparseTable::*end_)(void*);
  void* raw_ = nullptr;
};

/// What calls work with.
struct CusparseCall {
  const CusparseHandle& cusparse;  ///< whose library is called
  void* handle;                    ///< set to the stream
  CusparseType type;               ///< of all elements
  /// Gives memory of the device that lasts until the work of the call has run.
  std::function<std::uint64_t(std::size_t size_bytes)> scratch;
};

/// Queues result = a x. Sums repeat bit for bit. Throws as Cusparse::check(), and as `scratch`.
void multiply_by_cusparse(const CusparseCall& call, const CusparseRows& a, const CusparseDense& x,
                          const CusparseDense& result);

/// The product of two sparse matrices, in two steps: how many entries it has, then the entries.
class CusparseProduct {
 public:
  /// Multiplies, and waits for the number of entries; the scratch has to last as long as the
  /// object. Throws as Cusparse::check(), and as `scratch`.
  CusparseProduct(const CusparseCall& call, const CusparseRows& a, const CusparseRows& b);

  /// Of the result.
  std::int64_t entries() const noexcept { return entries_; }
  /// Queues the copy of the result to where starts, indices and values of `place` are, on the same
  /// stream. Throws as Cusparse::check().
  void store(void* handle, const CusparseRows& place) const;

 private:
  const CusparseTable& table_;
  CusparseType type_;
  CusparseDescriptor a_, b_, c_, product_;
  std::int64_t entries_ = 0;
};

}  // namespace treadle::library

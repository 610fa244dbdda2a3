// SPDX-License-Identifier: MIT
// One interface over the formats of sparse matrices: whatever needs products takes any of them.
//
//   CooMatrix      entries in any order                  coo_matrix.hpp
//   CsrMatrix      compressed rows                       csr_matrix.hpp
//   BsrMatrix      compressed rows of dense blocks       bsr_matrix.hpp
//   EllMatrix      rows filled up to one length          ell_matrix.hpp
//   SellMatrix     the same for each slice of rows       ell_matrix.hpp
//   HybMatrix      rows of usual length, and the rest    ell_matrix.hpp
//   DiaMatrix      diagonals                             dia_matrix.hpp
//   StencilMatrix  diagonals of one number each          dia_matrix.hpp
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "treadle/array/array.hpp"
#include "treadle/base/dtype.hpp"
#include "treadle/kernel/sparse_product.hpp"

namespace treadle::sparse {

using array::Array;

class CsrMatrix;

/// The size of a matrix.
struct MatrixSize {
  std::int64_t rows, columns;  ///< how many
  bool operator==(const MatrixSize&) const = default;
};

/// What a kernel reads of a matrix for its product with a vector.
struct ProductParts {
  kernel::SparseProduct product;               ///< layout, sizes and dtypes
  Array data = {}, columns = {}, starts = {};  ///< those that the layout has
  Array order = {};                            ///< with classes of rows
};

/// A sparse matrix on a device, in whichever format. Never changes, but through its arrays; copies
/// share them. Any thread.
class SparseMatrix {
 public:
  virtual ~SparseMatrix() = default;

  /// SciPy's name where it has the format: "csr".
  virtual std::string_view format() const noexcept = 0;
  /// How many elements are stored, zeros as well; what only fills rows up is none.
  virtual std::int64_t entries() const = 0;
  /// In compressed rows. Waits for the number of entries where the format fills rows up.
  virtual CsrMatrix to_csr() const = 0;
  /// About what a product reads beside vectors.
  virtual std::int64_t size_bytes() const = 0;

  const MatrixSize& size() const noexcept { return size_; }  ///< rows and columns
  const DType& dtype() const noexcept { return dtype_; }     ///< of the elements
  /// On whose device it is.
  const std::shared_ptr<device::Stream>& stream() const noexcept { return stream_; }

  /// The product with a vector, or with each column of a matrix; pending, as the results of
  /// operations are (a HybMatrix adds its rest at once). float16 and bfloat16 are multiplied and
  /// added in float32. An infinity or NaN of x counts in the rows alone that have an entry there.
  /// Throws ShapeError for another length, InvalidArgument for another device.
  Array multiply(const Array& x) const;
  /// For kernels that multiply by a vector of that dtype and do more; none where a product is
  /// several launches.
  std::optional<ProductParts> product_parts(Scalar dtype) const;

 protected:
  SparseMatrix(const MatrixSize& size, const DType& dtype, std::shared_ptr<device::Stream> stream);
  SparseMatrix(const SparseMatrix&) = default;
  SparseMatrix(SparseMatrix&&) = default;
  SparseMatrix& operator=(const SparseMatrix&) = default;
  SparseMatrix& operator=(SparseMatrix&&) = default;

  /// The layout, its numbers and arrays. product_parts() fills in sizes and dtypes.
  virtual std::optional<ProductParts> parts(Scalar dtype) const = 0;
  /// The product by a dense x of the dtype, a vector or a matrix that has columns. Overridden where
  /// there are no parts.
  virtual Array product(const Array& x, Scalar dtype) const;

 private:
  MatrixSize size_;
  DType dtype_;
  std::shared_ptr<device::Stream> stream_;
};

/// multiply(), by NumPy's name.
inline Array matmul(const SparseMatrix& a, const Array& x) { return a.multiply(x); }

}  // namespace treadle::sparse

namespace treadle {

using sparse::MatrixSize;
using sparse::SparseMatrix;

}  // namespace treadle

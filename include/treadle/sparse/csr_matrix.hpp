// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>

#include "treadle/array/array.hpp"
#include "treadle/sparse/sparse_matrix.hpp"

namespace treadle::sparse {

/// A sparse matrix in compressed rows (CSR) on a device. Entries of a row lie one behind the other,
/// columns in any order; a column that comes several times counts as the sum. Never changes, but
/// through its arrays; copies share them. Any thread.
class CsrMatrix final : public SparseMatrix {
 public:
  /// `data` and `indices`, the columns, of each entry; row r has the entries from offsets[r] to
  /// before offsets[r + 1]. Indices become int32 or stay int64, offsets become int64. Looks at
  /// indices and offsets, and waits. Throws ShapeError for axes and lengths that do not fit,
  /// DTypeError for other indices than integers and data that are no numbers, IndexError for a
  /// column beyond the size, InvalidArgument for offsets that go down or do not end with the
  /// entries, and for arrays of several devices.
  CsrMatrix(const Array& data, const Array& indices, const Array& offsets, const MatrixSize& size);
  /// Of entries in any order, at (row, column); those of one place are added, in their order. On
  /// the device; waits for the number of places. Throws as the constructor.
  static CsrMatrix from_entries(const Array& data, const Array& rows, const Array& columns,
                                const MatrixSize& size);
  /// The elements of a matrix that are not 0. Waits for their number. Throws ShapeError unless
  /// there are two axes.
  static CsrMatrix from_dense(const Array& x);
  /// As from_entries(), of indices that are known to be within the size.
  static CsrMatrix assembled(const Array& data, const Array& rows, const Array& columns,
                             const MatrixSize& size);
  /// The same of entries whose rows go up; they stay as they are.
  static CsrMatrix of_ordered(const Array& data, const Array& rows, const Array& columns,
                              const MatrixSize& size);

  std::string_view format() const noexcept override { return "csr"; }
  std::int64_t entries() const override { return data_.size(); }
  CsrMatrix to_csr() const override { return *this; }
  std::int64_t size_bytes() const override;

  const Array& data() const noexcept { return data_; }        ///< of each entry
  const Array& indices() const noexcept { return indices_; }  ///< columns: int32 or int64
  const Array& offsets() const noexcept { return offsets_; }  ///< int64, one more than rows
  /// The row of each entry, int64.
  Array rows() const;
  /// Whether columns of each row go up, equal ones side by side. Waits.
  bool has_sorted_indices() const;
  /// The same where no column comes several times in a row. Waits.
  bool is_canonical() const;
  /// With columns in order, and those of one place added: itself if it is so already. Waits.
  CsrMatrix canonical() const;
  /// With columns in order; entries of one place stay. Waits.
  CsrMatrix sorted() const;
  /// Without entries that are 0. Waits for their number.
  CsrMatrix without_zeros() const;

  /// The transposed matrix, whose columns are in order; entries of one place stay.
  CsrMatrix transposed() const;
  /// All elements, in two axes.
  Array dense() const;
  /// The elements at (k, k + offset). Throws InvalidArgument for a diagonal that is not there.
  Array diagonal(std::int64_t offset = 0) const;
  /// The sums of the rows (axis 1), of the columns (axis 0), or of all elements.
  Array sum(std::optional<int> axis = {}) const;
  /// The largest, or the least, of all elements of each row (axis 1), each column (axis 0), or of
  /// all; what is not stored counts as 0. Waits where columns are asked for. Throws InvalidArgument
  /// for rows or columns without elements, DTypeError for complex numbers.
  Array largest(std::optional<int> axis = {}) const;
  Array least(std::optional<int> axis = {}) const;  ///< the least
  /// The same elements in C's order in rows of another length. Throws ShapeError for another number
  /// of them.
  CsrMatrix reshaped(const MatrixSize& size) const;
  /// The same places with other elements. Throws ShapeError for another number of them.
  CsrMatrix with_data(const Array& data) const;
  /// The same matrix, whose products with vectors give each row as many work-items of a GPU as its
  /// length is worth: for rows of very different lengths. Keeps the order of rows by length beside
  /// it, and waits for their numbers. Itself on the narrow schedule, that of processors, which deal
  /// rows as they are done. Without a schedule it is the device's own.
  CsrMatrix by_length(std::optional<Schedule> schedule = {}) const;
  /// Whether it is one of those.
  bool is_by_length() const noexcept { return classes_.has_value(); }
  /// The same matrix, whose products with arrays of its dtype are cuSPARSE's; itself where there is
  /// none, or it does not take the matrix. Products throw DeviceError where cuSPARSE refuses.
  CsrMatrix by_library() const;
  /// Whether it is one of those.
  bool is_by_library() const noexcept { return library_starts_.has_value(); }
  /// The sum of two matrices. Throws ShapeError for another size; as from_entries().
  CsrMatrix plus(const CsrMatrix& other) const;
  /// The product with another sparse matrix, with columns in order. On NVIDIA's GPUs cuSPARSE makes
  /// it where it is found and takes both matrices, which are of one dtype. Processors count the
  /// columns of each row and add its products into them; GPUs make all products of entries, sort
  /// them by their places and add. Waits for their numbers. Throws ShapeError for sizes that do not
  /// fit.
  CsrMatrix multiply(const CsrMatrix& other) const;
  using SparseMatrix::multiply;
  /// The product element by element, at places that both have. Throws ShapeError for another size.
  CsrMatrix times(const CsrMatrix& other) const;
  /// The same with a dense array of two axes that broadcasts to this size.
  CsrMatrix times(const Array& other) const;
  /// With these elements at (k, k + offset), one for each or one for all; other entries stay.
  /// Throws ShapeError for another number of them, and as diagonal().
  CsrMatrix with_diagonal(const Array& values, std::int64_t offset = 0) const;
  /// The same matrix in arrays of its own, which are made when one is needed.
  CsrMatrix copied() const;
  /// Rows from `first` to before `last`. Waits for two offsets. Throws IndexError beyond the size.
  CsrMatrix rows_between(std::int64_t first, std::int64_t last) const;
  /// The rows of these numbers, int64 of one axis, in their order. Looks at them, and waits. Throws
  /// IndexError for one that is not there.
  CsrMatrix rows_at(const Array& rows) const;

 protected:
  std::optional<ProductParts> parts(Scalar dtype) const override;
  Array product(const Array& x, Scalar dtype) const override;

 private:
  struct Checked {};
  Array extreme(Op op, std::optional<int> axis) const;
  bool has_columns_in_order(std::int64_t least_step) const;
  CsrMatrix transposed_by_tables(const MatrixSize& turned, Scalar column) const;
  CsrMatrix multiplied_by_tables(const CsrMatrix& other, Scalar dtype) const;
  std::optional<CsrMatrix> multiplied_by_library(const CsrMatrix& other, Scalar dtype) const;
  CsrMatrix(Checked, Array data, Array indices, Array offsets, const MatrixSize& size);

  Array data_, indices_, offsets_;
  std::optional<kernel::RowClasses> classes_;
  std::optional<Schedule> schedule_;  // of products by length; none: the device's
  Array order_;                       // of rows, with classes
  Array library_starts_;              // offsets for cuSPARSE; none: it does not multiply
  std::uint64_t starts_writes_ = 0;   // to the offsets, when these were made
};

}  // namespace treadle::sparse

namespace treadle {

using sparse::CsrMatrix;

}  // namespace treadle

// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>

#include "treadle/array/array.hpp"
#include "treadle/base/dtype.hpp"

namespace treadle::sparse {

using array::Array;

/// The size of a matrix.
struct MatrixSize {
  std::int64_t rows, columns;
  bool operator==(const MatrixSize&) const = default;
};

/// A sparse matrix in compressed rows (CSR) on a device. Entries of a row lie one behind the other,
/// columns in any order; a column that comes several times counts as the sum. Never changes, but
/// through its arrays; copies share them. Any thread.
class CsrMatrix {
 public:
  /// `data` and `indices`, the columns, of each entry; row r has the entries from offsets[r] to
  /// before offsets[r + 1]. Indices become int32 or stay int64, offsets become int64. Looks at
  /// indices and offsets, and waits. Throws ShapeError for axes and lengths that do not fit,
  /// DTypeError for other indices than integers and data without a sum, IndexError for a column
  /// beyond the size, InvalidArgument for offsets that go down or do not end with the entries, and
  /// for arrays of several devices.
  CsrMatrix(const Array& data, const Array& indices, const Array& offsets, const MatrixSize& size);
  /// Of entries in any order, at (row, column); those of one place are added, in their order. On
  /// the device; waits for the number of places. Throws as the constructor.
  static CsrMatrix from_entries(const Array& data, const Array& rows, const Array& columns,
                                const MatrixSize& size);
  /// The elements of a matrix that are not 0. Waits for their number. Throws ShapeError unless
  /// there are two axes.
  static CsrMatrix from_dense(const Array& x);

  const Array& data() const noexcept { return data_; }        ///< of each entry
  const Array& indices() const noexcept { return indices_; }  ///< columns: int32 or int64
  const Array& offsets() const noexcept { return offsets_; }  ///< int64, one more than rows
  const MatrixSize& size() const noexcept { return size_; }
  std::int64_t entries() const noexcept { return data_.size(); }  ///< stored, zeros as well
  /// The row of each entry, int64.
  Array rows() const;

  /// The product with a vector, or with each column of a matrix; pending, as the results of
  /// operations are. An infinity or NaN of x counts in the rows alone that have an entry there.
  /// Throws ShapeError for another length, InvalidArgument for another device.
  Array multiply(const Array& x) const;
  /// The transposed matrix, whose columns are in order. As from_entries().
  CsrMatrix transposed() const;
  /// All elements, in two axes.
  Array dense() const;
  /// The elements at (k, k).
  Array diagonal() const;
  /// The sums of the rows (axis 1), of the columns (axis 0), or of all elements.
  Array sum(std::optional<int> axis = {}) const;
  /// The same places with other elements. Throws ShapeError for another number of them.
  CsrMatrix with_data(const Array& data) const;
  /// The sum of two matrices. Throws ShapeError for another size; as from_entries().
  CsrMatrix plus(const CsrMatrix& other) const;
  /// Rows from `first` to before `last`. Waits for two offsets. Throws IndexError beyond the size.
  CsrMatrix rows_between(std::int64_t first, std::int64_t last) const;

 private:
  struct Checked {};
  CsrMatrix(Checked, Array data, Array indices, Array offsets, const MatrixSize& size);

  Array data_, indices_, offsets_;
  MatrixSize size_;
};

}  // namespace treadle::sparse

namespace treadle {

using sparse::CsrMatrix;

}  // namespace treadle

// SPDX-License-Identifier: MIT
// Matrices whose entries lie on few diagonals.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "treadle/base/number.hpp"
#include "treadle/sparse/csr_matrix.hpp"

namespace treadle::sparse {

/// A sparse matrix as diagonals (DIA). An element of 0 on a diagonal is no entry.
class DiaMatrix final : public SparseMatrix {
 public:
  /// SciPy's form: data[k, j] is the element in column j of diagonal offsets[k], which is
  /// j - offsets[k]'s row; each offset comes once. Looks at the offsets, and waits. Throws
  /// ShapeError for numbers that do not fit, InvalidArgument for an offset that comes twice.
  DiaMatrix(const Array& data, const Array& offsets, const MatrixSize& size);
  /// The diagonals that have entries; entries of one place are added. Waits for their number.
  static DiaMatrix of(const SparseMatrix& a);

  std::string_view format() const noexcept override { return "dia"; }
  std::int64_t entries() const override;  ///< elements that are not 0; waits
  CsrMatrix to_csr() const override;
  std::int64_t size_bytes() const override;
  /// int64: how far to the right of the main one each diagonal is, going up.
  const Array& offsets() const noexcept { return offsets_; }
  /// In SciPy's form.
  Array data() const;

 protected:
  std::optional<ProductParts> parts(Scalar dtype) const override;

 private:
  explicit DiaMatrix(const CsrMatrix& canonical);
  Array data_, offsets_;  // data_: diagonals x pitch, by rows
  std::int64_t pitch_;
};

/// A sparse matrix whose entries on a diagonal are all one number: both are written into the text
/// of the kernel, which reads no more than a few bits for each row, or nothing.
class StencilMatrix final : public SparseMatrix {
 public:
  /// Entries of one place are added. Waits. Throws InvalidArgument for several numbers on a
  /// diagonal, and for more than 32 diagonals.
  static StencilMatrix of(const SparseMatrix& a);
  /// Whether of() would take it. Waits.
  static bool fits(const SparseMatrix& a);

  std::string_view format() const noexcept override { return "stencil"; }
  std::int64_t entries() const override { return entries_; }
  CsrMatrix to_csr() const override;
  std::int64_t size_bytes() const override { return bits_.has_value() ? bits_.size_bytes() : 0; }
  const std::vector<std::int64_t>& offsets() const noexcept { return offsets_; }  ///< going up
  const std::vector<Number>& values() const noexcept { return values_; }  ///< of each diagonal
  const Array& elements() const noexcept { return elements_; }  ///< the same on the device
  /// For each row a bit for each diagonal, 1 where it has an entry; none: wherever the matrix is.
  const Array& bits() const noexcept { return bits_; }

 protected:
  std::optional<ProductParts> parts(Scalar dtype) const override;

 private:
  struct Parts;
  StencilMatrix(const CsrMatrix& a, Parts parts);
  static Parts parts_of(const CsrMatrix& canonical);
  std::vector<std::int64_t> offsets_;
  std::vector<Number> values_;
  Array elements_, bits_;  // elements_: the values on the device
  std::int64_t entries_;
};

}  // namespace treadle::sparse

namespace treadle {

using sparse::DiaMatrix;
using sparse::StencilMatrix;

}  // namespace treadle

// SPDX-License-Identifier: MIT
// Rows filled up to one length, so that the k-th entries of neighbouring rows lie side by side.
#pragma once

#include <optional>

#include "treadle/sparse/csr_matrix.hpp"

namespace treadle::sparse {

/// A sparse matrix whose rows are filled up to the longest one (ELL). A column of -1 is no entry,
/// and is passed over.
class EllMatrix final : public SparseMatrix {
 public:
  /// `data` and `columns` have a row for each row of the matrix and as many columns as the longest
  /// row has entries; a column below 0 is none. Looks at them, and waits. Throws as CsrMatrix.
  EllMatrix(const Array& data, const Array& columns, const MatrixSize& size);
  /// Rows of at most `depth` entries, or of as many as the longest has. Waits for that number.
  /// Throws InvalidArgument for a longer row.
  static EllMatrix of(const SparseMatrix& a, std::optional<std::int64_t> depth = {});

  std::string_view format() const noexcept override { return "ell"; }
  std::int64_t entries() const override;  ///< waits
  CsrMatrix to_csr() const override;
  std::int64_t size_bytes() const override;
  std::int64_t depth() const noexcept { return depth_; }  ///< entries of the longest row
  /// Of all rows, each with `depth` columns: views.
  Array data() const;
  Array columns() const;  ///< -1: none

 protected:
  std::optional<ProductParts> parts(Scalar dtype) const override;

 private:
  friend class HybMatrix;
  EllMatrix(const CsrMatrix& a, std::int64_t depth);
  Array data_, columns_;  // depth x pitch
  std::int64_t depth_, pitch_;
};

/// The same for each slice of neighbouring rows (SELL): a long row fills up those of its slice.
class SellMatrix final : public SparseMatrix {
 public:
  /// Slices of so many rows. Waits for the number of places. Throws InvalidArgument for less than
  /// one row.
  static SellMatrix of(const SparseMatrix& a, int slice_rows = 32);

  std::string_view format() const noexcept override { return "sell"; }
  std::int64_t entries() const override;  ///< waits
  CsrMatrix to_csr() const override;
  std::int64_t size_bytes() const override;
  int slice_rows() const noexcept { return slice_rows_; }     ///< rows of a slice
  const Array& data() const noexcept { return data_; }        ///< slice by slice, of all its rows
  const Array& columns() const noexcept { return columns_; }  ///< -1: none
  const Array& starts() const noexcept { return starts_; }    ///< int64, of each slice, and the end

 protected:
  std::optional<ProductParts> parts(Scalar dtype) const override;

 private:
  SellMatrix(const CsrMatrix& a, int slice_rows);
  Array data_, columns_, starts_;
  int slice_rows_;
};

/// Rows up to a length as an EllMatrix, and what is left of longer ones in compressed rows (HYB).
class HybMatrix final : public SparseMatrix {
 public:
  /// `depth`: none: the least for which few rows are longer, less than a third of all, or 4096
  /// (Bell and Garland 2009). Waits for the lengths of rows.
  static HybMatrix of(const SparseMatrix& a, std::optional<std::int64_t> depth = {});

  std::string_view format() const noexcept override { return "hyb"; }
  std::int64_t entries() const override;  ///< waits
  CsrMatrix to_csr() const override;
  std::int64_t size_bytes() const override;
  const EllMatrix& usual() const noexcept { return usual_; }    ///< the first entries of each row
  const CsrMatrix& rest() const noexcept { return rest_; }      ///< a row for each of rest_rows()
  const Array& rest_rows() const noexcept { return numbers_; }  ///< int64: rows that are longer

 protected:
  std::optional<ProductParts> parts(Scalar) const override { return std::nullopt; }
  Array product(const Array& x, Scalar dtype) const override;

 private:
  HybMatrix(const CsrMatrix& a, std::int64_t depth);
  EllMatrix usual_;
  Array numbers_;
  CsrMatrix rest_;
};

}  // namespace treadle::sparse

namespace treadle {

using sparse::EllMatrix;
using sparse::HybMatrix;
using sparse::SellMatrix;

}  // namespace treadle

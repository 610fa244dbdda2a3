// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include <memory>

#include "treadle/sparse/csr_matrix.hpp"

namespace treadle::sparse {

/// A sparse matrix as a list of entries (COO), in any order; what comes several times counts as the
/// sum. Products put the entries into compressed rows once, and keep these rows as long as
/// Array::writes() of the arrays says that nothing was written to them.
class CooMatrix final : public SparseMatrix {
 public:
  /// Looks at the indices, and waits. Throws as CsrMatrix::from_entries().
  CooMatrix(const Array& data, const Array& rows, const Array& columns, const MatrixSize& size);
  /// The entries of another format, in its order.
  static CooMatrix of(const SparseMatrix& a);

  std::string_view format() const noexcept override { return "coo"; }
  std::int64_t entries() const override { return data_.size(); }
  CsrMatrix to_csr() const override;
  std::int64_t size_bytes() const override;

  const Array& data() const noexcept { return data_; }        ///< of each entry
  const Array& rows() const noexcept { return rows_; }        ///< int32 or int64
  const Array& columns() const noexcept { return columns_; }  ///< int32 or int64
  /// Rows in order, columns within them, each place once.
  CooMatrix canonical() const { return of(to_csr()); }

 protected:
  std::optional<ProductParts> parts(Scalar dtype) const override;

 private:
  struct Kept;  // the compressed rows, made at the first product
  Array data_, rows_, columns_;
  std::shared_ptr<Kept> kept_;
};

}  // namespace treadle::sparse

namespace treadle {

using sparse::CooMatrix;

}  // namespace treadle

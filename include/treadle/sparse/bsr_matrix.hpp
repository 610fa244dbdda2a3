// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>

#include "treadle/sparse/csr_matrix.hpp"

namespace treadle::sparse {

/// The rows and columns of a block.
struct BlockSize {
  std::int64_t rows, columns;  ///< how many
  bool operator==(const BlockSize&) const = default;
};

/// A sparse matrix in compressed rows of dense blocks (BSR). An element of 0 in a block is no
/// entry. Blocks of a row lie in any order, each once.
class BsrMatrix final : public SparseMatrix {
 public:
  /// `data` has a block for each of `indices`, the columns of blocks; row r of blocks has those
  /// from offsets[r] to before offsets[r + 1]. Looks at both, and waits. Throws as CsrMatrix, and
  /// ShapeError for a size that blocks do not fill.
  BsrMatrix(const Array& data, const Array& indices, const Array& offsets, const MatrixSize& size);
  /// Blocks of that size which have entries; those of one place are added. Waits for their number.
  /// Throws ShapeError for a size that blocks do not fill.
  static BsrMatrix of(const SparseMatrix& a, const BlockSize& block);

  std::string_view format() const noexcept override { return "bsr"; }
  std::int64_t entries() const override { return data_.size(); }  ///< of blocks, zeros as well
  CsrMatrix to_csr() const override;
  std::int64_t size_bytes() const override;
  const BlockSize& block() const noexcept { return block_; }  ///< rows and columns of a block
  const Array& data() const noexcept { return data_; }        ///< block by block, three axes
  const Array& indices() const noexcept { return indices_; }  ///< columns of blocks
  const Array& offsets() const noexcept { return offsets_; }  ///< int64, of rows of blocks

 protected:
  std::optional<ProductParts> parts(Scalar dtype) const override;

 private:
  BsrMatrix(const CsrMatrix& canonical, const BlockSize& block);
  Array data_, indices_, offsets_;
  BlockSize block_;
};

}  // namespace treadle::sparse

namespace treadle {

using sparse::BlockSize;
using sparse::BsrMatrix;

}  // namespace treadle

// SPDX-License-Identifier: MIT
#include "treadle/sparse/bsr_matrix.hpp"

#include <algorithm>

#include "sparse/entries.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/cumulative.hpp"
#include "treadle/array/indexing.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/array/scan.hpp"
#include "treadle/array/searching.hpp"
#include "treadle/array/selection.hpp"
#include "treadle/array/sets.hpp"
#include "treadle/base/error.hpp"

namespace treadle::sparse {
namespace {

void require_filled(const MatrixSize& size, const BlockSize& block) {
  if (block.rows < 1 || block.columns < 1 || size.rows % block.rows != 0 ||
      size.columns % block.columns != 0)
    throw ShapeError(
        "a matrix of " + text_of(size) + " in blocks of " + text_of({block.rows, block.columns}),
        "pass a size that blocks fill");
}

}  // namespace

BsrMatrix::BsrMatrix(const Array& data, const Array& indices, const Array& offsets,
                     const MatrixSize& size)
    : SparseMatrix(size, data.dtype(), data.stream()) {
  require_size(size);
  require_elements(data, 3);
  block_ = {data.shape()[1], data.shape()[2]};
  require_filled(size, block_);
  require_integers("indices", indices, data.shape()[0]);
  require_integers("offsets", offsets, size.rows / block_.rows + 1);
  data_ = packed(data);
  indices_ = as_columns(indices);
  offsets_ = packed(in_dtype(offsets, Scalar::int64));
  require_offsets(offsets_, data.shape()[0]);
  require_within("column of blocks", indices_, size.columns / block_.columns);
}

BsrMatrix::BsrMatrix(const CsrMatrix& canonical, const BlockSize& block)
    : SparseMatrix(canonical.size(), canonical.dtype(), canonical.stream()), block_(block) {
  const Entries all = entries_of(canonical);
  const std::int64_t width = std::max<std::int64_t>(size().columns / block.columns, 1),
                     area = block.rows * block.columns;
  const Array place =
      floor_divide(all.rows, block.rows) * width + floor_divide(all.columns, block.columns);
  const Array blocks = array::unique(place).values;
  const Array made = array::zeros({blocks.size() * area}, all.data.dtype().scalar(),
                                  {.stream = canonical.stream()});
  if (all.data.size() > 0)
    array::put(made,
               array::IndexArray(array::searchsorted(blocks, place) * area +
                                 remainder(all.rows, block.rows) * block.columns +
                                 remainder(all.columns, block.columns)),
               all.data);
  data_ = stored_as(array::reshape(made, {blocks.size(), block.rows, block.columns}), dtype());
  indices_ = packed(in_dtype(remainder(blocks, width), canonical.indices().dtype()));
  offsets_ = packed(
      array::searchsorted(blocks, numbers(size().rows / block.rows + 1, canonical.data()) * width));
}

BsrMatrix BsrMatrix::of(const SparseMatrix& a, const BlockSize& block) {
  require_filled(a.size(), block);
  return BsrMatrix(a.to_csr().canonical(), block);
}

CsrMatrix BsrMatrix::to_csr() const {
  const Array values = array::ravel(as_numbers(data_));
  const std::int64_t area = block_.rows * block_.columns;
  const Array block_row =
      array::run_length_decode(numbers(size().rows / block_.rows, data_), array::diff(offsets_));
  const Array there = array::flatnonzero(not_equal(values, 0));
  const Array which = floor_divide(there, area);
  const Array within = remainder(there, area);
  const Array rows = taken(block_row, which) * block_.rows + floor_divide(within, block_.columns);
  const Array columns = in_dtype(taken(indices_, which), Scalar::int64) * block_.columns +
                        remainder(within, block_.columns);
  return CsrMatrix::assembled(stored_as(taken(values, there), dtype()), rows, columns, size());
}

std::int64_t BsrMatrix::size_bytes() const {
  return data_.size_bytes() + indices_.size_bytes() + offsets_.size_bytes();
}

std::optional<ProductParts> BsrMatrix::parts(Scalar) const {
  return ProductParts{.product = {.form = {.layout = codegen::SparseLayout::blocks,
                                           .side = static_cast<unsigned>(block_.rows),
                                           .side_across = static_cast<unsigned>(block_.columns)},
                                  .entries = static_cast<std::uint64_t>(data_.size())},
                      .data = data_,
                      .columns = indices_,
                      .starts = offsets_};
}

}  // namespace treadle::sparse

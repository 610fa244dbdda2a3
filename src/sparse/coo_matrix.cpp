// SPDX-License-Identifier: MIT
#include "treadle/sparse/coo_matrix.hpp"

#include <mutex>
#include <optional>
#include <vector>

#include "sparse/entries.hpp"

namespace treadle::sparse {

struct CooMatrix::Kept {
  std::mutex mutex;  // guards what follows; held while rows are made
  std::optional<CsrMatrix> rows;
  std::vector<std::uint64_t>
      writes;  // those to the arrays that rows were made of, and to their own
};

CooMatrix::CooMatrix(const Array& data, const Array& rows, const Array& columns,
                     const MatrixSize& size)
    : SparseMatrix(size, data.dtype(), data.stream()), kept_(std::make_shared<Kept>()) {
  require_size(size);
  require_elements(data);
  require_integers("rows", rows, data.size());
  require_integers("columns", columns, data.size());
  require_within("row", rows, size.rows);
  require_within("column", columns, size.columns);
  data_ = packed(data);
  rows_ = as_columns(rows);
  columns_ = as_columns(columns);
}

CooMatrix CooMatrix::of(const SparseMatrix& a) {
  if (const auto* const same = dynamic_cast<const CooMatrix*>(&a)) return *same;
  const CsrMatrix rows = a.to_csr();
  return CooMatrix(rows.data(), in_dtype(rows.rows(), column_dtype({0, a.size().rows})),
                   rows.indices(), a.size());
}

CsrMatrix CooMatrix::to_csr() const {
  const std::lock_guard lock(kept_->mutex);
  // Before anything is read: what another thread writes meanwhile is seen the next time.
  std::vector<std::uint64_t> writes{data_.writes(), rows_.writes(), columns_.writes()};
  const auto add_those_to_rows = [&] {
    const CsrMatrix& made = *kept_->rows;
    for (const Array* array : {&made.data(), &made.indices(), &made.offsets()})
      writes.push_back(array->writes());
  };
  if (kept_->rows) {
    add_those_to_rows();
    if (writes == kept_->writes) return *kept_->rows;
    writes.resize(3);
  }
  kept_->rows = CsrMatrix::assembled(data_, rows_, columns_, size());
  add_those_to_rows();
  kept_->writes = std::move(writes);
  return *kept_->rows;
}

std::int64_t CooMatrix::size_bytes() const {
  return data_.size_bytes() + rows_.size_bytes() + columns_.size_bytes();
}

std::optional<ProductParts> CooMatrix::parts(Scalar dtype) const {
  return to_csr().product_parts(dtype);
}

}  // namespace treadle::sparse

// SPDX-License-Identifier: MIT
#include "treadle/sparse/ell_matrix.hpp"

#include <algorithm>
#include <vector>

#include "sparse/entries.hpp"
#include "treadle/array/counting.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/cumulative.hpp"
#include "treadle/array/indexing.hpp"
#include "treadle/array/joining.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/array/reduction.hpp"
#include "treadle/array/scan.hpp"
#include "treadle/array/searching.hpp"
#include "treadle/array/selection.hpp"
#include "treadle/base/error.hpp"

namespace treadle::sparse {
namespace {

std::int64_t longest_of(const CsrMatrix& a) {
  return a.size().rows == 0 ? 0 : integer_of(array::max(row_lengths(a)));
}

/// Memory in which entries lie at places, with nothing at others.
struct Filled {
  Array data, columns;
};
Filled filled(std::int64_t count, const Entries& entries, const Array& places, const CsrMatrix& a) {
  const array::Placement here{.stream = a.stream()};
  const Array data = array::zeros({count}, entries.data.dtype().scalar(), here),
              columns = array::full({count}, -1, a.indices().dtype().scalar(), here);
  if (entries.data.size() > 0) {
    array::put(data, array::IndexArray(places), entries.data);
    array::put(columns, array::IndexArray(places), entries.columns);
  }
  return {stored_as(data, a.dtype()), packed(columns)};
}

/// Entries at places whose column is not below 0.
CsrMatrix collected(const Array& data, const Array& columns, const Array& rows,
                    const MatrixSize& size) {
  const Array there = array::flatnonzero(greater_equal(columns, 0));
  const Entries found = chosen({as_numbers(data), rows, columns}, there);
  return CsrMatrix::assembled(stored_as(found.data, data.dtype()), found.rows, found.columns, size);
}

std::int64_t counted(const Array& columns) {
  return columns.size() == 0 ? 0 : integer_of(array::count_nonzero(greater_equal(columns, 0)));
}

}  // namespace

EllMatrix::EllMatrix(const Array& data, const Array& columns, const MatrixSize& size)
    : SparseMatrix(size, data.dtype(), data.stream()) {
  require_size(size);
  require_elements(data, 2);
  if (columns.rank() != 2 || data.shape()[0] != size.rows || columns.shape()[0] != size.rows ||
      data.shape()[1] != columns.shape()[1])
    throw ShapeError("data of shape " + shape_text(data.shape()) + " and columns of shape " +
                         shape_text(columns.shape()) + " for " + std::to_string(size.rows) +
                         " rows",
                     "pass a row of both for each row, as long as the longest");
  require_integers("columns", array::ravel(columns), columns.size());
  require_within("column", maximum(columns, 0), std::max<std::int64_t>(size.columns, 1));
  depth_ = data.shape()[1];
  pitch_ = pitch_of(size.rows);
  const Index rows{.start = 0, .stop = size.rows};
  const array::Placement here{.stream = data.stream()};
  const Scalar column = columns.dtype() == Scalar::int32 ? Scalar::int32 : Scalar::int64;
  const Array numbers = as_numbers(data);
  const Array all = array::zeros({depth_, pitch_}, numbers.dtype().scalar(), here);
  columns_ = array::full({depth_, pitch_}, -1, column, here);
  all.at({Index::all(), rows}).assign(array::transpose(numbers));
  columns_.at({Index::all(), rows}).assign(array::transpose(columns));
  data_ = stored_as(all, data.dtype());
}

EllMatrix::EllMatrix(const CsrMatrix& a, std::int64_t depth)
    : SparseMatrix(a.size(), a.dtype(), a.stream()),
      depth_(depth),
      pitch_(pitch_of(a.size().rows)) {
  const Entries all = entries_of(a);
  const Filled made =
      filled(depth_ * pitch_, all, places_in_rows(a, all.rows) * pitch_ + all.rows, a);
  data_ = array::reshape(made.data, {depth_, pitch_});
  columns_ = array::reshape(made.columns, {depth_, pitch_});
}

EllMatrix EllMatrix::of(const SparseMatrix& a, std::optional<std::int64_t> depth) {
  const CsrMatrix rows = a.to_csr();
  const std::int64_t longest = longest_of(rows);
  if (depth && *depth < longest)
    throw InvalidArgument("rows of " + std::to_string(*depth) +
                              " entries, of a matrix with one of " + std::to_string(longest),
                          "pass at least that, or make a HybMatrix");
  return EllMatrix(rows, depth.value_or(longest));
}

Array EllMatrix::data() const {
  return array::transpose(data_.at({Index::all(), Index{.stop = size().rows}}));
}
Array EllMatrix::columns() const {
  return array::transpose(columns_.at({Index::all(), Index{.stop = size().rows}}));
}
std::int64_t EllMatrix::entries() const { return counted(columns_); }
std::int64_t EllMatrix::size_bytes() const { return data_.size_bytes() + columns_.size_bytes(); }

CsrMatrix EllMatrix::to_csr() const {
  if (depth_ == 0)
    return collected(array::ravel(data_), array::ravel(columns_), array::ravel(columns_), size());
  const Array columns = array::ravel(this->columns());
  const Array there = array::flatnonzero(greater_equal(columns, 0));
  return CsrMatrix::of_ordered(taken(array::ravel(data()), there), floor_divide(there, depth_),
                               taken(columns, there), size());
}

std::optional<ProductParts> EllMatrix::parts(Scalar) const {
  return ProductParts{.product = {.form = {.layout = codegen::SparseLayout::columned},
                                  .entries = static_cast<std::uint64_t>(data_.size()),
                                  .pitch = pitch_,
                                  .depth = depth_},
                      .data = data_,
                      .columns = columns_};
}

SellMatrix::SellMatrix(const CsrMatrix& a, int slice_rows)
    : SparseMatrix(a.size(), a.dtype(), a.stream()), slice_rows_(slice_rows) {
  const std::int64_t side = slice_rows, slices = (a.size().rows + side - 1) / side;
  const array::Placement here{.stream = a.stream()};
  const Array lengths = array::zeros({slices * side}, Scalar::int64, here);
  std::int64_t count = 0;
  starts_ = array::zeros({1}, Scalar::int64, here);
  if (slices > 0) {
    lengths.at({Index{.stop = a.size().rows}}).assign(row_lengths(a));
    const Array longest = array::max(array::reshape(lengths, {slices, side}), {.axes = {{1}}});
    starts_ = offsets_of(longest * side);
    count = integer_of(starts_.at({Index::at(-1)}));
  }
  const Entries all = entries_of(a);
  const Array slice = floor_divide(all.rows, side);
  const Array places =
      taken(starts_, slice) + places_in_rows(a, all.rows) * side + remainder(all.rows, side);
  const Filled made = filled(count, all, places, a);
  data_ = made.data;
  columns_ = made.columns;
}

SellMatrix SellMatrix::of(const SparseMatrix& a, int slice_rows) {
  if (slice_rows < 1)
    throw InvalidArgument("slices of " + std::to_string(slice_rows) + " rows", "pass 16 or 32");
  return SellMatrix(a.to_csr(), slice_rows);
}

std::int64_t SellMatrix::entries() const { return counted(columns_); }
std::int64_t SellMatrix::size_bytes() const {
  return data_.size_bytes() + columns_.size_bytes() + starts_.size_bytes();
}

CsrMatrix SellMatrix::to_csr() const {
  const std::int64_t slices = starts_.size() - 1;
  const Array slice = array::run_length_decode(numbers(slices, starts_), array::diff(starts_));
  const Array rows = slice * slice_rows_ + remainder(numbers(slice.size(), starts_), slice_rows_);
  return collected(data_, columns_, rows, size());
}

std::optional<ProductParts> SellMatrix::parts(Scalar) const {
  return ProductParts{.product = {.form = {.layout = codegen::SparseLayout::sliced,
                                           .side = static_cast<unsigned>(slice_rows_)},
                                  .entries = static_cast<std::uint64_t>(data_.size())},
                      .data = data_,
                      .columns = columns_,
                      .starts = starts_};
}

std::int64_t usual_length(const std::vector<std::int64_t>& counts, std::int64_t rows) {
  std::int64_t longer = rows;
  for (std::size_t length = 0; length < counts.size(); ++length) {
    longer -= counts[length];
    if (3 * longer < rows || longer < 4096) return static_cast<std::int64_t>(length);
  }
  return static_cast<std::int64_t>(counts.size()) - 1;
}

namespace {

/// The same of a matrix.
std::int64_t usual_length_of(const CsrMatrix& a) {
  if (a.size().rows == 0) return 0;
  return usual_length(array::bincount(row_lengths(a)).as<std::int64_t>(), a.size().rows);
}

/// The entries of a whose place in their row is within or beyond the first `depth`.
Entries part_of(const CsrMatrix& a, std::int64_t depth, bool is_within) {
  const Entries all = entries_of(a);
  const Array place = places_in_rows(a, all.rows);
  return chosen(all,
                array::flatnonzero(is_within ? less(place, depth) : greater_equal(place, depth)));
}
CsrMatrix first_entries(const CsrMatrix& a, std::int64_t depth) {
  const Entries few = part_of(a, depth, true);
  return CsrMatrix(stored_as(few.data, a.dtype()), in_dtype(few.columns, a.indices().dtype()),
                   array::searchsorted(few.rows, numbers(a.size().rows + 1, a.data())), a.size());
}
CsrMatrix other_entries(const CsrMatrix& a, std::int64_t depth, const Array& longer) {
  const Entries few = part_of(a, depth, false);
  const Array parts[] = {array::searchsorted(few.rows, longer),
                         array::full({1}, few.rows.size(), Scalar::int64, {.stream = a.stream()})};
  return CsrMatrix(stored_as(few.data, a.dtype()), in_dtype(few.columns, a.indices().dtype()),
                   array::concatenate(parts), {longer.size(), a.size().columns});
}

}  // namespace

HybMatrix::HybMatrix(const CsrMatrix& a, std::int64_t depth)
    : SparseMatrix(a.size(), a.dtype(), a.stream()),
      usual_(first_entries(a, depth), depth),
      numbers_(array::flatnonzero(greater(row_lengths(a), depth))),
      rest_(other_entries(a, depth, numbers_)) {}

HybMatrix HybMatrix::of(const SparseMatrix& a, std::optional<std::int64_t> depth) {
  if (depth && *depth < 0)
    throw InvalidArgument("rows of " + std::to_string(*depth) + " entries", "pass 0 or more");
  const CsrMatrix rows = a.to_csr();
  return HybMatrix(rows, depth ? *depth : usual_length_of(rows));
}

std::int64_t HybMatrix::entries() const { return usual_.entries() + rest_.entries(); }
std::int64_t HybMatrix::size_bytes() const {
  return usual_.size_bytes() + rest_.size_bytes() + numbers_.size_bytes();
}

CsrMatrix HybMatrix::to_csr() const {
  const Entries a = entries_of(usual_.to_csr()), b = entries_of(rest_);
  const Array data[] = {a.data, b.data}, rows[] = {a.rows, taken(numbers_, b.rows)},
              columns[] = {a.columns, b.columns};
  return CsrMatrix::assembled(stored_as(array::concatenate(data), dtype()),
                              array::concatenate(rows), array::concatenate(columns), size());
}

Array HybMatrix::product(const Array& x, Scalar) const {
  const Array result = usual_.multiply(x);
  if (numbers_.size() == 0) return result;
  const Array more = rest_.multiply(x);
  const array::AnyIndex places[] = {array::IndexArray(numbers_)};
  array::combine_at(result, places, more);
  return result;
}

}  // namespace treadle::sparse

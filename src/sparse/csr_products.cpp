// SPDX-License-Identifier: MIT
// Sums and products of two matrices, and rows chosen by numbers.
#include <algorithm>
#include <string>

#include "sparse/entries.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/indexing.hpp"
#include "treadle/array/joining.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/array/scan.hpp"
#include "treadle/array/searching.hpp"
#include "treadle/array/selection.hpp"
#include "treadle/base/error.hpp"
#include "treadle/base/promotion.hpp"
#include "treadle/kernel/sparse_tables.hpp"
#include "treadle/sparse/csr_matrix.hpp"

namespace treadle::sparse {
namespace {

void require_same_size(const CsrMatrix& a, const CsrMatrix& b, const char* what) {
  if (a.size() != b.size())
    throw ShapeError("matrices of " + text_of(a.size()) + " and " + text_of(b.size()) + " " + what,
                     "pass matrices of one size");
}

/// Parts of rows of a matrix, one behind the other.
struct ExpandedRows {
  Array owner;    ///< of each entry: which of the rows that were named
  Array entry;    ///< its number in the matrix
  Array offsets;  ///< where the entries of each named row begin, and the end
};
ExpandedRows expanded(const CsrMatrix& a, const Array& rows) {
  const Array lengths = taken(row_lengths(a), rows);
  const Array offsets = offsets_of(lengths);
  const Array owner = array::run_length_decode(numbers(rows.size(), rows), lengths);
  const Array within = numbers(owner.size(), rows) - taken(offsets, owner);
  return {owner, taken(taken(a.offsets(), rows), owner) + within, offsets};
}

}  // namespace

CsrMatrix CsrMatrix::plus(const CsrMatrix& other) const {
  require_same_size(*this, other, "added");
  const Entries a = entries_of(*this), b = entries_of(other);
  const Array data[] = {a.data, b.data}, rows[] = {a.rows, b.rows},
              columns[] = {a.columns, b.columns};
  return assembled(array::concatenate(data), array::concatenate(rows), array::concatenate(columns),
                   size())
      .without_zeros();
}

CsrMatrix CsrMatrix::multiply(const CsrMatrix& other) const {
  if (size().columns != other.size().rows)
    throw ShapeError("a matrix of " + text_of(size()) + " by one of " + text_of(other.size()),
                     "the second has as many rows as the first has columns");
  const Scalar dtype = promote(OperandType(as_numbers(data_).dtype().scalar()),
                               OperandType(as_numbers(other.data_).dtype().scalar()));
  if (data_.dtype() == Scalar::boolean && other.data_.dtype() == Scalar::boolean) {
    const CsrMatrix made = with_data(as_numbers(data_)).multiply(other);
    return made.with_data(in_dtype(made.data_, Scalar::boolean));
  }
  if (const auto made = multiplied_by_library(other, dtype)) return *made;
  if (entries() > 0 && other.entries() > 0 && dtype != Scalar::float16 &&
      kernel::has_sparse_tables(data_.device()))
    return multiplied_by_tables(other, dtype);
  const Entries a = entries_of(*this), b = entries_of(other);
  const ExpandedRows products = expanded(other, a.columns);
  return assembled(taken(a.data, products.owner) * taken(b.data, products.entry),
                   taken(a.rows, products.owner), taken(b.columns, products.entry),
                   {size().rows, other.size().columns});
}

CsrMatrix CsrMatrix::multiplied_by_tables(const CsrMatrix& other, Scalar dtype) const {
  const MatrixSize made{size().rows, other.size().columns};
  const Scalar column = column_dtype({0, std::max(size().columns, other.size().columns)});
  const array::Placement here{.stream = stream()};
  const Array data = packed(in_dtype(as_numbers(data_), dtype)),
              other_data = packed(in_dtype(as_numbers(other.data_), dtype)),
              columns = packed(in_dtype(indices_, column)),
              other_columns = packed(in_dtype(other.indices_, column)),
              starts = array::empty({made.rows + 1}, Scalar::int64, here);
  const kernel::SparseTables what{.form = {.stored = dtype, .column_dtype = column},
                                  .rows = static_cast<std::uint64_t>(made.rows),
                                  .columns = static_cast<std::uint64_t>(made.columns)};
  const kernel::SparseArrays one{.data = data, .columns = columns, .starts = offsets_},
      two{.data = other_data, .columns = other_columns, .starts = other.offsets_};
  kernel::launch_sparse_lengths(*stream(), what, one, two, starts);
  const std::int64_t count = integer_of(starts.at({Index::at(-1)}));
  const CsrMatrix result(Checked{}, array::empty({count}, dtype, here),
                         array::empty({count}, column, here), starts, made);
  kernel::launch_sparse_sums(
      *stream(), what, one, two,
      {.data = result.data_, .columns = result.indices_, .starts = result.offsets_});
  return result;
}

CsrMatrix CsrMatrix::times(const CsrMatrix& other) const {
  require_same_size(*this, other, "multiplied");
  const CsrMatrix first = canonical(), second = other.canonical();
  const Entries a = entries_of(first), b = entries_of(second);
  const std::int64_t width = size().columns;
  const Array wanted = a.rows * width + a.columns, there = b.rows * width + b.columns;
  if (first.entries() == 0 || second.entries() == 0) {
    const Array nothing = array::zeros({0}, Scalar::int64, {.stream = stream()});
    return assembled(taken(a.data, nothing) * taken(b.data, nothing), nothing, nothing, size());
  }
  const Array place = minimum(array::searchsorted(there, wanted), second.entries() - 1);
  const Array both = array::flatnonzero(equal(taken(there, place), wanted));
  return assembled(taken(a.data, both) * taken(b.data, taken(place, both)), taken(a.rows, both),
                   taken(a.columns, both), size())
      .without_zeros();
}

CsrMatrix CsrMatrix::times(const Array& other) const {
  const Array all = array::broadcast_to(other, {size().rows, size().columns});
  const Entries a = entries_of(*this);
  const array::AnyIndex places[] = {array::IndexArray(a.rows), array::IndexArray(a.columns)};
  return with_data(a.data * array::at(all, places));
}

CsrMatrix CsrMatrix::with_diagonal(const Array& values, std::int64_t offset) const {
  const std::int64_t length = diagonal(offset).size(), first = std::max<std::int64_t>(-offset, 0);
  if (values.size() != length && values.size() != 1)
    throw ShapeError(
        std::to_string(values.size()) + " elements for a diagonal of " + std::to_string(length),
        "pass one for each, or one for all");
  const Entries all = entries_of(*this);
  const Entries others = chosen(all, array::flatnonzero(not_equal(all.rows + offset, all.columns)));
  const Array own = numbers(length, data_) + first;
  const Array elements =
      array::broadcast_to(in_dtype(array::ravel(values), all.data.dtype()), {length});
  const Array data[] = {others.data, elements}, rows[] = {others.rows, own},
              columns[] = {others.columns, own + offset};
  return assembled(stored_as(array::concatenate(data), dtype()), array::concatenate(rows),
                   array::concatenate(columns), size());
}

CsrMatrix CsrMatrix::rows_at(const Array& rows) const {
  require_integers("rows", rows, rows.size());
  require_within("row", rows, size().rows);
  const ExpandedRows found = expanded(*this, in_dtype(rows, Scalar::int64));
  return CsrMatrix(Checked{}, stored_as(taken(as_numbers(data_), found.entry), dtype()),
                   packed(taken(indices_, found.entry)), packed(found.offsets),
                   {rows.size(), size().columns});
}

}  // namespace treadle::sparse

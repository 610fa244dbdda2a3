// SPDX-License-Identifier: MIT
#include "treadle/sparse/csr_matrix.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "sparse/cusparse_product.hpp"
#include "sparse/entries.hpp"
#include "treadle/array/counting.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/indexing.hpp"
#include "treadle/array/joining.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/array/ordering.hpp"
#include "treadle/array/reduction.hpp"
#include "treadle/array/scan.hpp"
#include "treadle/array/searching.hpp"
#include "treadle/array/selection.hpp"
#include "treadle/base/bfloat16.hpp"
#include "treadle/base/error.hpp"
#include "treadle/kernel/sparse_tables.hpp"
#include "treadle/kernel/tiling.hpp"

namespace treadle::sparse {

CsrMatrix::CsrMatrix(Checked, Array data, Array indices, Array offsets, const MatrixSize& size)
    : SparseMatrix(size, data.dtype(), data.stream()),
      data_(std::move(data)),
      indices_(std::move(indices)),
      offsets_(std::move(offsets)) {}

CsrMatrix::CsrMatrix(const Array& data, const Array& indices, const Array& offsets,
                     const MatrixSize& size)
    : SparseMatrix(size, data.dtype(), data.stream()) {
  require_size(size);
  require_elements(data);
  require_integers("indices", indices, data.size());
  require_integers("offsets", offsets, size.rows + 1);
  data_ = packed(data);
  indices_ = as_columns(indices);
  offsets_ = packed(in_dtype(offsets, Scalar::int64));
  require_offsets(offsets_, data.size());
  require_within("column", indices_, size.columns);
}

CsrMatrix CsrMatrix::from_entries(const Array& data, const Array& rows, const Array& columns,
                                  const MatrixSize& size) {
  require_size(size);
  require_elements(data);
  require_integers("rows", rows, data.size());
  require_integers("columns", columns, data.size());
  require_within("row", rows, size.rows);
  require_within("column", columns, size.columns);
  return assembled(data, rows, columns, size);
}

CsrMatrix CsrMatrix::assembled(const Array& data, const Array& rows, const Array& columns,
                               const MatrixSize& size) {
  const std::int64_t width = std::max<std::int64_t>(size.columns, 1);
  if (size.rows > std::numeric_limits<std::int64_t>::max() / width)
    throw InvalidArgument("a matrix of " + text_of(size) + " has more places than int64 counts",
                          "pass rows that are in order, as offsets, to the constructor");
  const Array place = in_dtype(rows, Scalar::int64) * width + in_dtype(columns, Scalar::int64);
  const Array order = array::argsort(place);
  const array::IndexArray chosen(order);
  const array::KeyedValues found =
      array::reduce_by_key(array::take(place, chosen), array::take(as_numbers(data), chosen));
  const Array offsets = array::searchsorted(found.keys, numbers(size.rows + 1, data) * width);
  const Array indices = in_dtype(remainder(found.keys, width), column_dtype(size));
  return CsrMatrix(Checked{}, stored_as(found.values, data.dtype()), packed(indices),
                   packed(offsets), size);
}

CsrMatrix CsrMatrix::of_ordered(const Array& data, const Array& rows, const Array& columns,
                                const MatrixSize& size) {
  const Array offsets = array::searchsorted(rows, numbers(size.rows + 1, data));
  return CsrMatrix(Checked{}, packed(data), packed(in_dtype(columns, column_dtype(size))),
                   packed(offsets), size);
}

CsrMatrix CsrMatrix::from_dense(const Array& x) {
  if (x.rank() != 2)
    throw ShapeError("an array with " + std::to_string(x.rank()) + " axes as a matrix",
                     "pass one with two axes");
  const std::vector<Array> places = array::nonzero(x);
  return from_entries(array::selected(x, not_equal(x, 0)), places[0], places[1],
                      {x.shape()[0], x.shape()[1]});
}

std::int64_t CsrMatrix::size_bytes() const {
  return data_.size_bytes() + indices_.size_bytes() + offsets_.size_bytes();
}

Array CsrMatrix::rows() const {
  // The number of each row where its entries begin (beyond the end, if it has none), carried on.
  const Array marks = array::zeros({entries()}, Scalar::int64, {.stream = data_.stream()});
  if (entries() == 0) return marks;
  array::put(marks,
             array::IndexArray(where(greater(row_lengths(*this), 0),
                                     offsets_.at({Index{.stop = -1}}), entries())),
             numbers(size().rows, data_));
  return array::scan(marks, {.op = Op::maximum});
}

std::optional<ProductParts> CsrMatrix::parts(Scalar) const {
  return ProductParts{.product = {.form = {.layout = codegen::SparseLayout::rows},
                                  .entries = static_cast<std::uint64_t>(entries()),
                                  .classes = classes_,
                                  .schedule = schedule_},
                      .data = data_,
                      .columns = indices_,
                      .starts = offsets_,
                      .order = order_};
}

CsrMatrix CsrMatrix::by_length(std::optional<Schedule> schedule) const {
  CsrMatrix made = *this;
  const codegen::Tiling& tiling = kernel::tiling_of(data_.device(), schedule);
  constexpr std::int64_t most_rows = std::numeric_limits<std::int32_t>::max();
  if (tiling.schedule == Schedule::narrow || size().rows == 0 || size().rows > most_rows)
    return made;
  const Array lengths = row_lengths(*this);
  Array which = array::zeros({size().rows}, Scalar::int32, {.stream = stream()});
  const auto longest = codegen::longest_rows(tiling);
  for (const std::int64_t length : longest)
    which = which + in_dtype(less_equal(lengths, length), Scalar::int32);
  made.order_ = packed(in_dtype(array::argsort(which), Scalar::int32));
  const std::vector<std::int64_t> counts =
      array::bincount(which, {}, codegen::row_classes).as<std::int64_t>();
  kernel::RowClasses classes;
  std::ranges::copy(counts, classes.counts.begin());
  if (classes.counts[0] != 0)
    classes.pieces =
        codegen::row_pieces(integer_of(array::max(lengths)), longest[0], entries(), counts[0]);
  made.classes_ = classes;
  made.schedule_ = schedule;
  return made;
}

CsrMatrix CsrMatrix::by_library() const {
  CsrMatrix made = *this;
  if (!is_for_cusparse(*this)) return made;
  made.starts_writes_ = offsets_.writes();
  made.library_starts_ = cusparse_starts(*this);
  return made;
}

Array CsrMatrix::product(const Array& x, Scalar dtype) const {
  if (is_by_library() && data_.dtype() == dtype)
    return multiplied_by_cusparse(
        *this, offsets_.writes() == starts_writes_ ? library_starts_ : cusparse_starts(*this), x);
  return SparseMatrix::product(x, dtype);
}

CsrMatrix CsrMatrix::transposed() const {
  const MatrixSize turned{size().columns, size().rows};
  const Scalar column = column_dtype({0, std::max(size().rows, size().columns)});
  if (entries() > 0 && kernel::has_sparse_tables(data_.device()))
    return transposed_by_tables(turned, column);
  // Entries of a column stay in the order of their rows.
  const Array order = array::argsort(indices_);
  return of_ordered(stored_as(taken(as_numbers(data_), order), dtype()),
                    in_dtype(taken(indices_, order), Scalar::int64), taken(rows(), order), turned);
}

CsrMatrix CsrMatrix::transposed_by_tables(const MatrixSize& turned, Scalar column) const {
  const array::Placement here{.stream = stream()};
  const CsrMatrix made(Checked{}, array::empty({entries()}, dtype(), here),
                       array::empty({entries()}, column, here),
                       array::empty({turned.rows + 1}, Scalar::int64, here), turned);
  const Array columns = packed(in_dtype(indices_, column));
  kernel::launch_sparse_transposition(
      *stream(),
      {.form = {.stored = is_bfloat16(dtype()) ? Scalar::uint16 : dtype().scalar(),
                .column_dtype = column},
       .rows = static_cast<std::uint64_t>(size().rows),
       .columns = static_cast<std::uint64_t>(size().columns)},
      {.data = data_, .columns = columns, .starts = offsets_},
      {.data = made.data_, .columns = made.indices_, .starts = made.offsets_});
  return made;
}

Array CsrMatrix::dense() const {
  const Array values = as_numbers(data_);
  const Array made = array::zeros({size().rows, size().columns}, values.dtype().scalar(),
                                  {.stream = data_.stream()});
  if (data_.size() > 0)
    array::combine_at(made, rows() * size().columns + in_dtype(indices_, Scalar::int64), values);
  return dtype() == Scalar::boolean ? in_dtype(made, dtype()) : made;
}

Array CsrMatrix::diagonal(std::int64_t offset) const {
  if (offset <= -size().rows || offset >= size().columns) {
    if (offset != 0)
      throw InvalidArgument(
          "diagonal " + std::to_string(offset) + " of a matrix of " + text_of(size()),
          "pass one that the matrix has");
  }
  const std::int64_t first = std::max<std::int64_t>(-offset, 0),
                     length = std::min(size().rows - first, size().columns - offset - first);
  const Entries all = entries_of(*this);
  const Array on_it = where(equal(all.rows + offset, all.columns), all.data, 0);
  const Array made =
      array::segmented_reduce(on_it, offsets_)
          .at({Index{.start = first, .stop = first + std::max<std::int64_t>(length, 0)}});
  return dtype() == Scalar::boolean ? in_dtype(made, dtype()) : made;
}

Array CsrMatrix::sum(std::optional<int> axis) const {
  Array values = as_numbers(data_);
  if (values.dtype().is_integer())
    values =
        in_dtype(values, values.dtype().kind() == ScalarKind::unsigned_integer ? Scalar::uint64
                                                                               : Scalar::int64);
  if (!axis) return array::sum(values);
  if (*axis == 1 || *axis == -1) return array::segmented_reduce(values, offsets_);
  if (*axis != 0 && *axis != -2)
    throw IndexError("axis " + std::to_string(*axis) + " of a matrix", "pass 0, 1 or none");
  const Array made =
      array::zeros({size().columns}, values.dtype().scalar(), {.stream = data_.stream()});
  if (data_.size() > 0) array::combine_at(made, in_dtype(indices_, Scalar::int64), values);
  return made;
}

Array CsrMatrix::extreme(Op op, std::optional<int> axis) const {
  if (axis && (*axis == 0 || *axis == -2)) return transposed().extreme(op, 1);
  if (axis && *axis != 1 && *axis != -1)
    throw IndexError("axis " + std::to_string(*axis) + " of a matrix", "pass 0, 1 or none");
  if (size().columns == 0 || (!axis && size().rows == 0))
    throw InvalidArgument("an extremum of no elements, of a matrix of " + text_of(size()),
                          "ask for one of rows and columns that have elements");
  const CsrMatrix once = canonical();
  const Array values = as_numbers(once.data_);
  if (values.dtype().kind() == ScalarKind::complex)
    throw DTypeError("an extremum of complex numbers", "take their absolute values");
  const Array of_rows = array::segmented_reduce(values, once.offsets_, {.op = op});
  const Array zeros = array::zeros_like(of_rows);
  const Array reach = row_lengths(once);
  // An empty row has what changes nothing, which is no element.
  const Array beside = array::apply(op, {where(equal(reach, 0), zeros, of_rows), zeros});
  Array found = where(less(reach, size().columns), beside, of_rows);
  if (dtype() == Scalar::boolean) found = in_dtype(found, dtype());
  if (axis) return found;
  return op == Op::maximum ? array::max(found) : array::min(found);
}
Array CsrMatrix::largest(std::optional<int> axis) const { return extreme(Op::maximum, axis); }
Array CsrMatrix::least(std::optional<int> axis) const { return extreme(Op::minimum, axis); }

CsrMatrix CsrMatrix::reshaped(const MatrixSize& size) const {
  const MatrixSize& own = this->size();
  require_size(size);
  if (own.rows * own.columns != size.rows * size.columns)
    throw ShapeError("a matrix of " + text_of(own) + " as one of " + text_of(size),
                     "pass a size with as many elements");
  if (entries() == 0)
    return CsrMatrix(Checked{}, data_, indices_,
                     array::zeros({size.rows + 1}, Scalar::int64, {.stream = stream()}), size);
  const Entries all = entries_of(*this);
  const Array place = all.rows * own.columns + all.columns;
  return assembled(data_, floor_divide(place, size.columns), remainder(place, size.columns), size);
}

CsrMatrix CsrMatrix::with_data(const Array& data) const {
  require_elements(data);
  if (data.size() != data_.size())
    throw ShapeError(
        std::to_string(data.size()) + " elements for " + std::to_string(data_.size()) + " entries",
        "pass one for each entry");
  return CsrMatrix(Checked{}, packed(data), indices_, offsets_, size());
}

CsrMatrix CsrMatrix::copied() const {
  CsrMatrix made = *this;
  for (Array* array : {&made.data_, &made.indices_, &made.offsets_}) *array = array::copy(*array);
  return made;
}

bool CsrMatrix::has_columns_in_order(std::int64_t least_step) const {
  if (entries() < 2) return true;
  const Entries all = entries_of(*this);
  const Index behind{.start = 1}, before{.stop = -1};
  const Array step = all.columns.at({behind}) - all.columns.at({before});
  const Array is_new = not_equal(all.rows.at({behind}), all.rows.at({before}));
  return array::all(logical_or(is_new, greater_equal(step, least_step))).as<bool>().front();
}
bool CsrMatrix::has_sorted_indices() const { return has_columns_in_order(0); }
bool CsrMatrix::is_canonical() const { return has_columns_in_order(1); }

CsrMatrix CsrMatrix::canonical() const {
  if (is_canonical()) return *this;
  return assembled(data_, rows(), indices_, size());
}

CsrMatrix CsrMatrix::sorted() const {
  if (has_sorted_indices()) return *this;
  const Entries all = entries_of(*this);
  const std::int64_t width = std::max<std::int64_t>(size().columns, 1);
  const array::IndexArray order(array::argsort(all.rows * width + all.columns));
  return CsrMatrix(Checked{}, stored_as(array::take(all.data, order), dtype()),
                   packed(array::take(indices_, order)), offsets_, size());
}

CsrMatrix CsrMatrix::without_zeros() const {
  const Entries all = entries_of(*this);
  const Array kept = not_equal(all.data, 0);
  const Array places = array::flatnonzero(kept);
  if (places.size() == entries()) return *this;
  const Entries few = chosen(all, places);
  const Array offsets = array::searchsorted(few.rows, numbers(size().rows + 1, data_));
  return CsrMatrix(Checked{}, stored_as(few.data, dtype()),
                   packed(in_dtype(few.columns, indices_.dtype())), packed(offsets), size());
}

CsrMatrix CsrMatrix::rows_between(std::int64_t first, std::int64_t last) const {
  if (first < 0 || last > size().rows || first > last)
    throw IndexError("rows " + std::to_string(first) + " to " + std::to_string(last) + " of " +
                         std::to_string(size().rows),
                     "pass 0 <= first <= last <= rows");
  const Array part = offsets_.at({Index{.start = first, .stop = last + 1}});
  const std::int64_t begin = integer_of(part.at({Index::at(0)})),
                     end = integer_of(part.at({Index::at(-1)}));
  const Index entries{.start = begin, .stop = end};
  return CsrMatrix(Checked{}, packed(data_.at({entries})), packed(indices_.at({entries})),
                   packed(part - begin), {last - first, size().columns});
}

}  // namespace treadle::sparse

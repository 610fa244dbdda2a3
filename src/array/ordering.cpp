// SPDX-License-Identifier: MIT
#include "treadle/array/ordering.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "array/access.hpp"
#include "array/context.hpp"
#include "array/dense.hpp"
#include "array/evaluate.hpp"
#include "array/record.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/indexing.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/array/searching.hpp"
#include "treadle/base/error.hpp"
#include "treadle/base/promotion.hpp"
#include "treadle/kernel/row_sort.hpp"
#include "treadle/kernel/top_k.hpp"

namespace treadle::array {
namespace {

/// The results of sorting rows. Rows are the last axis of dense memory.
struct SortedRows {
  Array values, places;  ///< places count through all rows
};

SortedRows sort_rows(const Array& x, bool wants_places, bool is_descending) {
  const std::int64_t length = x.shape().back();
  const kernel::RowSort sort{.dtype = x.dtype().scalar(),
                             .rows = static_cast<std::uint64_t>(x.size() / length),
                             .length = static_cast<std::uint64_t>(length),
                             .is_descending = is_descending};
  const Placement beside{.stream = x.stream()};
  SortedRows made{empty(shape_of(x), x.dtype(), beside), {}};
  kernel::RowSortArguments arguments{x, made.values, {}, {}};
  Array places;
  if (wants_places || kernel::needs_places(x.device(), sort)) {
    const Scalar dtype = kernel::place_dtype(sort);
    places = arange(0, x.size(), 1, dtype, beside);
    compute(Access::node(places));
    made.places = empty(shape_of(x), dtype, beside);
    arguments.places = places;
    arguments.sorted_places = made.places;
  }
  const StreamRef stream = Access::node(made.values).context->stream({});
  const WithoutHostLock released;
  kernel::launch_row_sort(*stream, sort, arguments);
  return made;
}

/// Turns places among all rows into places within the row, as int64.
Array along_row(const Array& places, std::int64_t length) {
  const Array place = places.size() == length ? places : remainder(places, length);
  return in_dtype(place, Scalar::int64);
}

/// Rows along the last axis, and how to move that axis back.
struct Rows {
  Array rows;
  bool is_moved;
  int axis;

  Array back(const Array& x) const { return is_moved ? dense_copy(moveaxis(x, -1, axis)) : x; }
};

Rows rows_of(const Array& x, std::optional<int> axis) {
  if (x.dtype().scalar() == Scalar::structure)
    throw DTypeError("a sort of records of " + x.dtype().name(), "sort by their fields: lexsort()");
  if (!axis) return {dense(ravel(x)), false, 0};
  // As in argsort(), an array without axes has one element along axis 0.
  if (x.rank() == 0 && (*axis == 0 || *axis == -1)) return {dense(ravel(x)), false, 0};
  const auto along = static_cast<int>(counted_axis(x, *axis));
  const bool is_moved = along != x.rank() - 1;
  return {dense(is_moved ? moveaxis(x, along, -1) : x), is_moved, along};
}

/// NumPy's order of complex numbers as keys, the most important last: first numbers, then NaN in
/// the imaginary part, then NaN in the real part; among numbers the real parts, then the imaginary
/// parts.
std::vector<Array> complex_keys(const Array& x) {
  const Array real = real_part(x), imaginary = imaginary_part(x);
  const Array nans =
      in_dtype(isnan(real), Scalar::uint8) * 2 + in_dtype(isnan(imaginary), Scalar::uint8);
  return {imaginary, real, nans};
}

Array argsort_rows(const Array& rows, bool is_descending);

/// Sorts rows by several keys: each sort is stable and keeps the order of the earlier sorts.
Array lexsort_rows(std::span<const Array> keys, bool is_descending) {
  Array order;
  for (const Array& key : keys) {
    if (!order.has_value()) {
      order = argsort_rows(dense(key), is_descending);
      continue;
    }
    const Array next =
        argsort_rows(dense(take_along_axis(key, IndexArray(order), -1)), is_descending);
    order = take_along_axis(order, IndexArray(next), -1);
  }
  return order;
}

/// The kernel's arguments to take k elements of each row. Rows are not complex.
kernel::TopK top_of(const Array& rows, std::int64_t k, bool is_largest) {
  const std::int64_t length = rows.shape().back();
  return {.dtype = rows.dtype().scalar(),
          .rows = static_cast<std::uint64_t>(rows.size() / std::max<std::int64_t>(length, 1)),
          .length = static_cast<std::uint64_t>(length),
          .k = static_cast<std::uint64_t>(k),
          .is_largest = is_largest};
}

TopK launched_top_k(const Array& rows, const kernel::TopK& top) {
  Shape shape = shape_of(rows);
  shape.back() = static_cast<std::int64_t>(top.k);
  const Placement beside{.stream = rows.stream()};
  TopK made{empty(shape, rows.dtype(), beside), empty(shape, Scalar::int64, beside)};
  const StreamRef stream = Access::node(made.values).context->stream({});
  const WithoutHostLock released;
  kernel::launch_top_k(*stream, top, {rows, made.values, made.indices});
  return made;
}

/// Sorts short rows, one row in each group, if this is the fastest way.
std::optional<TopK> sorted_in_groups(const Array& rows, bool is_descending) {
  const kernel::TopK top = top_of(rows, rows.shape().back(), is_descending);
  if (!kernel::is_worth_groups(rows.device(), top)) return std::nullopt;
  return launched_top_k(rows, top);
}

Array argsort_rows(const Array& rows, bool is_descending) {
  if (rows.size() == 0) return empty(shape_of(rows), Scalar::int64, {.stream = rows.stream()});
  if (rows.dtype().kind() == ScalarKind::complex)
    return lexsort_rows(complex_keys(rows), is_descending);
  if (const auto made = sorted_in_groups(rows, is_descending)) return made->indices;
  return along_row(sort_rows(rows, true, is_descending).places, rows.shape().back());
}

/// Sorts rows into new dense memory.
Array sorted_rows(const Array& rows, bool is_descending) {
  if (rows.size() == 0) return empty(shape_of(rows), rows.dtype(), {.stream = rows.stream()});
  if (rows.dtype().kind() == ScalarKind::complex)
    return take_along_axis(rows, IndexArray(argsort_rows(rows, is_descending)), -1);
  if (const auto made = sorted_in_groups(rows, is_descending)) return made->values;
  return sort_rows(rows, false, is_descending).values;
}

}  // namespace

Array sorted(const Array& x, const OrderOptions& options) {
  if (options.axis) counted_axis(x, *options.axis);
  const Rows of = rows_of(x, options.axis);
  return of.back(sorted_rows(of.rows, options.is_descending));
}

Array argsort(const Array& x, const OrderOptions& options) {
  const Rows of = rows_of(x, options.axis);
  return of.back(argsort_rows(of.rows, options.is_descending));
}

void sort_in_place(const Array& x, const OrderOptions& options) {
  if (!x.is_writable())
    throw InvalidArgument("a sort in place of an array that cannot be written to",
                          "sorted(x) makes a new one");
  if (!options.axis) return x.assign(reshape(sorted(x, options), shape_of(x)));
  x.assign(sorted(x, options));
}

Array sort_complex(const Array& x) {
  const Scalar dtype = x.dtype().scalar();
  const bool is_small = x.dtype().size_bytes() <= 2 && x.dtype().is_integer();
  const Scalar wanted = x.dtype().kind() == ScalarKind::complex ? dtype
                        : is_small                              ? Scalar::complex64
                                                                : Scalar::complex128;
  return in_dtype(sorted(x), wanted);
}

Array lexsort(List<Array> keys, int axis) {
  if (keys.empty()) throw InvalidArgument("lexsort by no keys", "pass one array for each key");
  std::vector<Array> all;
  std::optional<Rows> last;
  for (const Array& key : keys) {
    require_one_context("lexsort", *Access::node(keys.front()).context, *Access::node(key).context);
    if (!std::ranges::equal(key.shape(), keys.front().shape()))
      throw ShapeError("lexsort by keys of shapes " + shape_text(keys.front().shape()) + " and " +
                           shape_text(key.shape()),
                       "let all keys have one shape");
    last = rows_of(key, axis);
    if (key.dtype().kind() == ScalarKind::complex)
      std::ranges::move(complex_keys(last->rows), std::back_inserter(all));
    else
      all.push_back(last->rows);
  }
  if (last->rows.size() == 0)
    return last->back(
        empty(shape_of(last->rows), Scalar::int64, {.stream = keys.front().stream()}));
  const Array order = last->back(lexsort_rows(all, false));
  return keys.front().rank() == 0 ? reshape(order, {}) : order;
}

TopK top_k(const Array& x, std::int64_t k, const TopKOptions& options) {
  const Rows of = rows_of(x, options.axis);
  const Array& rows = of.rows;
  const std::int64_t length = rows.shape().back();
  if (k < 0 || k > length)
    throw InvalidArgument(
        "the first k=" + std::to_string(k) + " of " + std::to_string(length) + " elements",
        "take no more than the axis has");
  Shape shape = shape_of(rows);
  shape.back() = k;
  const Placement beside{.stream = rows.stream()};
  const kernel::TopK top = top_of(rows, k, options.is_largest);
  const bool is_complex = rows.dtype().kind() == ScalarKind::complex;
  TopK made;
  if (k == 0 || rows.size() == 0) {
    made = {empty(shape, rows.dtype(), beside), empty(shape, Scalar::int64, beside)};
  } else if (is_complex || !kernel::has_top_k(rows.device(), top)) {
    const Array order = argsort_rows(rows, options.is_largest);
    made.indices = dense(order.at({Index::ellipsis(), Index{.stop = k}}));
    made.values = take_along_axis(rows, IndexArray(made.indices), -1);
  } else {
    made = launched_top_k(rows, top);
  }
  return {of.back(made.values), of.back(made.indices)};
}

Array merged(const Array& x, const Array& y) {
  for (const Array* one : {&x, &y})
    if (one->rank() != 1)
      throw ShapeError("a merge of an array of shape " + shape_text(one->shape()),
                       "pass arrays of one axis");
  require_one_context("merge", *Access::node(x).context, *Access::node(y).context);
  const Scalar common = promote(x.dtype().scalar(), y.dtype().scalar());
  const Array first = dense(in_dtype(x, common)), second = dense(in_dtype(y, common));
  const Array made = empty({x.size() + y.size()}, common, {.stream = first.stream()});
  const auto put_behind = [&](const Array& own, const Array& other, SearchSide side) {
    if (own.size() == 0) return;
    const Array places = searchsorted(other, own, side) +
                         arange(0, own.size(), 1, Scalar::int64, {.stream = own.stream()});
    const AnyIndex place{IndexArray(places)};
    assign_at(made, std::span(&place, 1), own);
  };
  put_behind(first, second, SearchSide::left);
  put_behind(second, first, SearchSide::right);
  return made;
}

}  // namespace treadle::array

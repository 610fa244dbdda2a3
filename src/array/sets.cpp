// SPDX-License-Identifier: MIT
#include "treadle/array/sets.hpp"

#include <utility>

#include "array/access.hpp"
#include "array/context.hpp"
#include "array/dense.hpp"
#include "array/record.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/cumulative.hpp"
#include "treadle/array/indexing.hpp"
#include "treadle/array/joining.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/array/ordering.hpp"
#include "treadle/array/reduction.hpp"
#include "treadle/array/searching.hpp"
#include "treadle/array/selection.hpp"
#include "treadle/base/error.hpp"
#include "treadle/base/promotion.hpp"

namespace treadle::array {
namespace {

/// If there are fewer elements, one kernel compares all pairs. This result may stay pending.
constexpr std::int64_t few_enough_for_pairs = 16;

Array but_first(const Array& x) { return x.at({Index{.start = 1}}); }
Array but_last(const Array& x) { return x.at({Index{.stop = -1}}); }
Array at_places(const Array& x, const Array& places) { return take(x, IndexArray(places), 0); }

/// Whether neighbouring elements of a sorted array are equal.
Array equal_neighbours(const Array& sorted, bool makes_nans_equal) {
  const Array before = but_last(sorted), behind = but_first(sorted);
  const ScalarKind kind = sorted.dtype().kind();
  const bool has_nans = kind == ScalarKind::floating || kind == ScalarKind::complex;
  if (!has_nans || !makes_nans_equal) return before == behind;
  return (before == behind) | (isnan(before) & isnan(behind));
}

/// Marks the first element of each value in a sorted array.
Array starts_of(const Array& sorted, bool makes_nans_equal) {
  const Array starts = ones(shape_of(sorted), Scalar::boolean, {.stream = sorted.stream()});
  if (sorted.size() > 1)
    but_first(starts).assign(logical_not(equal_neighbours(sorted, makes_nans_equal)));
  return starts;
}

/// Selects the marked elements. `first` tells how many there are.
Array marked(const Array& x, const Array& marks, const Array& first) {
  return selected(dense(x), marks, {first.shape()[0]}).values;
}

/// Two arrays of one axis in their common dtype.
struct Pair {
  Array x, y;
};
Pair together(const char* operation, const Array& x, const Array& y) {
  require_one_context(operation, *Access::node(x).context, *Access::node(y).context);
  const Scalar common = promote(x.dtype().scalar(), y.dtype().scalar());
  return {ravel(in_dtype(x, common)), ravel(in_dtype(y, common))};
}
Pair values_together(const char* operation, const Array& x, const Array& y, bool are_unique) {
  Pair both = together(operation, x, y);
  if (are_unique) return both;
  return {unique(both.x).values, unique(both.y).values};
}
Array joined_pair(const Pair& both) {
  const Array parts[] = {both.x, both.y};
  return concatenate(parts);
}

/// Groups the equal elements, or equal parts, of x.
struct Grouped {
  Array order;     ///< int64: the places in x, in sorted order; none if not needed
  Array in_order;  ///< x in that order, along axis 0
  Array starts;    ///< marks the first element of each value
};

Grouped grouped_elements(const Array& x, bool needs_order, bool makes_nans_equal) {
  Grouped made;
  if (needs_order) made.order = argsort(x);
  made.in_order = needs_order ? dense(at_places(x, made.order)) : sorted(x);
  made.starts = starts_of(made.in_order, makes_nans_equal);
  return made;
}

/// Groups the parts of x along axis 0.
Grouped grouped_parts(const Array& x) {
  const std::int64_t count = x.shape()[0], length = count == 0 ? 0 : x.size() / count;
  const Array rows = reshape(x, {count, length});
  std::vector<Array> keys;  // the last key is compared first
  for (std::int64_t i = length - 1; i >= 0; --i) keys.push_back(rows.at({Index{}, Index::at(i)}));
  Grouped made;
  made.order =
      keys.empty() ? arange(0, count, 1, Scalar::int64, {.stream = x.stream()}) : lexsort(keys);
  made.in_order = at_places(x, made.order);
  made.starts = ones({count}, Scalar::boolean, {.stream = x.stream()});
  if (count < 2) return made;
  const Array in_order = at_places(rows, made.order);
  const Array differ = but_last(in_order) != but_first(in_order);
  but_first(made.starts).assign(any(differ, {.axes = 1}));
  return made;
}

}  // namespace

Unique unique(const Array& x, const UniqueOptions& options) {
  const Array all = options.axis ? moveaxis(x, *options.axis, 0) : dense(ravel(x));
  const bool needs_order = options.has_indices || options.has_inverse;
  const Grouped found = options.axis ? grouped_parts(all)
                                     : grouped_elements(all, needs_order, options.makes_nans_equal);
  const std::int64_t count = all.shape()[0];
  Unique made;
  if (options.axis)
    made.values = moveaxis(at_places(found.in_order, flatnonzero(found.starts)), 0, *options.axis);
  else
    made.values = selected(found.in_order, found.starts);
  const Array first_of = options.axis ? moveaxis(made.values, *options.axis, 0) : made.values;
  if (options.has_indices) made.indices = marked(found.order, found.starts, first_of);
  if (options.has_inverse) {
    const Array numbers = cumulative_sum(in_dtype(found.starts, Scalar::int64), {.axes = 0}) - 1;
    const Array inverse = empty({count}, Scalar::int64, {.stream = all.stream()});
    const AnyIndex place{IndexArray(found.order)};
    if (count > 0) assign_at(inverse, std::span(&place, 1), numbers);
    made.inverse = options.axis ? inverse : reshape(inverse, shape_of(x));
  }
  if (options.has_counts) {
    const Array first = flatnonzero(found.starts, {first_of.shape()[0]}).values;
    const Array end = full({1}, count, Scalar::int64, {.stream = all.stream()});
    made.counts = diff(append(first, end));
  }
  return made;
}

Array union1d(const Array& x, const Array& y) {
  return unique(joined_pair(together("union1d", x, y))).values;
}

Intersection intersect1d(const Array& x, const Array& y, bool are_unique) {
  const Pair both = together("intersect1d", x, y);
  Unique first{both.x, {}, {}, {}}, second{both.y, {}, {}, {}};
  if (!are_unique) {
    first = unique(both.x, {.has_indices = true});
    second = unique(both.y, {.has_indices = true});
  }
  const Array all = joined_pair({first.values, second.values});
  const Array order = argsort(all), in_order = dense(at_places(all, order));
  if (all.size() < 2) {
    const Array none = empty({0}, Scalar::int64, {.stream = all.stream()});
    return {empty({0}, all.dtype(), {.stream = all.stream()}), none, none};
  }
  const Array marks = equal_neighbours(in_order, false);
  Intersection made{selected(but_last(in_order), marks), {}, {}};
  made.first = marked(but_last(order), marks, made.values);
  made.second = marked(but_first(order), marks, made.values) - first.values.size();
  if (are_unique) return made;
  made.first = at_places(first.indices, made.first);
  made.second = at_places(second.indices, made.second);
  return made;
}

Array setdiff1d(const Array& x, const Array& y, bool are_unique) {
  const Array values = are_unique ? ravel(x) : unique(x).values;
  return selected(values, isin(values, y, true));
}

Array setxor1d(const Array& x, const Array& y, bool are_unique) {
  const Array all = sorted(joined_pair(values_together("setxor1d", x, y, are_unique)));
  if (all.size() == 0) return all;
  const Array edges = ones({all.size() + 1}, Scalar::boolean, {.stream = all.stream()});
  if (all.size() > 1) but_last(but_first(edges)).assign(logical_not(equal_neighbours(all, false)));
  return selected(all, but_first(edges) & but_last(edges));
}

Array isin(const Array& x, const Array& y, bool is_inverted) {
  const Pair both = together("isin", x, y);
  if (both.y.size() == 0 || both.x.size() == 0)
    return full(shape_of(x), is_inverted, Scalar::boolean, {.stream = x.stream()});
  if (y.size() <= few_enough_for_pairs) {
    const Array pairs = expand_dims(x, -1), others = ravel(y);
    return is_inverted ? all(pairs != others, {.axes = -1}) : any(pairs == others, {.axes = -1});
  }
  const Array among = sorted(both.y);
  const Array places = minimum(searchsorted(among, both.x), among.size() - 1);
  const Array found = at_places(among, places);
  return reshape(is_inverted ? found != both.x : found == both.x, shape_of(x));
}

}  // namespace treadle::array

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

/// Fewer elements are all compared, in one kernel, which waits like other expressions.
constexpr std::int64_t few_enough_for_pairs = 16;

Array but_first(const Array& x) { return x.at({Index{.start = 1}}); }
Array but_last(const Array& x) { return x.at({Index{.stop = -1}}); }
Array at_places(const Array& x, const Array& places) { return take(x, IndexArray(places), 0); }

/// Whether neighbours of what is sorted are the same value.
Array equal_neighbours(const Array& sorted, bool makes_nans_equal) {
  const Array before = but_last(sorted), behind = but_first(sorted);
  const ScalarKind kind = sorted.dtype().kind();
  const bool has_nans = kind == ScalarKind::floating || kind == ScalarKind::complex;
  if (!has_nans || !makes_nans_equal) return before == behind;
  return (before == behind) | (isnan(before) & isnan(behind));
}

/// Whether an element of what is sorted is the first of its value.
Array starts_of(const Array& sorted, bool makes_nans_equal) {
  const Array starts = ones(shape_of(sorted), Scalar::boolean, {.stream = sorted.stream()});
  if (sorted.size() > 1)
    but_first(starts).assign(logical_not(equal_neighbours(sorted, makes_nans_equal)));
  return starts;
}

/// Those that are marked, of whom it is known how many they are.
Array marked(const Array& x, const Array& marks, const Array& first) {
  return selected(dense(x), marks, {first.size()}).values;
}

/// Both in their common dtype, as one axis each.
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

}  // namespace

Unique unique(const Array& x, const UniqueOptions& options) {
  const Array all = dense(ravel(x));
  const bool needs_order = options.has_indices || options.has_inverse;
  const Array order = needs_order ? argsort(all) : Array();
  const Array in_order = needs_order ? dense(at_places(all, order)) : sorted(all);
  const Array starts = starts_of(in_order, options.makes_nans_equal);
  Unique made;
  made.values = selected(in_order, starts);
  if (options.has_indices) made.indices = marked(order, starts, made.values);
  if (options.has_inverse) {
    const Array numbers = cumulative_sum(in_dtype(starts, Scalar::int64), {.axes = 0}) - 1;
    const Array inverse = empty({x.size()}, Scalar::int64, {.stream = all.stream()});
    const AnyIndex place{IndexArray(order)};
    if (x.size() > 0) assign_at(inverse, std::span(&place, 1), numbers);
    made.inverse = reshape(inverse, shape_of(x));
  }
  if (options.has_counts) {
    const Array first = flatnonzero(starts, {made.values.size()}).values;
    const Array end = full({1}, x.size(), Scalar::int64, {.stream = all.stream()});
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

// SPDX-License-Identifier: MIT
#include "treadle/array/searching.hpp"

#include <cmath>
#include <cstdint>
#include <string>

#include "array/access.hpp"
#include "array/context.hpp"
#include "array/dense.hpp"
#include "array/evaluate.hpp"
#include "array/record.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/indexing.hpp"
#include "treadle/array/joining.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/array/ordering.hpp"
#include "treadle/array/reduction.hpp"
#include "treadle/base/error.hpp"
#include "treadle/base/promotion.hpp"
#include "treadle/kernel/search.hpp"

namespace treadle::array {
namespace {

void require_one_axis(const char* what, const Array& x) {
  if (x.rank() != 1)
    throw ShapeError(std::string(what) + " of shape " + shape_text(x.shape()),
                     "pass an array of one axis");
}

Array part_from(const Array& x, std::optional<std::int64_t> start,
                std::optional<std::int64_t> stop) {
  return x.at({Index{.start = start, .stop = stop}});
}

bool holds_for_all(const Array& condition) { return all(condition).as<bool>().front(); }

/// Places and values of one period, and one more point on either side.
struct Line {
  Array x, places, values;
};
Line periodic(const Array& x, const Array& places, const Array& values, double period) {
  const double length = std::abs(period);
  const Array within = remainder(places, length);
  const Array order = argsort(within);
  const Array sorted_places = take(within, IndexArray(order), 0);
  const Array sorted_values = take(values, IndexArray(order), 0);
  const Array before = part_from(sorted_places, -1, {}) - length;
  const Array behind = part_from(sorted_places, {}, 1) + length;
  const Array all_places[] = {before, sorted_places, behind};
  const Array all_values[] = {part_from(sorted_values, -1, {}), sorted_values,
                              part_from(sorted_values, {}, 1)};
  return {remainder(x, length), concatenate(all_places), concatenate(all_values)};
}

}  // namespace

Array searchsorted(const Array& sorted, const Array& x, SearchSide side, const Array& sorter) {
  require_one_axis("what is searched, sorted,", sorted);
  require_one_context("searchsorted", *Access::node(sorted).context, *Access::node(x).context);
  if (sorter.has_value()) {
    require_one_axis("a sorter", sorter);
    if (sorter.size() != sorted.size())
      throw ShapeError("a sorter of " + std::to_string(sorter.size()) + " places for " +
                           std::to_string(sorted.size()) + " elements",
                       "pass what argsort() gives");
    return searchsorted(take(sorted, IndexArray(sorter), 0), x, side);
  }
  const Scalar common = promote(sorted.dtype().scalar(), x.dtype().scalar());
  const Array among = dense(in_dtype(sorted, common)), wanted = dense(in_dtype(x, common));
  const Array places = empty(shape_of(x), Scalar::int64, {.stream = wanted.stream()});
  if (places.size() == 0) return places;
  const StreamRef stream = Access::node(places).context->stream({});
  const WithoutHostLock released;
  kernel::launch_search(*stream,
                        {.dtype = common,
                         .length = static_cast<std::uint64_t>(among.size()),
                         .wanted = static_cast<std::uint64_t>(wanted.size()),
                         .is_behind_equal = side == SearchSide::right},
                        {among, wanted, places});
  return places;
}

Array digitize(const Array& x, const Array& edges, bool is_right) {
  for (const Array* given : {&x, &edges})
    if (given->dtype().kind() == ScalarKind::complex)
      throw DTypeError("bins of " + given->dtype().name(),
                       "sort complex numbers by one of their parts");
  require_one_axis("edges of bins", edges);
  const SearchSide side = is_right ? SearchSide::left : SearchSide::right;
  if (edges.size() < 2) return searchsorted(edges, x, side);
  const Array before = part_from(edges, {}, -1), behind = part_from(edges, 1, {});
  if (holds_for_all(before <= behind)) return searchsorted(edges, x, side);
  // A comparison with NaN is false, so NaN is no step in the wrong direction. The first edge that
  // differs from the edge before it tells the direction.
  const Array first_change = argmax(before != behind);
  const bool goes_up = take(before < behind, IndexArray(first_change)).item().as_bool();
  if (any(goes_up ? before > behind : before < behind).item().as_bool())
    throw InvalidArgument("edges of bins go up and down", "sort them");
  if (goes_up) return searchsorted(edges, x, side);
  return edges.size() - searchsorted(flip(edges), x, side);
}

Array interp(const Array& given, const Array& given_places, const Array& given_values,
             const InterpolationOptions& options) {
  require_one_axis("places", given_places);
  require_one_axis("values", given_values);
  if (given_places.size() != given_values.size())
    throw ShapeError(std::to_string(given_values.size()) + " values at " +
                         std::to_string(given_places.size()) + " places",
                     "pass as many of both");
  for (const Array* real : {&given, &given_places})
    if (real->dtype().kind() == ScalarKind::complex)
      throw DTypeError("interp at places of " + real->dtype().name(),
                       "places are real; values may be complex");
  if (given_places.size() == 0)
    throw InvalidArgument("interp between no places", "pass one place at least");
  if (options.period && *options.period == 0)
    throw InvalidArgument("interp with a period of 0", "pass another distance");
  const bool is_complex = given_values.dtype().kind() == ScalarKind::complex;
  Line line{in_dtype(given, Scalar::float64), in_dtype(given_places, Scalar::float64),
            in_dtype(given_values, is_complex ? Scalar::complex128 : Scalar::float64)};
  if (options.period) line = periodic(line.x, line.places, line.values, *options.period);
  const Array x = dense(line.x), places = dense(line.places), values = dense(line.values);
  const std::int64_t last = places.size() - 1;
  const Array behind = searchsorted(places, x, SearchSide::right);
  const Array low = minimum(maximum(behind - 1, 0), std::max<std::int64_t>(last - 1, 0));
  const Array high = minimum(low + 1, last);
  const auto at = [](const Array& from, const Array& which) {
    return take(from, IndexArray(which), 0);
  };
  const Array x0 = at(places, low), x1 = at(places, high);
  const Array y0 = at(values, low), y1 = at(values, high);
  const Array slope = divide(y1 - y0, x1 - x0);
  // Interpolate from the lower end. Where this gives NaN, as beside an infinity, interpolate from
  // the upper end.
  const Array from_low = slope * (x - x0) + y0, from_high = slope * (x - x1) + y1;
  Array made =
      where(isnan(from_low), where(isnan(from_high) & (y0 == y1), y0, from_high), from_low);
  made = where(x == x0, y0, made);
  const Array first_value = values.at({Index::at(0)}), last_value = values.at({Index::at(last)});
  const Array first = places.at({Index::at(0)}), end = places.at({Index::at(last)});
  made = where(x >= end, last_value, made);
  made = options.left ? where(x < first, *options.left, made) : where(x < first, first_value, made);
  if (options.right) made = where(x > end, *options.right, made);
  return where(isnan(x), std::nan(""), made);
}

}  // namespace treadle::array

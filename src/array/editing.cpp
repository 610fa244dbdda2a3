// SPDX-License-Identifier: MIT
// Arrays with some elements inserted or removed.
#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "array/access.hpp"
#include "array/parts.hpp"
#include "array/record.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/indexing.hpp"
#include "treadle/array/joining.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/base/error.hpp"

namespace treadle::array {
namespace {

constexpr std::size_t most_parts = 64;  // for more parts, elements are gathered by index

/// Counts positions from 0. The position `end` is allowed if `takes_end` is true.
std::vector<std::int64_t> counted_positions(const char* who,
                                            std::span<const std::int64_t> positions,
                                            std::int64_t length, bool takes_end) {
  std::vector<std::int64_t> counted(positions.begin(), positions.end());
  for (std::int64_t& position : counted) {
    const std::int64_t given = position;
    if (position < 0) position += length;
    if (position < 0 || position >= length + (takes_end ? 1 : 0))
      throw IndexError(std::string(who) + ": index " + std::to_string(given) +
                           " is out of bounds for an axis of length " + std::to_string(length),
                       "name an element of the axis");
  }
  return counted;
}

Array taken(const Array& x, std::vector<std::int64_t> places, int axis) {
  return take(x, IndexArray(std::move(places)), axis);
}

}  // namespace

Array insert(const Array& x, List<std::int64_t> positions, const Array& values, int axis) {
  const std::size_t along = counted_axis(x, axis);
  const std::int64_t length = x.shape()[along];
  const auto at = counted_positions("insert", positions, length, true);
  if (at.empty()) return in_dtype(x, x.dtype());
  Shape shape = shape_of(x);
  shape[along] = static_cast<std::int64_t>(at.size());
  const Array added = in_dtype(broadcast_to(values, shape), x.dtype());
  // The order in which the added elements appear in the result.
  std::vector<std::int64_t> order(at.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {},
                           [&](std::int64_t i) { return at[static_cast<std::size_t>(i)]; });
  const Array parts[] = {x, added};
  std::vector<std::int64_t> places;  // of the result's elements, in x followed by `added`
  places.reserve(static_cast<std::size_t>(length) + at.size());
  std::int64_t next = 0;
  for (const std::int64_t i : order) {
    while (next < at[static_cast<std::size_t>(i)]) places.push_back(next++);
    places.push_back(length + i);
  }
  while (next < length) places.push_back(next++);
  return taken(concatenate(parts, axis), std::move(places), axis);
}

Array erase(const Array& x, List<std::int64_t> positions, int axis) {
  const std::size_t along = counted_axis(x, axis);
  const std::int64_t length = x.shape()[along];
  auto gone = counted_positions("delete", positions, length, false);
  std::ranges::sort(gone);
  const auto again = std::ranges::unique(gone);
  gone.erase(again.begin(), again.end());
  if (gone.size() < most_parts) {
    std::vector<Array> parts;
    std::int64_t begin = 0;
    gone.push_back(length);
    for (const std::int64_t end : gone) {
      if (end > begin) parts.push_back(part(x, along, begin, end));
      begin = end + 1;
    }
    if (!parts.empty()) return concatenate(parts, axis);
    gone.pop_back();
  }
  std::vector<std::int64_t> places;
  for (std::int64_t i = 0, next = 0; i < length; ++i) {
    const bool is_gone =
        static_cast<std::size_t>(next) < gone.size() && gone[static_cast<std::size_t>(next)] == i;
    is_gone ? static_cast<void>(++next) : places.push_back(i);
  }
  return taken(x, std::move(places), axis);
}

Array resize(const Array& x, const Shape& shape) {
  std::int64_t size = 1;
  for (const std::int64_t extent : shape) {
    if (extent < 0)
      throw ShapeError("resize to the shape " + shape_text(shape), "extents are 0 or more");
    size *= extent;
  }
  if (x.size() == 0) return zeros(shape, x.dtype().scalar(), {.stream = x.stream()});
  if (size <= x.size()) return reshape(copy(ravel(x).at({Index{.stop = size}})), shape);
  const std::int64_t counts[] = {(size + x.size() - 1) / x.size()};
  const Array repeated = tile(ravel(x), counts).at({Index{.stop = size}});
  return reshape(in_dtype(repeated, x.dtype()), shape);
}

}  // namespace treadle::array

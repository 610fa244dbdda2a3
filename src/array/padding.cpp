// SPDX-License-Identifier: MIT
#include "treadle/array/padding.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "array/access.hpp"
#include "array/context.hpp"
#include "array/record.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/elementwise.hpp"
#include "treadle/array/indexing.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/array/order_statistics.hpp"
#include "treadle/array/reduction.hpp"
#include "treadle/base/error.hpp"

namespace treadle::array {
namespace {

Array part(const Array& x, int axis, std::int64_t begin, std::int64_t end) {
  return x.viewed(x.layout().sliced(axis, begin, end), x.dtype());
}

/// Elements of x at places beyond its ends, which repeat with a period.
Array repeated(const Array& x, int axis, PadWidth width, PadMode mode, bool is_odd) {
  const std::int64_t length = x.shape()[static_cast<std::size_t>(axis)];
  const Array places =
      arange(-width.first, length + width.second, 1, Scalar::int64, {.stream = x.stream()});
  const auto taken_at = [&](const Array& chosen) { return take(x, IndexArray(chosen), axis); };
  if (mode == PadMode::edge || (mode == PadMode::reflect && length == 1))
    return taken_at(clip(places, Operand(0), Operand(length - 1)));
  if (mode == PadMode::wrap) return taken_at(remainder(places, length));
  const bool repeats_edge = mode == PadMode::symmetric;
  const std::int64_t period = repeats_edge ? 2 * length : 2 * (length - 1);
  const Array onward = remainder(places, period);
  const Array backward = (repeats_edge ? period - 1 : period) - onward;
  const Array taken = taken_at(minimum(onward, backward));
  if (!is_odd) return taken;
  // Each reflection is one in the value of the outermost element, too. Two of them, one at each
  // end, add twice the difference of the outermost elements.
  Shape along(x.shape().size(), 1);
  along[static_cast<std::size_t>(axis)] = -1;
  const Scalar dtype = x.dtype().scalar();
  const Array last = part(x, axis, length - 1, length);
  const Array rise = last - part(x, axis, 0, 1);
  const Array turns = reshape(in_dtype(floor_divide(places, period), dtype), along);
  const Array is_back = reshape(onward >= length, along);
  return where(is_back, last + last - taken, taken) + turns * (rise + rise);
}

/// The one number that stands for elements along an axis, in the dtype of x.
Array folded(const Array& x, int axis, PadMode mode) {
  const Axes axes = axis;
  const bool is_whole = x.dtype().kind() == ScalarKind::signed_integer ||
                        x.dtype().kind() == ScalarKind::unsigned_integer;
  switch (mode) {
    case PadMode::maximum:
      return max(x, {.axes = axes, .keeps_axes = true});
    case PadMode::minimum:
      return min(x, {.axes = axes, .keeps_axes = true});
    default:
      break;
  }
  const Array found = mode == PadMode::mean ? mean(x, {.axes = axes, .keeps_axes = true})
                                            : median(x, {.axes = axes, .keeps_axes = true});
  return in_dtype(is_whole ? rint(found) : found, x.dtype().scalar());
}

/// Numbers from `end` in equal steps up to the element before the edge.
Array ramp(const Array& x, const Array& edge, int axis, std::int64_t width, const Operand& end) {
  const Array outer = empty_like(edge);
  outer.assign(end);
  const Array steps = squeeze(linspace(outer, edge, width, false), axis + 1);
  const Array in_place = moveaxis(steps, 0, axis);
  const ScalarKind kind = x.dtype().kind();
  const bool is_whole = kind == ScalarKind::signed_integer || kind == ScalarKind::unsigned_integer;
  return in_dtype(is_whole ? floor(in_place) : in_place, x.dtype().scalar());
}

/// So many equal elements along an axis of length 1.
Array spread(const Array& one, int axis, std::int64_t width) {
  Shape shape = shape_of(one);
  shape[static_cast<std::size_t>(axis)] = width;
  return broadcast_to(one, shape);
}

Array joined(const Array& before, const Array& x, const Array& behind, int axis) {
  const Array parts[] = {before, x, behind};
  return concatenate(parts, axis);
}

/// How many elements at each end count, at most all. Of none there is a mean, NaN, as in NumPy.
PadWidth counted_length(const PadOptions& options, int axis, std::int64_t length, PadMode mode) {
  if (options.lengths.empty()) return {length, length};
  const PadWidth given = options.lengths[static_cast<std::size_t>(axis)];
  const bool has_extrema = mode == PadMode::maximum || mode == PadMode::minimum;
  if (std::min(given.first, given.second) < (has_extrema ? 1 : 0))
    throw InvalidArgument("pad: " + std::to_string(std::min(given.first, given.second)) +
                              " elements of axis " + std::to_string(axis) + " count",
                          "give 1 or more as stat_length");
  return {std::min(given.first, length), std::min(given.second, length)};
}

Array padded(const Array& x, int axis, PadWidth width, PadMode mode, const PadOptions& options) {
  const std::int64_t length = x.shape()[static_cast<std::size_t>(axis)];
  switch (mode) {
    case PadMode::edge:
    case PadMode::wrap:
    case PadMode::reflect:
    case PadMode::symmetric:
      return repeated(x, axis, width, mode, options.is_odd);
    case PadMode::linear_ramp: {
      const PadValues ends =
          options.ends.empty() ? PadValues{0, 0} : options.ends[static_cast<std::size_t>(axis)];
      const Array before = ramp(x, part(x, axis, 0, 1), axis, width.first, ends.first);
      const Array last = part(x, axis, length - 1, length);
      return joined(before, x, flip(ramp(x, last, axis, width.second, ends.second), axis), axis);
    }
    default: {
      const PadWidth counted = counted_length(options, axis, length, mode);
      const Array before = folded(part(x, axis, 0, counted.first), axis, mode);
      const bool is_same = counted == PadWidth(length, length);
      const Array behind =
          is_same ? before : folded(part(x, axis, length - counted.second, length), axis, mode);
      return joined(spread(before, axis, width.first), x, spread(behind, axis, width.second), axis);
    }
  }
}

void require_pairs(const char* name, std::size_t count, const Array& x) {
  if (count != 0 && count != x.shape().size())
    throw InvalidArgument("pad with " + std::to_string(count) + " " + name +
                              " of an array of shape " + shape_text(x.shape()),
                          "give one for each axis");
}

}  // namespace

Array pad(const Array& x, std::span<const PadWidth> widths, PadMode mode,
          const PadOptions& options) {
  if (widths.size() != x.shape().size())
    throw InvalidArgument("pad with " + std::to_string(widths.size()) +
                              " widths of an array of shape " + shape_text(x.shape()),
                          "give one for each axis");
  require_pairs("lengths", options.lengths.size(), x);
  require_pairs("ends", options.ends.size(), x);
  Array result = copy(x);
  for (int axis = 0; axis < x.rank(); ++axis) {
    const PadWidth width = widths[static_cast<std::size_t>(axis)];
    if (std::min(width.first, width.second) < 0)
      throw InvalidArgument(
          "pad: a border of " + std::to_string(std::min(width.first, width.second)) + " elements",
          "give 0 or more");
    if (width == PadWidth(0, 0)) continue;
    if (x.shape()[static_cast<std::size_t>(axis)] == 0)
      throw ShapeError("pad: axis " + std::to_string(axis) + " of shape " + shape_text(x.shape()) +
                           " has no elements for a border",
                       "pad with a number");
    result = padded(result, axis, width, mode, options);
  }
  return result;
}

}  // namespace treadle::array

// SPDX-License-Identifier: MIT
#include "treadle/array/padding.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "array/access.hpp"
#include "array/parts.hpp"
#include "array/record.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/elementwise.hpp"
#include "treadle/array/indexing.hpp"
#include "treadle/array/joining.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/array/order_statistics.hpp"
#include "treadle/array/reduction.hpp"
#include "treadle/base/error.hpp"
#include "treadle/kernel/tiling.hpp"

namespace treadle::array {
namespace {

/// Elements of x at places beyond its ends. The elements repeat with a period.
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
  // In odd mode each reflection also mirrors values at the outermost element. So two reflections,
  // one at each end, add twice the difference of the two outermost elements.
  Shape along(x.shape().size(), 1);
  along[static_cast<std::size_t>(axis)] = -1;
  const Scalar dtype = x.dtype().scalar();
  const Array last = part(x, axis, length - 1, length);
  const Array rise = last - part(x, axis, 0, 1);
  const Array turns = reshape(in_dtype(floor_divide(places, period), dtype), along);
  const Array is_back = reshape(onward >= length, along);
  return where(is_back, last + last - taken, taken) + turns * (rise + rise);
}

/// The one number that fills the border along an axis, in the dtype of x.
Array folded(const Array& x, int axis, PadMode mode) {
  const Axes axes = axis;
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
  return in_dtype(x.dtype().is_integer() ? rint(found) : found, x.dtype().scalar());
}

/// Numbers in equal steps from `end` up to the element before the edge.
Array ramp(const Array& x, const Array& edge, int axis, std::int64_t width, const Operand& end) {
  const Array outer = empty_like(edge);
  outer.assign(end);
  const Array steps = squeeze(linspace(outer, edge, width, false), axis + 1);
  const Array in_place = moveaxis(steps, 0, axis);
  return in_dtype(x.dtype().is_integer() ? floor(in_place) : in_place, x.dtype().scalar());
}

/// Repeats an array of length 1 along an axis.
Array spread(const Array& one, int axis, std::int64_t width) {
  Shape shape = shape_of(one);
  shape[static_cast<std::size_t>(axis)] = width;
  return broadcast_to(one, shape);
}

Array joined(const Array& before, const Array& x, const Array& behind, int axis) {
  const Array parts[] = {before, x, behind};
  return concatenate(parts, axis);
}

/// The number of elements at each end that the statistic uses, at most all. The mean of no elements
/// is NaN, as in NumPy.
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

void require_one_for_each_axis(const Array& x, std::size_t count, const char* what) {
  if (count != x.shape().size())
    throw InvalidArgument("pad with " + std::to_string(count) + " " + what +
                              " of an array of shape " + shape_text(x.shape()),
                          "give one for each axis");
}

void require_widths(const Array& x, std::span<const PadWidth> widths) {
  require_one_for_each_axis(x, widths.size(), "widths");
  for (const PadWidth& width : widths)
    require_not_negative("pad", std::min(width.first, width.second));
}

/// An array of undefined elements with the shape of x and its border.
Array bordered(const Array& x, std::span<const PadWidth> widths) {
  Shape shape = shape_of(x);
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    shape[axis] += widths[axis].first + widths[axis].second;
  return empty_beside(x, shape, x.dtype());
}

/// A view of `result` without the border of the axes from `first` on.
Array inside(const Array& result, const Array& x, std::span<const PadWidth> widths,
             std::size_t first) {
  Array found = result;
  for (std::size_t axis = first; axis < widths.size(); ++axis)
    found = part(found, axis, widths[axis].first, widths[axis].first + x.shape()[axis]);
  return found;
}

/// Whether writing a strip at each end of each axis takes less time than writing all elements of
/// the result first. Each strip is a launch.
bool has_quick_strips(const Array& x) {
  const std::uint64_t bytes = static_cast<std::uint64_t>(x.size()) * x.dtype().size_bytes();
  const auto launches = static_cast<std::uint64_t>(2 * x.rank() + 1);
  return bytes / launches > kernel::tiling_of(Access::node(x).context->device()).border_bytes;
}

}  // namespace

Array pad(const Array& x, List<PadWidth> widths, const Operand& value) {
  if (has_quick_strips(x)) {
    const std::vector<PadValues> values(x.shape().size(), {value, value});
    return pad(x, widths, values);
  }
  require_widths(x, widths);
  const Array result = bordered(x, widths);
  result.assign(value);
  inside(result, x, widths, 0).assign(x);
  return result;
}

Array pad(const Array& x, List<PadWidth> widths, List<PadValues> values) {
  require_widths(x, widths);
  require_one_for_each_axis(x, values.size(), "pairs of numbers");
  const Array result = bordered(x, widths);
  for (std::size_t axis = 0; axis < values.size(); ++axis) {
    const Array whole = inside(result, x, widths, axis + 1);
    const auto [before, behind] = widths[axis];
    const std::int64_t length = whole.shape()[axis];
    part(whole, axis, 0, before).assign(values[axis].first);
    part(whole, axis, length - behind, length).assign(values[axis].second);
  }
  inside(result, x, widths, 0).assign(x);
  return result;
}

Array pad(const Array& x, List<PadWidth> widths, PadMode mode, const PadOptions& options) {
  require_widths(x, widths);
  if (!options.lengths.empty()) require_one_for_each_axis(x, options.lengths.size(), "lengths");
  if (!options.ends.empty()) require_one_for_each_axis(x, options.ends.size(), "ends");
  Array result = copy(x);
  for (int axis = 0; axis < x.rank(); ++axis) {
    const PadWidth width = widths[static_cast<std::size_t>(axis)];
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

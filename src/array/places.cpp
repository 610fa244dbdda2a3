// SPDX-License-Identifier: MIT
// Integer arithmetic on indices, places, bits and bytes.
#include <string>
#include <vector>

#include "array/record.hpp"
#include "treadle/array/elementwise.hpp"
#include "treadle/array/indexing.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/array/padding.hpp"
#include "treadle/array/reduction.hpp"
#include "treadle/base/error.hpp"
#include "treadle/base/layout.hpp"

namespace treadle::array {
namespace {

void require_integers(const char* who, const Array& x) {
  if (!x.dtype().is_integer() && !(x.dtype() == Scalar::boolean))
    throw DTypeError(std::string(who) + " of " + x.dtype().name(), "places are integers");
}

/// Tells the elements of x that are below 0 or not below `limit`.
Array is_beyond(const Array& x, std::int64_t limit) { return logical_or(x < 0, x >= limit); }

/// The axes, beginning with the axis that varies fastest in this order.
std::vector<std::size_t> innermost_first(std::size_t rank, MemoryOrder order) {
  std::vector<std::size_t> axes(rank);
  for (std::size_t i = 0; i < rank; ++i) axes[i] = order == MemoryOrder::c ? rank - 1 - i : i;
  return axes;
}

/// The shift of each of eight bits.
Array shifts_of(const Array& beside, BitOrder order) {
  const std::vector<std::uint8_t> up{0, 1, 2, 3, 4, 5, 6, 7}, down{7, 6, 5, 4, 3, 2, 1, 0};
  return Array::from(order == BitOrder::little ? up : down, {.stream = beside.stream()});
}

}  // namespace

std::vector<Array> unravel_index(const Array& places, const Shape& shape, MemoryOrder order) {
  require_integers("unravel_index", places);
  const std::int64_t count = element_count(shape);
  if (const Array is_wrong = is_beyond(places, count); any(is_wrong).item().as_bool()) {
    const Array wrong = take(ravel(places), IndexArray(argmax(is_wrong)));
    throw InvalidArgument("unravel_index: index " + std::to_string(wrong.item().as_int64()) +
                              " is out of bounds for array with size " + std::to_string(count),
                          "places are counted from 0");
  }
  std::vector<Array> indices(shape.size());
  Array rest = in_dtype(places, Scalar::int64);
  const auto axes = innermost_first(shape.size(), order);
  for (const std::size_t axis : axes) {
    const bool is_last = axis == axes.back();
    indices[axis] = is_last ? rest : rest % shape[axis];
    if (!is_last) rest = floor_divide(rest, shape[axis]);
  }
  return indices;
}

Array ravel_multi_index(List<Array> indices, const Shape& shape, Bounds bounds, MemoryOrder order) {
  if (indices.size() != shape.size() || shape.empty())
    throw ShapeError("ravel_multi_index: " + std::to_string(indices.size()) +
                         " arrays of indices for the shape " + shape_text(shape),
                     "there is one for each axis, and one axis at least");
  std::optional<Array> places, is_wrong;
  std::int64_t step = 1;
  for (const std::size_t axis : innermost_first(shape.size(), order)) {
    require_integers("ravel_multi_index", indices[axis]);
    const std::int64_t length = shape[axis];
    Array index = in_dtype(indices[axis], Scalar::int64);
    if (bounds == Bounds::wrap) index = index % length;
    if (bounds == Bounds::clip) index = clip(index, 0, length - 1);
    if (bounds == Bounds::checked) {
      const Array is_beyond_axis = is_beyond(indices[axis], length);
      is_wrong = is_wrong ? logical_or(*is_wrong, is_beyond_axis) : is_beyond_axis;
    }
    const Array term = step == 1 ? index : index * step;
    places = places ? *places + term : term;
    step *= length;
  }
  if (is_wrong && any(*is_wrong).item().as_bool())
    throw InvalidArgument("ravel_multi_index: an index beyond the shape " + shape_text(shape),
                          "pass a mode: \"wrap\" or \"clip\"");
  return *places;
}

Array packbits(const Array& x, int axis, BitOrder order) {
  if (x.rank() == 0) return packbits(atleast_1d(x), axis, order);
  if (!x.dtype().is_integer() && !(x.dtype() == Scalar::boolean))
    throw DTypeError("packbits of " + x.dtype().name(), "it takes integers and bool");
  Array bits = moveaxis(x, axis, -1) != 0;
  const std::int64_t length = bits.shape().back(), bytes = (length + 7) / 8;
  if (length % 8 != 0) {
    std::vector<PadWidth> widths(static_cast<std::size_t>(bits.rank()));
    widths.back().second = bytes * 8 - length;
    bits = pad(bits, widths);
  }
  Shape shape(bits.shape().begin(), bits.shape().end());
  shape.back() = bytes;
  shape.push_back(8);
  const Array parts =
      left_shift(in_dtype(reshape(bits, shape), Scalar::uint8), shifts_of(x, order));
  return moveaxis(sum(parts, {.axes = -1, .dtype = Scalar::uint8}), -1, axis);
}

Array unpackbits(const Array& x, int axis, BitOrder order) {
  if (x.rank() == 0) return unpackbits(atleast_1d(x), axis, order);
  if (!(x.dtype() == Scalar::uint8))
    throw DTypeError("unpackbits of " + x.dtype().name(), "it takes uint8");
  const Array bytes = moveaxis(x, axis, -1);
  const Array bits = bitwise_and(right_shift(expand_dims(bytes, -1), shifts_of(x, order)), 1);
  Shape shape(bytes.shape().begin(), bytes.shape().end());
  shape.back() *= 8;
  return moveaxis(reshape(bits, shape), -1, axis);
}

}  // namespace treadle::array

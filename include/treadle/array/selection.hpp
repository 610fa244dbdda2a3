// SPDX-License-Identifier: MIT
// Selects elements by a mask, and finds their places:
//
//     Array large = selected(x, x > 10);          // x[x > 10] in Python
//     auto [few, count] = selected(x, x > 10, {.capacity = 100});
//
// The number of selected elements decides a shape, so the host has to know the number. These
// functions copy one number of 8 bytes and wait for it, and for nothing else. With a capacity they
// do not wait: the result has that length, and the count stays on the device.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "treadle/array/array.hpp"

namespace treadle::array {

/// The length of a result without waiting. Throws InvalidArgument for a capacity below 0.
struct Capacity {
  std::int64_t capacity;
};
/// Selected elements, without waiting.
struct Counted {
  Array values;  ///< the selected elements, as many as fit; the rest is zeros
  Array count;   ///< int64 without axes: the number selected, also of those that do not fit
};
/// Places of selected elements, without waiting.
struct CountedPlaces {
  std::vector<Array> places;  ///< along each axis
  Array count;                ///< as in Counted
};

/// The places along each axis of the elements that are not 0, as int64 in C's order: x[nonzero(m)]
/// in Python. Throws ShapeError for an array without axes, DTypeError for records.
std::vector<Array> nonzero(const Array& x);
/// Finds the places without waiting.
CountedPlaces nonzero(const Array& x, Capacity room);
/// The places among all elements in C's order.
Array flatnonzero(const Array& x);
Counted flatnonzero(const Array& x, Capacity room);  ///< without waiting
/// The places of each such element along the axes, in rows.
Array argwhere(const Array& x);

/// x[mask] in Python: the parts of x where the mask is true. The mask has the shape of the first
/// axes of x. Throws DTypeError for a mask that is not bool, IndexError for another shape, and
/// InvalidArgument for a mask of another device or context.
Array selected(const Array& x, const Array& mask);
/// Selects elements without waiting. The mask has all axes of x. Throws ShapeError for fewer axes.
Counted selected(const Array& x, const Array& mask, Capacity room);
/// x[mask] = value. The value has the shape of selected(x, mask), or broadcasts to that shape.
/// Waits if `value` is more than one number.
void assign_selected(const Array& x, const Array& mask, const Operand& value);

/// The elements in C's order where the condition is not 0. Throws ShapeError for a condition of
/// another size.
Array extract(const Array& condition, const Array& x);
Counted extract(const Array& condition, const Array& x, Capacity room);  ///< without waiting
/// Parts along an axis, or elements in C's order, where a condition of one axis is not 0. The
/// condition may be shorter than the axis. Throws ShapeError for a condition of several axes,
/// IndexError for a condition that is longer.
Array compress(const Array& condition, const Array& x, std::optional<int> axis = {});
/// Removes the elements at indices along an axis, or from all elements in C's order. Indices are
/// integers, or a mask of the axis's length. Throws IndexError for a mask of another length.
Array without(const Array& x, const Array& indices, std::optional<int> axis = {});

}  // namespace treadle::array

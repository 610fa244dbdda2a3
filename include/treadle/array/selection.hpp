// SPDX-License-Identifier: MIT
// The elements that a mask chooses, and where they are:
//
//     Array large = selected(x, x > 10);          // x[x > 10] in Python
//     auto [few, count] = selected(x, x > 10, {.capacity = 100});
//
// How many there are decides a shape, so the host has to know it: these functions copy one number
// of 8 bytes and wait for it, and for nothing else. With a capacity they do not wait: the result
// has that length, and the count stays on the device.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "treadle/array/array.hpp"

namespace treadle::array {

/// Of how many elements there is room. Throws InvalidArgument for less than 0.
struct Capacity {
  std::int64_t capacity;
};
/// What was chosen without waiting.
struct Counted {
  Array values;  ///< those that were chosen, at most as many as there is room; behind them zeros
  Array count;   ///< int64 without axes: how many were chosen, whether or not there was room
};
/// The same of places.
struct CountedPlaces {
  std::vector<Array> places;  ///< along each axis
  Array count;                ///< as in Counted
};

/// Places along each axis of the elements that are not 0 (int64, in C's order): x[nonzero(m)] in
/// Python. Throws ShapeError for an array without axes, DTypeError for records.
std::vector<Array> nonzero(const Array& x);
/// The same without waiting.
CountedPlaces nonzero(const Array& x, Capacity room);
/// Places in C's order of all elements.
Array flatnonzero(const Array& x);
Counted flatnonzero(const Array& x, Capacity room);  ///< without waiting
/// A row for each, of its places along the axes.
Array argwhere(const Array& x);

/// x[mask] in Python: the parts of x along its first axes, of the mask's shape, where the mask is
/// true. Throws DTypeError for a mask that is not bool, IndexError for another shape, and
/// InvalidArgument for one of another device or context.
Array selected(const Array& x, const Array& mask);
/// The same without waiting, of a mask with all axes of x. Throws ShapeError for fewer.
Counted selected(const Array& x, const Array& mask, Capacity room);
/// x[mask] = value: values have the shape of what selected() gives, or broadcast to it. Waits, if
/// `value` is more than one number.
void assign_selected(const Array& x, const Array& mask, const Operand& value);

/// Elements in C's order where the condition, of as many elements, is not 0. Throws ShapeError for
/// a condition of another size.
Array extract(const Array& condition, const Array& x);
Counted extract(const Array& condition, const Array& x, Capacity room);  ///< without waiting
/// Parts along an axis, or elements in C's order, where a condition of one axis is not 0; it may be
/// shorter than the axis. Throws ShapeError for a condition of several axes, IndexError for a
/// longer one.
Array compress(const Array& condition, const Array& x, std::optional<int> axis = {});
/// What is left along an axis, or of all elements in C's order, without those at indices; those are
/// integers, or a mask of the axis's length. Throws IndexError for another mask.
Array without(const Array& x, const Array& indices, std::optional<int> axis = {});

}  // namespace treadle::array

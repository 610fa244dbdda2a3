// SPDX-License-Identifier: MIT
// Arrays seen otherwise. Each gives a view of the same memory, which computes what is pending;
// reshape() copies where strides cannot say it. Axes count from the end where they are negative;
// IndexError names axis and rank where there is none.
#pragma once

#include <span>
#include <vector>

#include "treadle/array/array.hpp"

namespace treadle::array {

/// The same elements in C's order under another shape, of which one extent may be -1: what is left.
/// Throws ShapeError if the numbers of elements differ.
Array reshape(const Array& x, const Shape& shape);
/// One axis, in C's order.
Array ravel(const Array& x);
/// Axes in reverse.
Array transpose(const Array& x);
/// Axis i of the result is axis axes[i]. Throws InvalidArgument unless each is named once.
Array permute_dims(const Array& x, std::span<const int> axes);
/// Two axes in each other's place.
Array swapaxes(const Array& x, int axis, int other);
/// The others stay in their order.
Array moveaxis(const Array& x, int axis, int destination);
/// Without axes of length 1.
Array squeeze(const Array& x);
/// Without one axis, whose length is 1. Throws ShapeError for a longer one.
Array squeeze(const Array& x, int axis);
/// With an axis of length 1 that becomes this one.
Array expand_dims(const Array& x, int axis);
/// From the last element to the first, along one axis or along all.
Array flip(const Array& x, int axis);
Array flip(const Array& x);
/// Axes of length 1 repeated; the view cannot be written to. Throws ShapeError.
Array broadcast_to(const Array& x, const Shape& shape);
/// Elements (i, i + offset) of two axes, as a new last one.
Array diagonal(const Array& x, std::int64_t offset = 0, int axis = 0, int other = 1);
/// The parts of complex elements; of real ones the array itself, and zeros.
Array real_part(const Array& x);
/// The same for imaginary parts.
Array imaginary_part(const Array& x);

}  // namespace treadle::array

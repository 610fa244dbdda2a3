// SPDX-License-Identifier: MIT
// Arrays seen otherwise. Each gives a view of the same memory, which computes what is pending;
// reshape() copies where strides cannot say it. Axes count from the end where they are negative;
// IndexError names axis and rank where there is none.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "treadle/array/array.hpp"

namespace treadle::array {

/// The same elements in C's order under another shape, of which one extent may be -1: what is left.
/// Throws ShapeError if the numbers of elements differ.
Array reshape(const Array& x, const Shape& shape);
/// The same with elements counted in another order.
Array reshape(const Array& x, const Shape& shape, MemoryOrder order);
/// One axis, in C's order: a view of elements that lie one after another, a copy of others.
Array ravel(const Array& x);
Array ravel(const Array& x, MemoryOrder order);  ///< in this one
/// One axis, in the order in which elements lie in memory, but for strides of either sign.
Array ravel_in_memory_order(const Array& x);
/// Axes in reverse.
Array transpose(const Array& x);
/// Axis i of the result is axis axes[i]. Throws InvalidArgument unless each is named once.
Array permute_dims(const Array& x, std::span<const int> axes);
/// Two axes in each other's place.
Array swapaxes(const Array& x, int axis, int other);
/// Moves one axis. The other axes keep their order.
Array moveaxis(const Array& x, int axis, int destination);
/// Moves several axes. Throws InvalidArgument for unequal counts, or an axis named twice.
Array moveaxis(const Array& x, std::span<const int> axes, std::span<const int> destinations);
/// Without axes of length 1.
Array squeeze(const Array& x);
/// Without one axis, whose length is 1. Throws ShapeError for a longer one.
Array squeeze(const Array& x, int axis);
Array squeeze(const Array& x, std::span<const int> axes);  ///< without several
/// Adds an axis of length 1, which has this number in the result.
Array expand_dims(const Array& x, int axis);
/// With several, numbered as in the result. Throws InvalidArgument for an axis named twice.
Array expand_dims(const Array& x, std::span<const int> axes);
/// From the last element to the first, along one axis, several or all.
Array flip(const Array& x, int axis);
Array flip(const Array& x, std::span<const int> axes);
Array flip(const Array& x);
/// Turned by quarters from one axis to the other; backwards for negative ones.
Array rot90(const Array& x, int quarters = 1, int axis = 0, int other = 1);
/// Axes of length 1 repeated; the view is read-only. Throws ShapeError.
Array broadcast_to(const Array& x, const Shape& shape);
/// Elements (i, i + offset) of two axes, as a new last one; the view is read-only.
Array diagonal(const Array& x, std::int64_t offset = 0, int axis = 0, int other = 1);
/// Assigns to elements (i, i + offset) of an array of two axes. Throws ShapeError for another
/// number, and as Array::assign().
void fill_diagonal(const Array& x, const Operand& value, std::int64_t offset = 0);
/// The same bytes as elements of another dtype. Where its size is another one there are more or
/// fewer of them along the last axis, which lies dense. Throws InvalidArgument where they do not
/// fit, and where they would not lie at multiples of their size in memory.
Array view_as(const Array& x, const DType& dtype);
/// One field of records; of an array field its elements are a new last axis. Throws DTypeError if
/// there is no such field, and if fields of its size do not lie at multiples of it in memory.
Array field(const Array& x, std::string_view name);
/// The parts of complex elements; of real ones the array itself, and zeros.
Array real_part(const Array& x);
/// The same for imaginary parts.
Array imaginary_part(const Array& x);

/// With as many axes at least; NumPy's places for those that are added: a row, and of three axes
/// the middle one.
Array atleast_1d(const Array& x);
Array atleast_2d(const Array& x);  ///< two
Array atleast_3d(const Array& x);  ///< three
/// flip() along axis 1, and along axis 0.
Array fliplr(const Array& x);
Array flipud(const Array& x);  ///< rows in reverse
/// The last two axes in each other's place. Throws ShapeError for less than two.
Array matrix_transpose(const Array& x);

}  // namespace treadle::array

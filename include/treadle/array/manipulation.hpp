// SPDX-License-Identifier: MIT
// Other views of an array. Each function returns a view of the same memory, and computes a pending
// array. reshape() copies if no strides give the new shape. Negative axes count from the end.
// IndexError names axis and rank if there is no such axis.
#pragma once

#include <string_view>
#include <vector>

#include "treadle/array/array.hpp"
#include "treadle/base/list.hpp"

namespace treadle::array {

/// Gives the same elements in C's order another shape. One extent may be -1 and is then computed.
/// Throws ShapeError if the numbers of elements differ.
Array reshape(const Array& x, const Shape& shape);
/// Reshapes with elements counted in another order.
Array reshape(const Array& x, const Shape& shape, MemoryOrder order);
/// The elements in C's order as one axis: a view if they lie in memory in this order, else a copy.
Array ravel(const Array& x);
Array ravel(const Array& x, MemoryOrder order);  ///< in the order `order`
/// The elements as one axis, in the order in which they lie in memory; the signs of strides do not
/// matter.
Array ravel_in_memory_order(const Array& x);
/// Reverses the axes.
Array transpose(const Array& x);
/// Axis i of the result is axis axes[i]. Throws InvalidArgument unless each axis is named once.
Array permute_dims(const Array& x, List<int> axes);
inline Array transpose(const Array& x, List<int> axes) { return permute_dims(x, axes); }
/// Exchanges two axes.
Array swapaxes(const Array& x, int axis, int other);
/// Moves one axis. The other axes keep their order.
Array moveaxis(const Array& x, int axis, int destination);
/// Moves several axes. Throws InvalidArgument for unequal numbers of axes, or an axis named twice.
Array moveaxis(const Array& x, List<int> axes, List<int> destinations);
/// Removes all axes of length 1.
Array squeeze(const Array& x);
/// Removes one axis of length 1. Throws ShapeError if the axis is longer.
Array squeeze(const Array& x, int axis);
Array squeeze(const Array& x, List<int> axes);  ///< removes several
/// Adds an axis of length 1, which is axis `axis` of the result.
Array expand_dims(const Array& x, int axis);
/// Adds several axes, numbered as in the result. Throws InvalidArgument for an axis named twice.
Array expand_dims(const Array& x, List<int> axes);
/// Reverses one axis, several axes or all.
Array flip(const Array& x, int axis);
Array flip(const Array& x, List<int> axes);
Array flip(const Array& x);
/// Rotates by quarter turns from one axis to the other. Negative quarters rotate back.
Array rot90(const Array& x, int quarters = 1, int axis = 0, int other = 1);
/// Repeats axes of length 1; the view is read-only. Throws ShapeError.
Array broadcast_to(const Array& x, const Shape& shape);
/// The elements (i, i + offset) of two axes as a new last axis; the view is read-only.
Array diagonal(const Array& x, std::int64_t offset = 0, int axis = 0, int other = 1);
/// Assigns to the elements (i, i + offset) of an array of two axes. Throws ShapeError for another
/// number of axes, and as Array::assign().
void fill_diagonal(const Array& x, const Operand& value, std::int64_t offset = 0);
/// The same bytes as elements of another dtype. If the size differs, the last axis, which must be
/// dense, gets longer or shorter. Throws InvalidArgument if the bytes do not fit, and if elements
/// would not lie at multiples of their size in memory.
Array view_as(const Array& x, const DType& dtype);
/// One field of records. The elements of an array field become a new last axis. Throws DTypeError
/// if there is no such field, and if the field's elements do not lie at multiples of their size in
/// memory.
Array field(const Array& x, std::string_view name);
/// The real parts of complex elements; a real array itself.
Array real_part(const Array& x);
/// The imaginary parts of complex elements; zeros for a real array.
Array imaginary_part(const Array& x);

/// Adds axes until there are as many as the name says. As in NumPy, one axis becomes a row, and for
/// three axes the middle axis.
Array atleast_1d(const Array& x);
Array atleast_2d(const Array& x);  ///< two axes
Array atleast_3d(const Array& x);  ///< three axes
/// flip() along axis 1, and along axis 0.
Array fliplr(const Array& x);
Array flipud(const Array& x);  ///< reverses axis 0
/// Exchanges the last two axes. Throws ShapeError for less than two axes.
Array matrix_transpose(const Array& x);

}  // namespace treadle::array

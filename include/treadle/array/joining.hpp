// SPDX-License-Identifier: MIT
// Arrays made of the elements of other arrays. They are computed at once, with one kernel for each
// part that is copied; the kernel also computes a pending part. Negative axes count from the end.
// IndexError names axis and rank if there is no such axis.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "treadle/array/array.hpp"
#include "treadle/base/list.hpp"

namespace treadle::array {

/// Puts arrays one behind the other along an axis, in their common dtype. Throws ShapeError that
/// names an array whose other lengths differ, DTypeError for records beside other dtypes, and
/// InvalidArgument for no arrays and for arrays of different devices or contexts.
Array concatenate(List<Array> arrays, int axis = 0);
/// Puts arrays of equal shape one behind the other along a new axis.
Array stack(List<Array> arrays, int axis = 0);

/// Moves elements by `shift` along an axis. Elements that leave the end enter at the beginning.
Array roll(const Array& x, std::int64_t shift, int axis);
/// Rolls along several axes. The shifts of an axis that is named again add up. Throws
/// InvalidArgument unless there are as many shifts as axes.
Array roll(const Array& x, List<std::int64_t> shifts, List<int> axes);
/// Rolls all elements in C's order.
Array roll(const Array& x, std::int64_t shift);

/// Repeats each element along an axis `count` times. Throws InvalidArgument for a count below 0.
Array repeat(const Array& x, std::int64_t count, int axis);
Array repeat(const Array& x, std::int64_t count);  ///< of all elements in C's order
/// Repeats the array along each axis. Missing leading counts, and missing axes, are 1.
Array tile(const Array& x, List<std::int64_t> counts);

/// Inserts `values` before elements of x along an axis, one before each of `positions`. Values for
/// the same position keep their order. The values broadcast to one part for each position, and are
/// cast to the dtype of x. Throws IndexError for a position beyond the end, ShapeError for values
/// that do not broadcast.
Array insert(const Array& x, List<std::int64_t> positions, const Array& values, int axis);
/// Removes the elements at `positions` along an axis. Positions may repeat. Throws IndexError.
Array erase(const Array& x, List<std::int64_t> positions, int axis);
/// Copies the elements in C's order into another shape. Missing elements repeat those of x from the
/// first on; if x has none, they are zeros. Throws ShapeError for extents below 0.
Array resize(const Array& x, const Shape& shape);

/// Broadcasts all arrays to their common shape, as read-only views. Returns the arrays themselves
/// if all have that shape. Throws ShapeError.
std::vector<Array> broadcast_arrays(List<Array> arrays);
/// The arrangement of a grid's coordinates.
struct GridOptions {
  bool is_cartesian = false;  ///< the first coordinate varies along axis 1, the second along axis 0
  bool is_sparse = false;     ///< each array has length 1 along the other axes
};
/// Returns the coordinates of a grid, as views. The i-th array, of one axis or none, varies along
/// axis i of the result. Throws ShapeError for more axes.
std::vector<Array> meshgrid(List<Array> coordinates, const GridOptions& options = {});
/// Splits an array into `parts` equal views. Throws ShapeError if the length is not divisible.
std::vector<Array> equal_parts(const Array& x, std::int64_t parts, int axis = 0);
/// Splits an array at these positions along an axis, into views.
std::vector<Array> split(const Array& x, List<std::int64_t> positions, int axis = 0);
/// equal_parts() by NumPy's name: split(x, 3). `{3}` is a list of positions.
template <std::integral T>
std::vector<Array> split(const Array& x, T parts, int axis = 0) {
  return equal_parts(x, static_cast<std::int64_t>(parts), axis);
}
/// Splits an array into `parts` views. If the length is not divisible, the first parts are longer
/// by one. Throws InvalidArgument for less than one part.
std::vector<Array> array_split(const Array& x, std::int64_t parts, int axis = 0);
/// Returns a view of each element along an axis, without the axis.
std::vector<Array> unstack(const Array& x, int axis = 0);

/// Joins arrays along axis 1, or along axis 0 if they have one axis. Arrays without axes get one.
Array hstack(List<Array> arrays);
/// Joins arrays along axis 0. An array of one axis becomes a row.
Array vstack(List<Array> arrays);
/// Joins arrays along axis 2, which is added if it is missing.
Array dstack(List<Array> arrays);
/// As hstack(), but an array of one axis becomes a column.
Array column_stack(List<Array> arrays);
/// Puts `values` behind x along an axis. Without an axis, both become arrays of one axis first.
Array append(const Array& x, const Array& values, std::optional<int> axis = {});
/// Splits an array into equal views along axis 1 (axis 0 if there is only one), 0 and 2. Throws
/// ShapeError if the length is not divisible, or if there is no such axis.
std::vector<Array> hsplit(const Array& x, std::int64_t parts);
std::vector<Array> vsplit(const Array& x, std::int64_t parts);  ///< along axis 0
std::vector<Array> dsplit(const Array& x, std::int64_t parts);  ///< along axis 2

}  // namespace treadle::array

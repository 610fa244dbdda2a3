// SPDX-License-Identifier: MIT
// New arrays whose elements are those of others, in other places. They are computed at once, with
// one kernel for each part that is copied, which computes the part if it is pending. Axes count
// from the end where they are negative; IndexError names axis and rank where there is none.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "treadle/array/array.hpp"

namespace treadle::array {

/// One behind the other along an axis, in the dtype that holds what all hold. Throws ShapeError
/// naming the array whose other lengths differ, DTypeError for records beside other dtypes, and
/// InvalidArgument for none and for arrays of different devices or contexts.
Array concatenate(std::span<const Array> arrays, int axis = 0);
/// The same along an axis that they do not have yet: all shapes are equal.
Array stack(std::span<const Array> arrays, int axis = 0);

/// Elements moved on by `shift` along an axis, those behind the end to its beginning.
Array roll(const Array& x, std::int64_t shift, int axis);
/// The same along several axes, by the sum of the shifts where one is named again. Throws
/// InvalidArgument unless there are as many shifts as axes.
Array roll(const Array& x, std::span<const std::int64_t> shifts, std::span<const int> axes);
/// The same of all elements in C's order.
Array roll(const Array& x, std::int64_t shift);

/// Each element along an axis `count` times. Throws InvalidArgument for less than 0.
Array repeat(const Array& x, std::int64_t count, int axis);
/// The array so often along each axis; missing counts in front, and missing axes, are 1.
Array tile(const Array& x, std::span<const std::int64_t> counts);

/// x with `values` before its elements `positions` along an axis, each before its own; the first of
/// several that name one position comes first. values broadcast to as many along the axis as there
/// are positions, and are cast to the dtype of x. Throws IndexError for a position beyond the end,
/// ShapeError for values that do not broadcast.
Array insert(const Array& x, std::span<const std::int64_t> positions, const Array& values,
             int axis);
/// x without its elements `positions` along an axis; which may be named again. Throws IndexError.
Array erase(const Array& x, std::span<const std::int64_t> positions, int axis);
/// A copy of the elements in C's order in another shape, from the first again where there are
/// fewer; zeros where x has none. Throws ShapeError for extents below 0.
Array resize(const Array& x, const Shape& shape);

/// All arrays broadcast to their common shape, as read-only views; the arrays themselves if all
/// have that shape. Throws ShapeError.
std::vector<Array> broadcast_arrays(std::span<const Array> arrays);
/// How coordinates of a grid are laid out.
struct GridOptions {
  bool is_cartesian = false;  ///< the first varies along axis 1, the second along axis 0
  bool is_sparse = false;     ///< each has length 1 along the axes of the others
};
/// Coordinates of a grid, as views: of arrays with one axis (or none) the i-th varies along axis i
/// of the result. Throws ShapeError for more axes.
std::vector<Array> meshgrid(std::span<const Array> coordinates, const GridOptions& options = {});
/// Parts between these positions along an axis, as views.
std::vector<Array> split(const Array& x, std::span<const std::int64_t> positions, int axis = 0);
/// So many parts, as views; if the length cannot be divided, the first parts are longer by one.
/// Throws InvalidArgument for less than one.
std::vector<Array> array_split(const Array& x, std::int64_t parts, int axis = 0);
/// The elements along an axis one by one, as views without the axis.
std::vector<Array> unstack(const Array& x, int axis = 0);

/// Side by side: along axis 1, arrays of one axis along that; those without axes get one.
Array hstack(std::span<const Array> arrays);
/// One below the other: along axis 0, arrays of one axis as rows.
Array vstack(std::span<const Array> arrays);
/// One behind the other along axis 2, which is added where it is missing.
Array dstack(std::span<const Array> arrays);
/// As hstack(), arrays of one axis as columns.
Array column_stack(std::span<const Array> arrays);
/// `values` behind x along an axis; without one all elements of both in one axis.
Array append(const Array& x, const Array& values, std::optional<int> axis = {});
/// As many equal parts along axis 1 (0 where there is no other), 0 and 2, as views. Throws
/// ShapeError where they are not equal, or there is no such axis.
std::vector<Array> hsplit(const Array& x, std::int64_t parts);
std::vector<Array> vsplit(const Array& x, std::int64_t parts);  ///< along axis 0
std::vector<Array> dsplit(const Array& x, std::int64_t parts);  ///< along axis 2

}  // namespace treadle::array

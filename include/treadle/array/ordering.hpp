// SPDX-License-Identifier: MIT
// Elements in their order along an axis, in new arrays:
//
//     Array up = sorted(x), order = argsort(x);      // take_along_axis(x, order, -1) is up
//
// Numbers of every dtype, as NumPy orders them: NaN behind all others, -0 equal to 0, complex
// numbers by their real parts and then by their imaginary ones. Equal elements stay in their order.
// Queued at once, on the current stream.
#pragma once

#include <optional>
#include <span>

#include "treadle/array/array.hpp"

namespace treadle::array {

/// Which order.
struct OrderOptions {
  std::optional<int> axis = -1;  ///< none: all elements in C's order, as one axis
  bool is_descending = false;    ///< the reverse, NaN first; equal elements stay in their order
};

// All throw IndexError for an axis that is not there, and DTypeError for records.

/// The elements along an axis.
Array sorted(const Array& x, const OrderOptions& options = {});
/// Where in x they are along the axis: int64.
Array argsort(const Array& x, const OrderOptions& options = {});
/// Sorts x in its own memory. Throws InvalidArgument for memory that cannot be written to.
void sort_in_place(const Array& x, const OrderOptions& options = {});
/// The elements along the last axis as complex numbers: complex64 of integers of at most 16 bits,
/// of others that are not complex complex128.
Array sort_complex(const Array& x);
/// The order by several keys of one shape along an axis, of which the last one counts first. Throws
/// InvalidArgument for no keys, ShapeError for keys of several shapes.
Array lexsort(std::span<const Array> keys, int axis = -1);

}  // namespace treadle::array

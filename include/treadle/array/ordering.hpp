// SPDX-License-Identifier: MIT
// Elements in their order along an axis, in new arrays:
//
//     Array up = sorted(x), order = argsort(x);      // take_along_axis(x, order, -1) is up
//
// Numbers of every dtype, as NumPy orders them: NaN behind all others, -0 equal to 0, complex
// numbers by their real parts and then by their imaginary ones. Equal elements stay in their order.
// Queued at once, on the current stream.
#pragma once

#include <cstdint>
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

/// The first elements of the order along an axis, and where they are.
struct TopK {
  Array values;   ///< k along the axis, in their order
  Array indices;  ///< int64
};
/// Which of them.
struct TopKOptions {
  std::optional<int> axis = -1;  ///< none: of all elements, in C's order
  bool is_largest = true;        ///< largest first, of which NaN is one; else smallest first
};
/// The k largest elements, as a stable sort in descending order has them, without sorting the
/// others where k is at most 1024. Throws InvalidArgument unless k is from 0 to the axis's length.
TopK top_k(const Array& x, std::int64_t k, const TopKOptions& options = {});

/// One sorted array of two sorted ones, each of one axis; of equal elements those of x come first.
/// Throws ShapeError for several axes.
Array merged(const Array& x, const Array& y);

}  // namespace treadle::array

// SPDX-License-Identifier: MIT
// Sorts elements along an axis into new arrays:
//
//     Array up = sorted(x), order = argsort(x);      // take_along_axis(x, order, -1) is up
//
// All dtypes of numbers have NumPy's order: NaN behind all others, -0 equal to 0, complex numbers
// by their real parts and then by their imaginary parts. Sorts are stable. They are queued at once,
// on the current stream.
#pragma once

#include <cstdint>
#include <optional>

#include "treadle/array/array.hpp"
#include "treadle/base/list.hpp"

namespace treadle::array {

/// The order of a sort.
struct OrderOptions {
  std::optional<int> axis = -1;  ///< none: all elements in C's order, as one axis
  bool is_descending = false;    ///< the reverse order, NaN first; still stable
};

// All functions throw IndexError for an axis that does not exist, and DTypeError for records.

/// Sorts the elements along an axis.
Array sorted(const Array& x, const OrderOptions& options = {});
/// The place in x along the axis of each sorted element, as int64.
Array argsort(const Array& x, const OrderOptions& options = {});
/// Sorts x in its own memory. Throws InvalidArgument for read-only memory.
void sort_in_place(const Array& x, const OrderOptions& options = {});
/// Sorts the last axis as complex numbers. Integers of at most 16 bits become complex64, other real
/// dtypes become complex128.
Array sort_complex(const Array& x);
/// The order by several keys of one shape along an axis. The last key is the most important. Throws
/// InvalidArgument for no keys, ShapeError for keys of several shapes.
Array lexsort(List<Array> keys, int axis = -1);

/// The first elements of the order along an axis, and their places.
struct TopK {
  Array values;   ///< k elements along the axis, sorted
  Array indices;  ///< int64
};
/// Options of top_k().
struct TopKOptions {
  std::optional<int> axis = -1;  ///< none: all elements in C's order
  bool is_largest = true;        ///< largest first, with NaN as the largest; else smallest first
};
/// The k largest elements, in the order of a stable descending sort. If k is at most 1024, the
/// other elements are not sorted. Throws InvalidArgument unless k is from 0 to the axis's length.
TopK top_k(const Array& x, std::int64_t k, const TopKOptions& options = {});

/// Merges two sorted arrays of one axis. Among equal elements those of x come first. Throws
/// ShapeError for several axes.
Array merged(const Array& x, const Array& y);

}  // namespace treadle::array

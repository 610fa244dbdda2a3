// SPDX-License-Identifier: MIT
// Arrays as sets: each value once, in the order of sorted(). The number of values decides a shape,
// so the functions wait for one number, as those of selection.hpp do.
#pragma once

#include <optional>
#include <span>

#include "treadle/array/array.hpp"

namespace treadle::array {

/// What unique() returns beside the values.
struct UniqueOptions {
  bool has_indices = false;  ///< the first place of each value, in C's order
  bool has_inverse =
      false;  ///< the number of each element's value, in x's shape (one axis for parts)
  bool has_counts = false;       ///< the number of times that each value occurs
  bool makes_nans_equal = true;  ///< all NaNs are one value; else each NaN is a value
  /// With an axis, the values are parts of x along it, compared element by element. Without an axis
  /// the values are elements. Parts with NaNs are never equal. Each element of a part costs one
  /// sort.
  std::optional<int> axis = {};
};
/// The results of unique(). Arrays that the caller did not ask for are empty.
struct Unique {
  Array values;                    ///< sorted, in one axis; or parts along an axis
  Array indices, inverse, counts;  ///< int64
};
/// Throws DTypeError for records, IndexError for an axis that is not there.
Unique unique(const Array& x, const UniqueOptions& options = {});

// The following functions take arrays of any shape and compare values in the common dtype. They
// throw DTypeError for records and InvalidArgument for arrays of different devices or contexts.

/// The values in x or in y.
Array union1d(const Array& x, const Array& y);
/// The common values of two arrays, and their places.
struct Intersection {
  Array values;
  Array first, second;  ///< int64: the first place of each value in x and in y, in C's order
};
/// The values in x and in y. With are_unique the caller promises that no value repeats within x or
/// y.
Intersection intersect1d(const Array& x, const Array& y, bool are_unique = false);
/// The values in x that are not in y.
Array setdiff1d(const Array& x, const Array& y, bool are_unique = false);
/// The values in only one of x and y.
Array setxor1d(const Array& x, const Array& y, bool are_unique = false);
/// Whether each element of x is in y, in x's shape. Searches the sorted elements of y. If there are
/// few elements, compares all pairs in one kernel, and the result stays pending.
Array isin(const Array& x, const Array& y, bool is_inverted = false);

}  // namespace treadle::array

// SPDX-License-Identifier: MIT
// Arrays as sets of elements: of each value one, in the order of sorted(). How many there are is a
// shape, so that one number is waited for, as by the functions of selection.hpp.
#pragma once

#include <optional>
#include <span>

#include "treadle/array/array.hpp"

namespace treadle::array {

/// What unique() is asked for beside the values.
struct UniqueOptions {
  bool has_indices = false;  ///< where each value is first, in C's order
  bool has_inverse =
      false;  ///< for each element which of the values it is, in x's shape (one axis of parts)
  bool has_counts = false;       ///< how often each value is there
  bool makes_nans_equal = true;  ///< all NaNs are one value, else each one of its own
  /// Along which the values are parts of x, compared element by element; none: the values are
  /// elements. Parts with NaNs are never equal. Each element of a part is a sort.
  std::optional<int> axis = {};
};
/// What it gives; arrays that were not asked for are none.
struct Unique {
  Array values;                    ///< one axis, in their order; or parts along an axis
  Array indices, inverse, counts;  ///< int64
};
/// Throws DTypeError for records, IndexError for an axis that is not there.
Unique unique(const Array& x, const UniqueOptions& options = {});

// The rest takes the values of arrays of any shape, in their common dtype, and throws DTypeError
// for records and InvalidArgument for arrays of different devices or contexts.

/// Values that one of both has.
Array union1d(const Array& x, const Array& y);
/// What both have in common, and where it is.
struct Intersection {
  Array values;
  Array first, second;  ///< int64: the first place of each value in x and in y, in C's order
};
/// Values that both have; the caller may promise that x has no value twice, nor y.
Intersection intersect1d(const Array& x, const Array& y, bool are_unique = false);
/// Values of x that y does not have.
Array setdiff1d(const Array& x, const Array& y, bool are_unique = false);
/// Values that one of both has, and the other has not.
Array setxor1d(const Array& x, const Array& y, bool are_unique = false);
/// Whether each element of x is equal to one of y's, in x's shape: by a search among those, or, if
/// there are few, by comparing all pairs in one kernel, which waits like other expressions.
Array isin(const Array& x, const Array& y, bool is_inverted = false);

}  // namespace treadle::array

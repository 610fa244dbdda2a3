// SPDX-License-Identifier: MIT
// Sorts in place without further memory, for pyopencl.sort:
//
//     sort(keys, indices);      // both change: indices[i] is where keys[i] was
#pragma once

#include "treadle/array/array.hpp"

namespace treadle::array {

/// Sorts the lines along an axis in ascending order, NaN at the end. The sort is not stable.
/// `carried`, of the same shape, is permuted as x is; the null array: there is none. Queued on the
/// current stream. Throws InvalidArgument for an axis whose length is no power of two, for arrays
/// that share memory and for read-only memory; ShapeError for another shape; IndexError for an axis
/// that does not exist; and as kernel::sort().
void sort(const Array& x, const Array& carried = {}, int axis = 0);

}  // namespace treadle::array

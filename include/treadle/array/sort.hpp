// SPDX-License-Identifier: MIT
// Sorting in place without memory beside the array, as pyopencl.sort has it:
//
//     sort(keys, indices);      // both change: indices[i] is where keys[i] was
#pragma once

#include "treadle/array/array.hpp"

namespace treadle::array {

/// Sorts the lines along an axis upwards, NaN at the end; equal elements are in any order. Elements
/// of `carried`, of the same shape, go where those of x go; the null array: there are none. Queued
/// on the current stream. Throws InvalidArgument for an axis whose length is no power of two and
/// for arrays that share memory, ShapeError for another shape, IndexError for an axis that is not
/// there, InvalidArgument for read-only memory, and as kernel::sort().
void sort(const Array& x, const Array& carried = {}, int axis = 0);

}  // namespace treadle::array

// SPDX-License-Identifier: MIT
// Cumulative sums and products along an axis, and functions of neighbours: differences and
// integrals.
#pragma once

#include "treadle/array/array.hpp"
#include "treadle/array/reduction.hpp"

namespace treadle::array {

/// The sum of each element and all elements before it, along one named axis. Without an axis the
/// elements are summed in C's order. Takes dtype (by default NumPy's: int64 for int8) and out. With
/// ignores_nan, NaNs count as 0 (1 in products). With initial, the result begins with this number,
/// which is added to all sums, and is longer by one. Queued at once. Throws as sum(), and
/// InvalidArgument for several axes.
Array cumulative_sum(const Array& x, const ReduceOptions& options = {});
/// Cumulative products, with the options of cumulative_sum().
Array cumulative_prod(const Array& x, const ReduceOptions& options = {});

/// Differences of neighbours along an axis, taken `times` times. For bool, whether neighbours
/// differ. Throws InvalidArgument if `times` is negative, IndexError.
Array diff(const Array& x, int times = 1, int axis = -1);
/// The integral along an axis by the trapezoidal rule. Samples are `distance` apart.
Array trapezoid(const Array& y, const Operand& distance = 1.0, int axis = -1);
/// The integral of samples at the places x. x has one axis, or as many axes as y.
Array trapezoid_at(const Array& y, const Array& x, int axis = -1);

}  // namespace treadle::array

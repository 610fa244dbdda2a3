// SPDX-License-Identifier: MIT
// Sums and products of all elements up to each, along an axis; and what takes neighbours: their
// differences, and integrals.
#pragma once

#include "treadle/array/array.hpp"
#include "treadle/array/reduction.hpp"

namespace treadle::array {

/// For each element the sum of all up to and with it, along the one axis that is named, or in C's
/// order of all, without axes. Takes dtype, which is NumPy's where it is none (int64 of int8), and
/// out; with ignores_nan they count as 0 (1 in products); with initial, the result begins with it,
/// to which everything is added, and is one longer.
/// Queued at once. Throws as sum(), and InvalidArgument for several axes.
Array cumulative_sum(const Array& x, const ReduceOptions& options = {});
/// The same of products.
Array cumulative_prod(const Array& x, const ReduceOptions& options = {});

/// Differences of neighbours along an axis, `times` times; of bool, whether they differ. Throws
/// InvalidArgument for a negative number of times, IndexError.
Array diff(const Array& x, int times = 1, int axis = -1);
/// The integral along an axis by the trapezoidal rule, of places `distance` apart.
Array trapezoid(const Array& y, const Operand& distance = 1.0, int axis = -1);
/// The same at the places x, in one axis or as many as y has.
Array trapezoid_at(const Array& y, const Array& x, int axis = -1);

}  // namespace treadle::array

// SPDX-License-Identifier: MIT
// Sums and products of all elements up to each, along an axis.
#pragma once

#include "treadle/array/array.hpp"
#include "treadle/array/reduction.hpp"

namespace treadle::array {

/// For each element the sum of all up to and with it, along the one axis that is named, or in C's
/// order of all, without axes. Takes dtype, which is NumPy's where it is none (int64 of int8), and
/// out; with initial, the result begins with it, to which everything is added, and is one longer.
/// Queued at once. Throws as sum(), and InvalidArgument for several axes.
Array cumulative_sum(const Array& x, const ReduceOptions& options = {});
/// The same of products.
Array cumulative_prod(const Array& x, const ReduceOptions& options = {});

}  // namespace treadle::array

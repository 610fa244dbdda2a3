// SPDX-License-Identifier: MIT
// Distributions from Python's numbers.
#pragma once

#include <nanobind/nanobind.h>

#include "treadle/kernel/random.hpp"

namespace treadle::bindings {

namespace nb = nanobind;

/// Integers of [low, high), which may be of any size. Throws InvalidArgument for none,
/// OverflowError for integers that the dtype does not have.
kernel::RandomDraw integers_between(Scalar dtype, const nb::int_& low, const nb::int_& high);

}  // namespace treadle::bindings

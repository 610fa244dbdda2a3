// SPDX-License-Identifier: MIT
// Distributions from Python's numbers.
#pragma once

#include <nanobind/nanobind.h>

#include "treadle/array/random.hpp"
#include "treadle/kernel/random.hpp"

namespace treadle::bindings {

namespace nb = nanobind;

/// Integers of [low, high), which may be of any size. Throws InvalidArgument for none,
/// OverflowError for integers that the dtype does not have.
kernel::RandomDraw integers_between(Scalar dtype, const nb::int_& low, const nb::int_& high);

/// The methods of Generator for listed distributions and for random vectors.
void bind_random_distributions(nb::class_<array::Generator>& type);
/// Sobol, and direction vectors.
void bind_sobol(nb::module_& m);
/// choice() and its like.
void bind_random_orders(nb::class_<array::Generator>& type);

}  // namespace treadle::bindings

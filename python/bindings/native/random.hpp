// SPDX-License-Identifier: MIT
// Makes distributions of Python's numbers.
#pragma once

#include <nanobind/nanobind.h>

#include "treadle/array/random.hpp"
#include "treadle/kernel/random.hpp"

namespace treadle::bindings {

namespace nb = nanobind;

/// Integers in [low, high), which may be Python ints of any size. Throws InvalidArgument for an
/// empty range, OverflowError for integers beyond the dtype.
kernel::RandomDraw integers_between(Scalar dtype, const nb::int_& low, const nb::int_& high);

/// Binds the methods of Generator for listed distributions and random vectors.
void bind_random_distributions(nb::class_<array::Generator>& type);
/// Binds Sobol, and direction vectors.
void bind_sobol(nb::module_& m);
/// Binds choice() and the functions for random orders.
void bind_random_orders(nb::class_<array::Generator>& type);

}  // namespace treadle::bindings

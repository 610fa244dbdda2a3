// SPDX-License-Identifier: MIT
// Libraries of others, and the linear algebra that they compute.
#pragma once

#include <nanobind/nanobind.h>

#include "treadle/array/array.hpp"

namespace treadle::bindings {

/// Binds what is found of libraries, for `doctor`.
void bind_library(nanobind::module_& m);
/// Binds products of matrices.
void bind_linalg(nanobind::module_& m);
/// Binds decompositions.
void bind_decompositions(nanobind::module_& m);
/// The product of matrices, for `@`.
Array multiplied_matrices(const Array& x, const Array& y);
/// NumPy's dot() of arrays and numbers; `out`, unless it is None, is of the result's dtype. A
/// method of arrays, too.
nanobind::object dotted(nanobind::handle x, nanobind::handle y, nanobind::handle out);

}  // namespace treadle::bindings

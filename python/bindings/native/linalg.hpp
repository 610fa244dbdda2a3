// SPDX-License-Identifier: MIT
// Libraries of others, and the linear algebra that uses them.
#pragma once

#include <nanobind/nanobind.h>

#include "treadle/array/array.hpp"

namespace treadle::bindings {

/// Binds the list of found libraries, for `doctor`.
void bind_library(nanobind::module_& m);
/// Binds products of matrices.
void bind_linalg(nanobind::module_& m);
/// Binds decompositions.
void bind_decompositions(nanobind::module_& m);
/// The matrix product, for `@`.
Array multiplied_matrices(const Array& x, const Array& y);
/// NumPy's dot() of arrays and numbers, which is also a method of arrays. `out` is None or has the
/// result's dtype.
nanobind::object dotted(nanobind::handle x, nanobind::handle y, nanobind::handle out);

}  // namespace treadle::bindings

// SPDX-License-Identifier: MIT
#pragma once

#include <nanobind/nanobind.h>

#include <vector>

#include "treadle/base/layout.hpp"

namespace treadle::bindings {

/// Reads the key of a[...]: integers, slices, Ellipsis and None, one or a tuple. Throws IndexError
/// for a key that gives no view, such as a mask.
std::vector<Index> indices_of(nanobind::handle object);
/// Converts extents or strides to a tuple.
nanobind::tuple tuple_of(Extents values);

}  // namespace treadle::bindings

// SPDX-License-Identifier: MIT
#pragma once

#include <nanobind/nanobind.h>

#include <vector>

#include "treadle/base/layout.hpp"

namespace treadle::bindings {

/// The key between the brackets of a[...]: integers, slices, Ellipsis and None, one or a tuple.
/// Throws IndexError for a key that gives no view, such as a mask.
std::vector<Index> indices_of(nanobind::handle object);
/// Extents or strides as Python has them.
nanobind::tuple tuple_of(Extents values);

}  // namespace treadle::bindings

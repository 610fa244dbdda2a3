// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "treadle/array/reduction.hpp"
#include "treadle/base/layout.hpp"

namespace treadle::array {

/// Bit i: axis i of an array is among `axes`. Throws IndexError for one that is not there and
/// InvalidArgument for one that is named twice, beginning with `who`.
std::uint64_t axes_of(const Axes& axes, const Layout& layout, const std::string& who);

}  // namespace treadle::array

// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "treadle/array/reduction.hpp"
#include "treadle/base/layout.hpp"

namespace treadle::array {

/// Returns the axes as bits: bit i is set if axis i of the array is among `axes`. Throws IndexError
/// for an axis that does not exist and InvalidArgument for an axis that is named twice. Error texts
/// begin with `who`.
std::uint64_t axes_of(const Axes& axes, const Layout& layout, const std::string& who);

}  // namespace treadle::array

// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "array/node.hpp"

namespace treadle::array {

/// What a node that is not a leaf is to be, for errors, in one line: the name of its kernel, dtype
/// and shape, and the lines that recorded it: "fused_multiply_add_f32 -> float32 (100,) at
/// solve.py:3, solve.py:4".
std::string summary(Node& node);

}  // namespace treadle::array

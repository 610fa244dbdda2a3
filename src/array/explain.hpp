// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "array/node.hpp"

namespace treadle::array {

/// Describes a pending node in one line, for errors: the name of its kernel, its dtype and shape,
/// and the source lines that recorded it: "fused_multiply_add_f32 -> float32 (100,) at solve.py:3,
/// solve.py:4".
std::string summary(Node& node);

}  // namespace treadle::array

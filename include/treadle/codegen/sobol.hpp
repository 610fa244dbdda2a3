// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "treadle/base/dtype.hpp"
#include "treadle/codegen/dialect.hpp"

namespace treadle::codegen {

/// The statements of an elementwise kernel that stores coordinates of Sobol points: `x[i]` becomes
/// the coordinate i % dimensions of the point first + i / dimensions. `vectors` holds the direction
/// numbers, for each dimension as many as the float has bits; `shifts` holds one number for each
/// dimension. The types first_t and shifts_t are unsigned integers; `dimensions` is an int64.
std::string sobol_statements(Scalar dtype, const Dialect& dialect);

}  // namespace treadle::codegen

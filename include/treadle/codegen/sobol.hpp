// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "treadle/base/dtype.hpp"
#include "treadle/codegen/dialect.hpp"

namespace treadle::codegen {

/// The statements of an elementwise kernel that makes a coordinate of a Sobol point: of the element
/// `i` that of point `first + i / dimensions`, in `x[i]`. `vectors` are direction numbers, as many
/// for each dimension as the float has bits, `shifts` one for each dimension; first_t and shifts_t
/// are unsigned integers, `dimensions` is an int64.
std::string sobol_statements(Scalar dtype, const Dialect& dialect);

}  // namespace treadle::codegen

// SPDX-License-Identifier: MIT
// What functions of matrices ask of their operands.
#pragma once

#include "array/access.hpp"
#include "array/context.hpp"
#include "treadle/array/array.hpp"
#include "treadle/array/elementwise.hpp"

namespace treadle::linalg {

using array::Array;

using array::shape_of;

/// For functions whose operands never meet in a kernel: the host's LAPACK would take arrays of any
/// device. Throws InvalidArgument.
inline void require_one_device(const char* name, const Array& a, const Array& b) {
  array::require_one_context(name, *array::Access::node(a).context,
                             *array::Access::node(b).context);
}

}  // namespace treadle::linalg

// SPDX-License-Identifier: MIT
#pragma once

#include "treadle/codegen/dialect.hpp"

namespace treadle::codegen {

inline const Dialect& cuda = dialect_of(Language::cuda_c);
inline const Dialect& opencl = dialect_of(Language::opencl_c);

}  // namespace treadle::codegen

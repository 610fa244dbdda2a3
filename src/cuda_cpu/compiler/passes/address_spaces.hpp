// SPDX-License-Identifier: MIT
#pragma once

namespace treadle::cuda_cpu {

/// LLVM's number of what CUDA C declares __shared__, before `retarget` has made it plain memory.
inline constexpr unsigned shared_address_space = 3;

}  // namespace treadle::cuda_cpu

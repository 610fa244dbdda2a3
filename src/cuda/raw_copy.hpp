// SPDX-License-Identifier: MIT
#pragma once

#include "treadle/cuda/copy.hpp"
#include "treadle/cuda/table.hpp"

namespace treadle::cuda {

/// The copy as the driver takes it. Throws InvalidArgument for sides that are not set.
CUDA_MEMCPY3D raw_copy(const Copy3D& copy);

}  // namespace treadle::cuda

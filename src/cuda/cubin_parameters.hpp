// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "treadle/cuda/launch.hpp"

namespace treadle::cuda {

/// The parameters of kernel `symbol` as the compiler noted them in a cubin, for drivers before CUDA
/// 12.4, which do not tell. Unknown for anything that is not a whole cubin holding that kernel.
ParameterLayout cubin_parameters(std::span<const std::byte> image, std::string_view symbol);

}  // namespace treadle::cuda

// SPDX-License-Identifier: MIT
// Whether bytes are a module image, by what stands in front of its code. Loads nothing.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "cuda_cpu/runtime/driver_api.hpp"

namespace treadle::cuda_cpu {

/// Why an image was refused: CUDA's code, and a sentence for the JIT error log.
struct LoadFailure {
  CUresult code = CUDA_SUCCESS;
  std::string text;
};

/// Success, or what is wrong with header, digest or processor features. Of an image whose `size` is
/// known nothing beyond it is read; else the header is believed, and the caller must be ready for a
/// fault.
LoadFailure header_defect(const void* image, std::optional<std::size_t> size);

}  // namespace treadle::cuda_cpu

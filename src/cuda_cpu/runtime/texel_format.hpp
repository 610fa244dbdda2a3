// SPDX-License-Identifier: MIT
// The elements of arrays and textures, in the numbers that device code has for them.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <optional>

#include "cuda_cpu/treadle/texture_object.h"

namespace treadle::cuda_cpu {

struct TexelFormat {
  unsigned char element = __treadle_element_u8;  ///< __treadle_element
  unsigned char channels = 1;                    ///< 1, 2 or 4
  bool is_normalized = false;  ///< integers that are read as floats, whatever the texture says

  std::size_t bytes() const { return __treadle_element_bytes(element) * std::size_t{channels}; }
  bool is_integer() const { return element < __treadle_element_f16; }
};

/// CUDA_ERROR_INVALID_VALUE for what is no format, CUDA_ERROR_NOT_SUPPORTED for formats of video
/// and for compressed blocks, which this device does not have.
CUresult texel_format(CUarray_format format, unsigned channels, TexelFormat& result);
/// Empty for CU_RES_VIEW_FORMAT_NONE and for compressed blocks.
std::optional<TexelFormat> view_format(CUresourceViewFormat format);

}  // namespace treadle::cuda_cpu

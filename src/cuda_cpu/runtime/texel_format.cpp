// SPDX-License-Identifier: MIT
#include "cuda_cpu/runtime/texel_format.hpp"

namespace treadle::cuda_cpu {
namespace {

std::optional<unsigned char> element_of(CUarray_format format) {
  switch (format) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
      return __treadle_element_u8;
    case CU_AD_FORMAT_SIGNED_INT8:
      return __treadle_element_s8;
    case CU_AD_FORMAT_UNSIGNED_INT16:
      return __treadle_element_u16;
    case CU_AD_FORMAT_SIGNED_INT16:
      return __treadle_element_s16;
    case CU_AD_FORMAT_UNSIGNED_INT32:
      return __treadle_element_u32;
    case CU_AD_FORMAT_SIGNED_INT32:
      return __treadle_element_s32;
    case CU_AD_FORMAT_HALF:
      return __treadle_element_f16;
    case CU_AD_FORMAT_FLOAT:
      return __treadle_element_f32;
    default:
      return std::nullopt;
  }
}

constexpr unsigned char channels_of_three[] = {1, 2, 4};

}  // namespace

CUresult texel_format(CUarray_format format, unsigned channels, TexelFormat& result) {
  if (channels != 1 && channels != 2 && channels != 4) return CUDA_ERROR_INVALID_VALUE;
  result.channels = static_cast<unsigned char>(channels);
  if (const auto element = element_of(format)) {
    result.element = *element;
    return CUDA_SUCCESS;
  }
  if (format >= CU_AD_FORMAT_UNORM_INT8X1 && format <= CU_AD_FORMAT_SNORM_INT16X4) {
    constexpr unsigned char elements[] = {__treadle_element_u8, __treadle_element_u16,
                                          __treadle_element_s8, __treadle_element_s16};
    const auto index = static_cast<unsigned>(format - CU_AD_FORMAT_UNORM_INT8X1);
    result.element = elements[index / 3];
    result.is_normalized = true;
    return channels_of_three[index % 3] == channels ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  }
  const bool is_compressed_or_video = format >= CU_AD_FORMAT_BC1_UNORM && format <= 0xff;
  return is_compressed_or_video ? CUDA_ERROR_NOT_SUPPORTED : CUDA_ERROR_INVALID_VALUE;
}

std::optional<TexelFormat> view_format(CUresourceViewFormat format) {
  if (format < CU_RES_VIEW_FORMAT_UINT_1X8 || format > CU_RES_VIEW_FORMAT_FLOAT_4X32)
    return std::nullopt;
  // In the order of __treadle_element, each with one, two and four channels.
  const auto index = static_cast<unsigned>(format - CU_RES_VIEW_FORMAT_UINT_1X8);
  return TexelFormat{.element = static_cast<unsigned char>(index / 3),
                     .channels = channels_of_three[index % 3]};
}

}  // namespace treadle::cuda_cpu

// SPDX-License-Identifier: MIT
#include "treadle/base/error.hpp"
#include "treadle/opencl/image.hpp"
#include "treadle/opencl/image_transfer.hpp"

namespace treadle::opencl {
namespace {

/// The constant's name, or its number.
std::string constant_text(std::string_view group, std::int32_t value) {
  const std::string_view name = enum_name(group, value);
  return name.empty() ? std::to_string(value) : std::string(name);
}

bool is_packed(ChannelType type) {
  return type == ChannelType::unorm_short_565 || type == ChannelType::unorm_short_555 ||
         type == ChannelType::unorm_int_101010 || type == ChannelType::unorm_int_101010_2;
}

}  // namespace

unsigned ImageFormat::channel_count() const {
  using enum ChannelOrder;
  switch (order) {
    case r:
    case a:
    case rx:
    case intensity:
    case luminance:
    case ChannelOrder::depth:
      return 1;
    case rg:
    case ra:
    case rgx:
    case depth_stencil:
      return 2;
    case rgb:
    case rgbx:
    case srgb:
    case srgbx:
      return order == rgbx || order == srgbx ? 4 : 3;
    case rgba:
    case bgra:
    case argb:
    case abgr:
    case srgba:
    case sbgra:
      return 4;
  }
  throw InvalidArgument("channel order " + constant_text("channel_order", static_cast<int>(order)) +
                            " is none of the standard's",
                        "ChannelOrder::rgba");
}

std::size_t ImageFormat::channel_bytes() const {
  using enum ChannelType;
  switch (type) {
    case snorm_int8:
    case unorm_int8:
    case signed_int8:
    case unsigned_int8:
      return 1;
    case snorm_int16:
    case unorm_int16:
    case signed_int16:
    case unsigned_int16:
    case half_float:
    case unorm_short_565:
    case unorm_short_555:
      return 2;
    case signed_int32:
    case unsigned_int32:
    case float_:
    case unorm_int_101010:
    case unorm_int_101010_2:
    case unorm_int24:
      return 4;
  }
  throw InvalidArgument("channel type " + constant_text("channel_type", static_cast<int>(type)) +
                            " is none of the standard's",
                        "ChannelType::unorm_int8");
}

std::size_t ImageFormat::pixel_bytes() const {
  const unsigned channels = channel_count();
  return is_packed(type) ? channel_bytes() : channels * channel_bytes();
}

std::string ImageFormat::text() const {
  return constant_text("channel_order", static_cast<int>(order)) + ", " +
         constant_text("channel_type", static_cast<int>(type));
}

std::size_t color_alternative(const ImageFormat& format) noexcept {
  using enum ChannelType;
  switch (format.type) {
    case signed_int8:
    case signed_int16:
    case signed_int32:
      return 1;
    case unsigned_int8:
    case unsigned_int16:
    case unsigned_int32:
      return 2;
    default:
      return 0;
  }
}

}  // namespace treadle::opencl

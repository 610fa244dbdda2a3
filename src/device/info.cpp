// SPDX-License-Identifier: MIT
#include "treadle/device/info.hpp"

namespace treadle::device {

std::string_view kind_name(DeviceKind kind) noexcept {
  constexpr std::string_view names[] = {"gpu", "cpu", "accelerator", "null"};
  return names[static_cast<std::size_t>(kind)];
}

std::string_view figure_name(Figure figure) noexcept {
  constexpr std::string_view names[] = {"unknown", "stated", "measured"};
  return names[static_cast<std::size_t>(figure)];
}

std::string extent_text(const Extent& extent) {
  return std::to_string(extent.x) + "x" + std::to_string(extent.y) + "x" + std::to_string(extent.z);
}

}  // namespace treadle::device

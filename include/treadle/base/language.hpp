// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

namespace treadle {

/// What kernel text is written in.
enum class Language { cuda_c, opencl_c };

/// "CUDA C" or "OpenCL C", for messages.
constexpr std::string_view language_name(Language language) noexcept {
  return language == Language::cuda_c ? "CUDA C" : "OpenCL C";
}

}  // namespace treadle

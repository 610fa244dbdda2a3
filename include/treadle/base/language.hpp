// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

namespace treadle {

/// What kernel text is written in.
enum class Language { cuda_c, opencl_c };

/// "CUDA C" or "OpenCL C": its one spelling in text.
constexpr std::string_view language_name(Language language) noexcept {
  return language == Language::cuda_c ? "CUDA C" : "OpenCL C";
}
/// The language of that spelling. Throws InvalidArgument, which names both, for any other text.
Language language_named(std::string_view name);

}  // namespace treadle

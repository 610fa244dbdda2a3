// SPDX-License-Identifier: MIT
#include "treadle/base/language.hpp"

#include <string>

#include "treadle/base/error.hpp"

namespace treadle {

Language language_named(std::string_view name) {
  for (const Language language : {Language::cuda_c, Language::opencl_c})
    if (name == language_name(language)) return language;
  throw InvalidArgument("the language \"" + std::string(name) +
                        "\" is neither \"CUDA C\" nor \"OpenCL C\"");
}

}  // namespace treadle

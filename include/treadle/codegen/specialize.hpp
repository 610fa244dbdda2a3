// SPDX-License-Identifier: MIT
// Kernels with values of the run time baked in: a parameter becomes a constant, so that compilers
// unroll loops over it and fold what depends on it.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "treadle/base/language.hpp"
#include "treadle/codegen/keywords.hpp"
#include "treadle/codegen/text_with_lines.hpp"

namespace treadle::codegen {

/// The text in which a kernel has `const int n = 1024;` in its body instead of the parameter `n`.
/// The kernel takes its other parameters as before. An empty name is the only kernel of the text.
/// Lines stay the lines they were. Throws InvalidArgument naming the kernels or the parameters
/// there are, for a name that is none of them, for a pointer, and for text that is no value.
TextWithLines specialize(const TextWithLines& text, std::string_view kernel,
                         const std::map<std::string, KeyValue, std::less<>>& values,
                         Language language);

}  // namespace treadle::codegen

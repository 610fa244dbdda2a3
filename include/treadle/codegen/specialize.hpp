// SPDX-License-Identifier: MIT
// Makes run-time values constants of a kernel: a parameter becomes a constant, so that compilers
// unroll loops over it and fold expressions of it.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "treadle/base/language.hpp"
#include "treadle/codegen/keywords.hpp"
#include "treadle/codegen/text_with_lines.hpp"

namespace treadle::codegen {

/// A text in which the body of a kernel begins with `const int n = 1024;` in place of the parameter
/// `n`. The other parameters stay. An empty kernel name means the only kernel of the text. Line
/// numbers do not change. Throws InvalidArgument for an unknown kernel or parameter, naming the
/// known ones; for a pointer; and for text that is not a value.
TextWithLines specialize(const TextWithLines& text, std::string_view kernel,
                         const std::map<std::string, KeyValue, std::less<>>& values,
                         Language language);

}  // namespace treadle::codegen

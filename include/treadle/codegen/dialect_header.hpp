// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "treadle/base/language.hpp"

namespace treadle::codegen {

/// The text that replaces `#include "treadle/dialect.h"` in a language. kernel::Program makes the
/// replacement. Compilers that run without a Program get this text before the kernel's text. It
/// ends with a newline and a #line directive, so that the lines after it keep their numbers in
/// messages.
std::string_view dialect_header(Language language) noexcept;

/// The line that the text replaces.
inline constexpr std::string_view include_of_dialect = "#include \"treadle/dialect.h\"\n";

}  // namespace treadle::codegen

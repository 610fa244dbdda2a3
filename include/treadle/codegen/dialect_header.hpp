// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "treadle/base/language.hpp"

namespace treadle::codegen {

/// The text behind `#include "treadle/dialect.h"` for a language. kernel::Program puts it in the
/// place of the include; before a kernel's own text it serves compilers that are called without a
/// Program. Ends with a newline and with a #line directive, so that messages keep the lines of what
/// follows.
std::string_view dialect_header(Language language) noexcept;

/// The line that is replaced so.
inline constexpr std::string_view include_of_dialect = "#include \"treadle/dialect.h\"\n";

}  // namespace treadle::codegen

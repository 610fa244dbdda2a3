// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "treadle/base/language.hpp"

namespace treadle::codegen {

/// The text behind `#include "treadle/dialect.h"` for a language: put before a kernel's own text,
/// it lets compilers that look for no files take a kernel written for both. Ends with a newline and
/// with a #line directive, so that messages keep the lines of what follows.
std::string_view dialect_header(Language language) noexcept;

}  // namespace treadle::codegen

// SPDX-License-Identifier: MIT
// The user's text as a compiler receives it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace treadle::compile {

/// The source under the name that messages shall use, wrapped in extern "C" { } if asked for; every
/// line and column stays what it is in the user's own text. The wrapping starts behind the opening
/// directives, so that headers with templates may be included at the top. A byte order mark at the
/// beginning is left out.
std::string compiler_text(const std::string& source, const std::string& name, bool extern_c);

/// Bytes of blank lines, comments and directives that `source` begins with, outside every #if.
std::size_t opening_length(std::string_view source);

}  // namespace treadle::compile

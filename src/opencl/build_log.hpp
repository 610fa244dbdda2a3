// SPDX-License-Identifier: MIT
// Places in build logs of compilers that do not follow #line.
#pragma once

#include <string>
#include <string_view>

namespace treadle::opencl {

/// True for a log that names places in the whole text it was given, as NVIDIA's does:
/// "<kernel>:12:5: error: ...". Compilers that follow #line name its files instead.
bool counts_the_whole_text(std::string_view log);

/// `log` with the files and lines that the #line directives of `source` give in place of those of
/// the whole text. What the log shows of a line decides how the compiler counted; a place that
/// shows nothing is counted from the beginning of the text. Other places stay as they are.
std::string with_named_lines(std::string_view log, std::string_view source);

}  // namespace treadle::opencl

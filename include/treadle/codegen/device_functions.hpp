// SPDX-License-Identifier: MIT
// The functions that generated text calls: treadle_gcd_int32 and its like, written for all dtypes
// and both languages in kernels/elements, and those of treadle/dialect.h.
#pragma once

#include <string>
#include <string_view>

#include "treadle/codegen/dialect.hpp"

namespace treadle::codegen {

/// The definitions of all functions of ours that `text` calls, directly or not: each once, before
/// those who call it, in the order of their first use; a blank line follows each. Other names are
/// left alone.
std::string device_functions(std::string_view text, const Dialect& dialect);

}  // namespace treadle::codegen

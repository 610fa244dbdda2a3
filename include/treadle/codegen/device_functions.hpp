// SPDX-License-Identifier: MIT
// The functions that generated text calls: treadle_gcd_int32 and similar functions, which
// kernels/elements defines for all dtypes and both languages, and the functions of
// treadle/dialect.h.
#pragma once

#include <string>

#include "treadle/codegen/dialect.hpp"
#include "treadle/codegen/tree.hpp"

namespace treadle::codegen {

/// The definitions of all Treadle functions that a text or a tree calls, directly or not. Each
/// function is written once, before its callers, in the order of first use, with a blank line after
/// it. Other names are ignored.
std::string device_functions(const tree::Part& code, const Dialect& dialect);

}  // namespace treadle::codegen

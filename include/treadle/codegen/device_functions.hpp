// SPDX-License-Identifier: MIT
// The functions that generated text calls: treadle_gcd_int32 and its like, written for all dtypes
// and both languages in kernels/elements, and those of treadle/dialect.h.
#pragma once

#include <string>

#include "treadle/codegen/dialect.hpp"
#include "treadle/codegen/tree.hpp"

namespace treadle::codegen {

/// The definitions of all functions of ours that a text or a tree calls, directly or not: each
/// once, before those who call it, in the order of their first use; a blank line follows each.
/// Other names are left alone.
std::string device_functions(const tree::Part& code, const Dialect& dialect);

}  // namespace treadle::codegen

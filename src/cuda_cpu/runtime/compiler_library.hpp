// SPDX-License-Identifier: MIT
// The compiler, which this library opens where a program loads what is not machine code yet.
#pragma once

namespace treadle::cuda_cpu {

/// What libtreadle_clang exports by that name; null if it is of another version. Opened once and
/// never closed. Throws LibraryNotFound.
void* compiler_symbol(const char* name);

}  // namespace treadle::cuda_cpu

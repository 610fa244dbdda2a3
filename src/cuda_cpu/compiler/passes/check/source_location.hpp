// SPDX-License-Identifier: MIT
// Diagnostics of the passes in clang's form, at the user's own line.
#pragma once

#include <string>

namespace llvm {
class DILocation;
class Function;
class Instruction;
}  // namespace llvm

namespace treadle::cuda_cpu {

/// Of what was inlined to `place`, the innermost that is not in a device header; the outermost if
/// all are.
const llvm::DILocation* users_place(const llvm::DILocation* place);

/// "kernel.cu:3", the user's line; empty where none is known.
std::string place_in_source(const llvm::Instruction& instruction);

/// "kernel.cu:12:5: error: TEXT" from the line table; "error: TEXT" where there is none. Locations
/// inside our own device headers are skipped: the user's line that led there is named instead.
std::string diagnostic_at(const llvm::Instruction& instruction, const std::string& text);

/// A function's name as the user wrote it.
std::string display_name(const llvm::Function& function);

}  // namespace treadle::cuda_cpu

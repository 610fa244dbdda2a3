// SPDX-License-Identifier: MIT
#include "cuda_cpu/compiler/passes/source_location.hpp"

#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DebugLoc.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instruction.h>

namespace treadle::cuda_cpu {
namespace {

bool is_own_header(const llvm::DILocation& location) {
  const llvm::StringRef file = location.getFilename();
  return file.starts_with("/treadle/") || file.starts_with("<");
}

}  // namespace

std::string diagnostic_at(const llvm::Instruction& instruction, const std::string& text) {
  const llvm::DILocation* chosen = nullptr;
  for (const llvm::DILocation* at = instruction.getDebugLoc().get(); at; at = at->getInlinedAt()) {
    chosen = at;
    if (!is_own_header(*at)) break;
  }
  std::string result;
  if (chosen && chosen->getLine() != 0)
    result = chosen->getFilename().str() + ":" + std::to_string(chosen->getLine()) + ":" +
             std::to_string(chosen->getColumn()) + ": ";
  return result + "error: " + text;
}

std::string display_name(const llvm::Function& function) {
  return llvm::demangle(function.getName().str());
}

}  // namespace treadle::cuda_cpu

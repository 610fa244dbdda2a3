// SPDX-License-Identifier: MIT
#include "cuda_cpu/compiler/passes/check/source_location.hpp"

#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DebugLoc.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instruction.h>

namespace treadle::cuda_cpu {
namespace {

bool is_own_header(const llvm::DILocation& location) {
  const llvm::StringRef file = location.getFilename();
  // The front end takes what the folder shares with that of the user's text off the name.
  const bool is_relative = location.getDirectory() == "/treadle" && file.starts_with("include/");
  return is_relative || file.starts_with("/treadle/") || file.starts_with("<");
}

const llvm::DILocation* users_location(const llvm::Instruction& instruction) {
  const llvm::DILocation* place = instruction.getDebugLoc().get();
  if (place) place = users_place(place);
  return place && place->getLine() != 0 ? place : nullptr;
}

}  // namespace

const llvm::DILocation* users_place(const llvm::DILocation* place) {
  while (place->getInlinedAt() && is_own_header(*place)) place = place->getInlinedAt();
  return place;
}

std::string place_in_source(const llvm::Instruction& instruction) {
  const llvm::DILocation* at = users_location(instruction);
  if (!at) return {};
  std::string place = at->getFilename().str();
  return place.append(":").append(std::to_string(at->getLine()));
}

std::string diagnostic_at(const llvm::Instruction& instruction, const std::string& text) {
  std::string result = place_in_source(instruction);
  if (const llvm::DILocation* at = users_location(instruction))
    result.append(":").append(std::to_string(at->getColumn())).append(": ");
  return result.append("error: ").append(text);
}

std::string display_name(const llvm::Function& function) {
  return llvm::demangle(function.getName().str());
}

}  // namespace treadle::cuda_cpu

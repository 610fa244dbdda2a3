// SPDX-License-Identifier: MIT
// A lowered module in parts, whose code is made on different cores.
#pragma once

#include <llvm/ADT/StringMap.h>

#include <memory>
#include <string>

#include "cuda_cpu/compiler/passes/module_plan.hpp"

namespace llvm {
class LLVMContext;
class Module;
}  // namespace llvm

namespace treadle::cuda_cpu {

/// Which function goes where. Depends on the module alone, not on the machine: so does the code.
struct ModuleParts {
  unsigned count = 1;
  llvm::StringMap<unsigned> part_of;  ///< by the function's name
  std::string bitcode;                ///< of the whole module; empty if there is one part
};

struct ModulePart {
  std::unique_ptr<llvm::Module> module;
  ModulePlan plan;  ///< names and descriptions of kernels only
};

/// Cuts the module as the passes leave it for LLVM's optimiser. One part where more would gain
/// nothing; else functions and variables that several parts need become hidden symbols.
ModuleParts cut_module(llvm::Module& module, const ModulePlan& plan);
/// The first part has all variables, others know them and the values of constants. Throws
/// BackendError. Thread-safe on separate contexts.
ModulePart load_part(const ModuleParts& parts, unsigned number, llvm::LLVMContext& context);

}  // namespace treadle::cuda_cpu

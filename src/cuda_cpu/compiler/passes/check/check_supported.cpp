// SPDX-License-Identifier: MIT
// Check: what can be written in CUDA C++ but not be run here is refused by name, at the
// user's line, before anything is lowered. Runs after inlining, so only code a kernel reaches
// counts, and while the line table is still there.
//
//   declare float @nope(float)
//   %v = call float @nope(float %x)   =>   kernel.cu:3:12: error: undefined function 'nope'
#include "cuda_cpu/compiler/passes/check/check_supported.hpp"

#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/MathExtras.h>

#include "cuda_cpu/compiler/backend.hpp"
#include "cuda_cpu/compiler/passes/address_spaces.hpp"
#include "cuda_cpu/compiler/passes/check/source_location.hpp"
#include "cuda_cpu/compiler/passes/lowering/markers.hpp"
#include "cuda_cpu/compiler/passes/lowering/math_calls.hpp"
#include "cuda_cpu/compiler/passes/lowering/shared_memory.hpp"

namespace treadle::cuda_cpu {
namespace {

[[noreturn]] void refuse(const llvm::Instruction& at, const std::string& text) {
  throw BackendError(diagnostic_at(at, text));
}

void check_inline_assembly(const llvm::CallBase& call) {
  const auto* assembly = llvm::dyn_cast<llvm::InlineAsm>(call.getCalledOperand());
  // An empty text is a compiler fence; it means the same everywhere.
  if (assembly && !assembly->getAsmString().empty())
    refuse(call, "inline PTX assembly is not supported on the CPU device: \"" +
                     std::string(assembly->getAsmString()) + "\"");
}

void check_callee(const llvm::CallBase& call, const llvm::Function& function, bool in_kernel) {
  const llvm::Function* callee = call.getCalledFunction();
  if (!callee || callee->isIntrinsic()) return;
  const Marker marker = marker_of(*callee);
  if (marker == Marker::barrier && !in_kernel)
    refuse(call, "a barrier or warp operation inside '" + display_name(function) +
                     "', which is recursive or called through a pointer, is not supported on the "
                     "CPU device");
  if (callee->isDeclaration() && marker == Marker::none && !is_library_function(*callee))
    refuse(call, "undefined function '" + display_name(*callee) + "'");
}

void check_function(const llvm::Function& function, bool in_kernel) {
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    if (const auto* local = llvm::dyn_cast<llvm::AllocaInst>(&instruction))
      if (!local->isStaticAlloca())
        refuse(*local,
               "alloca() with a size known only at run time is not supported on the CPU "
               "device");
    if (llvm::isa<llvm::IndirectBrInst>(instruction))
      refuse(instruction, "computed goto is not supported on the CPU device");
    if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
      check_inline_assembly(*call);
      check_callee(*call, function, in_kernel);
    }
  }
}

/// CUDA's limit, which ptxas refuses to exceed. What a loop over threads needs of it lies on one
/// stack of the run-time's.
constexpr std::uint64_t most_local_bytes = 512u << 10;

void check_local_memory(const llvm::Function& function, bool is_kernel) {
  const llvm::DataLayout& layout = function.getParent()->getDataLayout();
  std::uint64_t bytes = 0;
  const llvm::AllocaInst* largest = nullptr;
  const auto size = [&](const llvm::AllocaInst& local) {
    return local.getAllocationSize(layout).value_or(llvm::TypeSize::getFixed(0)).getFixedValue();
  };
  for (const llvm::Instruction& instruction : llvm::instructions(function))
    if (const auto* local = llvm::dyn_cast<llvm::AllocaInst>(&instruction)) {
      bytes += size(*local);
      if (!largest || size(*local) > size(*largest)) largest = local;
    }
  if (bytes > most_local_bytes)
    refuse(*largest, std::string(is_kernel ? "kernel '" : "function '") + display_name(function) +
                         "' has " + std::to_string(bytes) +
                         " bytes of local arrays for each thread, where CUDA allows " +
                         std::to_string(most_local_bytes) +
                         "; make them smaller, or pass the kernel memory of the device");
}

/// Where it is told, a GPU's memory for constants cannot be written; a pointer may hide it.
void check_constants(const llvm::Function& function) {
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    const llvm::Value* written = nullptr;
    if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction))
      written = store->getPointerOperand();
    else if (const auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction))
      written = update->getPointerOperand();
    else if (const auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction))
      written = exchange->getPointerOperand();
    else if (const auto* fill = llvm::dyn_cast<llvm::MemIntrinsic>(&instruction))
      written = fill->getRawDest();
    const auto* variable =
        written ? llvm::dyn_cast<llvm::GlobalVariable>(llvm::getUnderlyingObject(written))
                : nullptr;
    if (variable && variable->hasAttribute("treadle-constant"))
      refuse(instruction, "the __constant__ variable '" + llvm::demangle(variable->getName()) +
                              "' cannot be written by a kernel");
  }
}

/// What a GPU of capability 7.0 and above has for the arguments of a launch, and for shared
/// variables.
constexpr std::uint64_t most_parameter_bytes = 32764, most_static_shared = 48u << 10,
                        most_constant = 64u << 10;

void note_shared_variables(const llvm::Value* value,
                           llvm::SmallSetVector<const llvm::GlobalVariable*, 8>& found) {
  if (const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(value)) {
    if (variable->getAddressSpace() == shared_address_space && is_program_own(*variable))
      found.insert(variable);
  } else if (const auto* constant = llvm::dyn_cast<llvm::Constant>(value)) {
    for (const llvm::Value* operand : constant->operand_values())
      note_shared_variables(operand, found);
  }
}

[[noreturn]] void refuse(const KernelPlan& kernel, const std::string& text) {
  throw BackendError(diagnostic_at(*llvm::inst_begin(*kernel.function), text));
}

void check_sizes(const KernelPlan& kernel) {
  if (kernel.parameter_bytes > most_parameter_bytes)
    refuse(kernel, "kernel '" + kernel.signature + "' has " +
                       std::to_string(kernel.parameter_bytes) +
                       " bytes of parameters, where CUDA "
                       "allows " +
                       std::to_string(most_parameter_bytes));
  llvm::SmallSetVector<const llvm::GlobalVariable*, 8> variables;
  for (const llvm::Instruction& instruction : llvm::instructions(*kernel.function))
    for (const llvm::Value* operand : instruction.operand_values())
      note_shared_variables(operand, variables);
  const llvm::DataLayout& layout = kernel.function->getParent()->getDataLayout();
  std::uint64_t bytes = 0;
  for (const llvm::GlobalVariable* variable : variables)
    bytes = llvm::alignTo(bytes, variable->getAlign().valueOrOne()) +
            layout.getTypeAllocSize(variable->getValueType());
  if (bytes > most_static_shared)
    refuse(kernel, "kernel '" + kernel.signature + "' uses " + std::to_string(bytes) +
                       " bytes of static shared memory, where CUDA allows " +
                       std::to_string(most_static_shared) +
                       "; ask for more as dynamic shared "
                       "memory");
}

bool is_used(const llvm::GlobalVariable& variable) {
  return llvm::any_of(variable.users(), [](const llvm::User* user) {
    return llvm::isa<llvm::Instruction>(user) || !user->use_empty();
  });
}

void check_constant_size(const ModulePlan& plan) {
  if (plan.constant_size > most_constant)
    throw BackendError("error: " + std::to_string(plan.constant_size) +
                       " bytes of __constant__ variables, where CUDA allows " +
                       std::to_string(most_constant) + "; use __device__ variables");
}

void check_globals(const llvm::Module& module) {
  for (const llvm::GlobalVariable& variable : module.globals())
    if (variable.isDeclaration() && variable.getAddressSpace() != shared_address_space &&
        is_used(variable))
      throw BackendError("error: undefined variable '" + variable.getName().str() + "'");
}

}  // namespace

void check_supported(const llvm::Module& module, const ModulePlan& plan) {
  llvm::SmallPtrSet<const llvm::Function*, 8> kernels;
  for (const KernelPlan& kernel : plan.kernels) kernels.insert(kernel.function);
  for (const llvm::Function& function : module) {
    check_function(function, kernels.contains(&function));
    check_local_memory(function, kernels.contains(&function));
    check_constants(function);
  }
  for (const KernelPlan& kernel : plan.kernels) check_sizes(kernel);
  check_globals(module);
  check_constant_size(plan);
}

}  // namespace treadle::cuda_cpu

// SPDX-License-Identifier: MIT
// Kernels on demand: programs instantiate templates for every size of blocks and launch one. Of a
// text of many kernels all are checked, and the module gets their names, the variables, and clang's
// module as bitcode. The run-time has a kernel compiled when the program asks for it; that makes a
// module of its own, with the variables of the first:
//
//   @n = global i32 0                                @n.address = internal global ptr null  ;
//   filled define void @k(...) {                     =>     define void @k(...) { ; when it
//     store i32 1, ptr @n                              %n = load ptr, ptr @n.address        ; is
//     loaded
//                                                      store i32 1, ptr %n
#include "cuda_cpu/compiler/passes/lowering/kernels_on_demand.hpp"

#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/ReplaceConstant.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>

#include <algorithm>

#include "cuda_cpu/compiler/passes/address_spaces.hpp"
#include "cuda_cpu/compiler/passes/lowering/markers.hpp"
#include "cuda_cpu/compiler/passes/pass_runner.hpp"

namespace treadle::cuda_cpu {
namespace {

/// Up to so many kernels a program probably launches all of them.
constexpr unsigned most_at_once = 4;
/// The splitter refuses kernels with too many: the user shall know when the text is compiled.
constexpr int most_barriers = 60;

bool is_kernel(const llvm::Function& function) {
  return function.getCallingConv() == llvm::CallingConv::SPIR_KERNEL && !function.isDeclaration();
}

/// A constant of the module that names a variable or a function is the same object for all kernels.
bool names_others(const llvm::Constant& constant) {
  return llvm::any_of(constant.operands(), [](const llvm::Use& operand) {
    const auto* other = llvm::cast<llvm::Constant>(operand.get());
    return llvm::isa<llvm::GlobalValue>(other) || names_others(*other);
  });
}

bool suits(const llvm::Module& module, const ModulePlan& plan) {
  if (!plan.launches.empty()) return false;  // a kernel's row in the descriptor is of this module
  for (const llvm::GlobalVariable& variable : module.globals())
    if (variable.hasInitializer() && names_others(*variable.getInitializer())) return false;
  for (const llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    // Neither recursive functions nor those behind pointers.
    const bool is_one = std::ranges::any_of(
        plan.kernels, [&](const KernelPlan& kernel) { return kernel.function == &function; });
    if (!is_one || !function.use_empty()) return false;
    const auto barriers = llvm::count_if(llvm::instructions(function), [](const auto& instruction) {
      return marker_of(instruction) == Marker::barrier;
    });
    if (barriers > most_barriers) return false;
  }
  return true;
}

}  // namespace

std::string bitcode_of_many_kernels(const llvm::Module& module) {
  std::string bitcode;
  if (llvm::count_if(module, is_kernel) <= most_at_once) return bitcode;
  llvm::raw_string_ostream stream(bitcode);
  llvm::WriteBitcodeToFile(module, stream);
  return bitcode;
}

void leave_kernels_for_later(llvm::Module& module, ModulePlan& plan) {
  if (!suits(module, plan)) return;
  for (KernelPlan& kernel : plan.kernels) {
    kernel.function->deleteBody();
    kernel.deferred = true;
  }
}

bool keep_one_kernel(llvm::Module& module, const std::string& name, PassRunner& runner) {
  bool found = false;
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    const bool wanted = is_kernel(function) && function.getName() == name;
    found |= wanted;
    function.setLinkage(wanted ? llvm::GlobalValue::ExternalLinkage
                               : llvm::GlobalValue::InternalLinkage);
    function.setComdat(nullptr);
  }
  // All variables stay: how much constant memory there is is an attribute of each kernel.
  for (llvm::GlobalVariable& variable : module.globals())
    if (!variable.isDeclaration() && variable.getAddressSpace() != shared_address_space &&
        variable.hasLocalLinkage())
      variable.setLinkage(llvm::GlobalValue::ExternalLinkage);
  llvm::ModulePassManager passes;
  passes.addPass(llvm::GlobalDCEPass());
  runner.run(passes, module);
  return found;
}

void import_variables(llvm::Module& module, ModulePlan& plan) {
  llvm::SmallVector<llvm::Constant*, 8> variables;
  for (const GlobalPlan& global : plan.globals) variables.push_back(global.variable);
  llvm::convertUsersOfConstantsToInstructions(variables);
  std::erase_if(plan.globals, [](const GlobalPlan& global) {
    if (!global.variable->use_empty()) return false;
    global.variable->eraseFromParent();
    return true;
  });
  for (GlobalPlan& global : plan.globals) {
    llvm::GlobalVariable* variable = global.variable;
    auto* address = new llvm::GlobalVariable(
        module, variable->getType(), /*isConstant=*/false, llvm::GlobalValue::InternalLinkage,
        llvm::Constant::getNullValue(variable->getType()), variable->getName() + ".address");
    address->setExternallyInitialized(true);
    llvm::DenseMap<llvm::Function*, llvm::Value*> loaded;
    for (llvm::Use& use : llvm::make_early_inc_range(variable->uses())) {
      llvm::Function* user = llvm::cast<llvm::Instruction>(use.getUser())->getFunction();
      llvm::Value*& value = loaded[user];
      if (!value) {
        llvm::IRBuilder<> builder(&*user->getEntryBlock().getFirstInsertionPt());
        auto* load = builder.CreateLoad(variable->getType(), address);
        load->setMetadata(llvm::LLVMContext::MD_invariant_load,
                          llvm::MDNode::get(module.getContext(), {}));
        value = load;
      }
      use.set(value);
    }
    variable->eraseFromParent();
    global.variable = address;
    global.size = sizeof(void*);
  }
}

}  // namespace treadle::cuda_cpu

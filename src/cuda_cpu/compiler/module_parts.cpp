// SPDX-License-Identifier: MIT
// Parts of a module: nearly all of a compile is LLVM's time on functions that kernels were made
// into, one for each region or loop. None looks at another, but what the inliner may join: so they
// are dealt out to parts of about the same size, and the linker makes one module of the parts.
//
//   @table = internal constant ...        part 0: @table = hidden constant ...
//   define internal @all.0.k() {...}  =>          define hidden @all.0.k() {...}
//   define internal @all.1.k() {...}              declare hidden @all.1.k()
//                                         part 1: @table = available_externally hidden constant ...
//                                                 declare hidden @all.0.k()
//                                                 define hidden @all.1.k() {...}
#include "cuda_cpu/compiler/module_parts.hpp"

#include <llvm/ADT/EquivalenceClasses.h>
#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/Error.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>

#include "cuda_cpu/compiler/backend.hpp"

namespace treadle::cuda_cpu {
namespace {

/// A part of fewer instructions is done sooner than a thread pays for itself.
constexpr unsigned least_instructions = 800;
/// Each part costs a millisecond or two.
constexpr unsigned most_parts = 16;
constexpr const char* kernels_metadata = "treadle.kernels";

/// The function whose body a call may become: null if it is none of the module, or stays a call.
llvm::Function* inlinable_callee(const llvm::User& user, const llvm::Use& use) {
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&user);
  if (!call || !call->isCallee(&use)) return nullptr;
  llvm::Function* callee = call->getCalledFunction();
  return callee && !callee->isDeclaration() && !callee->hasFnAttribute(llvm::Attribute::NoInline)
             ? callee
             : nullptr;
}

/// Functions that may be inlined into each other.
using Units = llvm::EquivalenceClasses<const llvm::Function*>;

Units find_units(const llvm::Module& module) {
  Units units;
  for (const llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    units.insert(&function);
    for (const llvm::Use& use : function.uses())
      if (inlinable_callee(*use.getUser(), use))
        units.unionSets(&function, llvm::cast<llvm::CallBase>(use.getUser())->getFunction());
  }
  return units;
}

/// Functions by the unit they are of, in the module's order.
auto functions_of(const Units& units, const llvm::Module& module) {
  llvm::MapVector<const llvm::Function*, llvm::SmallVector<const llvm::Function*, 4>> found;
  for (const llvm::Function& function : module)
    if (!function.isDeclaration()) found[units.getLeaderValue(&function)].push_back(&function);
  return found.takeVector();
}

unsigned instructions_of(llvm::ArrayRef<const llvm::Function*> functions) {
  unsigned count = 0;
  for (const llvm::Function* function : functions) count += function->getInstructionCount();
  return count;
}

/// The largest unit first, each to the part that has least so far.
void deal_out(const Units& units, const llvm::Module& module, ModuleParts& parts) {
  auto sorted = functions_of(units, module);
  llvm::SmallVector<unsigned, 64> sizes;
  llvm::SmallVector<unsigned, 64> order;
  unsigned all = 0;
  for (const auto& [leader, functions] : sorted) {
    order.push_back(static_cast<unsigned>(sizes.size()));
    all += sizes.emplace_back(instructions_of(functions));
  }
  parts.count =
      std::min({all / least_instructions, most_parts, static_cast<unsigned>(sizes.size())});
  if (parts.count < 2) return;
  llvm::stable_sort(order, [&](unsigned a, unsigned b) { return sizes[a] > sizes[b]; });
  llvm::SmallVector<unsigned, most_parts> filled(parts.count);
  for (const unsigned unit : order) {
    const auto lightest = llvm::min_element(filled);
    *lightest += sizes[unit];
    for (const llvm::Function* function : sorted[unit].second)
      parts.part_of[function->getName()] = static_cast<unsigned>(lightest - filled.begin());
  }
}

/// Constants that stand in functions, and all that these are made of.
llvm::SetVector<llvm::Constant*> constants_of_functions(llvm::Module& module) {
  llvm::SetVector<llvm::Constant*> found;
  const auto add_operands = [&](const llvm::User& user) {
    for (const llvm::Use& operand : user.operands())
      if (auto* constant = llvm::dyn_cast<llvm::Constant>(operand)) found.insert(constant);
  };
  for (llvm::Function& function : module)
    for (const llvm::Instruction& instruction : llvm::instructions(function))
      add_operands(instruction);
  for (std::size_t i = 0; i < found.size(); ++i)
    if (!llvm::isa<llvm::Function>(found[i])) add_operands(*found[i]);
  return found;
}

void make_hidden_symbol(llvm::GlobalValue& value) {
  if (!value.hasLocalLinkage()) return;
  if (!value.hasName()) value.setName("treadle.value");
  value.setLinkage(llvm::GlobalValue::ExternalLinkage);
  value.setVisibility(llvm::GlobalValue::HiddenVisibility);
}

/// Functions that only their own unit calls stay internal: the inliner leaves none of them behind.
void share_symbols(llvm::Module& module) {
  for (llvm::Constant* constant : constants_of_functions(module))
    if (auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(constant))
      make_hidden_symbol(*variable);
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    const bool own = llvm::all_of(function.uses(), [&](const llvm::Use& use) {
      return inlinable_callee(*use.getUser(), use) != nullptr;
    });
    if (!own) make_hidden_symbol(function);
  }
}

/// For finish_line_tables, which has the plan's kernels otherwise.
void note_kernels(llvm::Module& module, const ModulePlan& plan) {
  llvm::NamedMDNode& list = *module.getOrInsertNamedMetadata(kernels_metadata);
  llvm::LLVMContext& context = module.getContext();
  for (const KernelPlan& kernel : plan.kernels)
    list.addOperand(
        llvm::MDNode::get(context, {llvm::MDString::get(context, kernel.name),
                                    const_cast<llvm::DISubprogram*>(kernel.description)}));
}

ModulePlan noted_kernels(const llvm::Module& module) {
  ModulePlan plan;
  for (const llvm::MDNode* noted : module.getNamedMetadata(kernels_metadata)->operands()) {
    KernelPlan& kernel = plan.kernels.emplace_back();
    kernel.name = llvm::cast<llvm::MDString>(noted->getOperand(0))->getString().str();
    kernel.description = llvm::cast_or_null<llvm::DISubprogram>(noted->getOperand(1));
  }
  return plan;
}

/// Labels whose address is taken have no name that other parts could use.
bool can_be_cut(const llvm::Module& module) {
  if (!module.alias_empty() || !module.ifunc_empty()) return false;
  return llvm::none_of(module, [](const llvm::Function& function) {
    return llvm::any_of(function, [](const auto& block) { return block.hasAddressTaken(); });
  });
}

}  // namespace

ModuleParts cut_module(llvm::Module& module, const ModulePlan& plan) {
  ModuleParts parts;
  if (!can_be_cut(module)) return parts;
  const Units units = find_units(module);
  deal_out(units, module, parts);
  if (parts.count < 2) return ModuleParts{};
  share_symbols(module);
  note_kernels(module, plan);
  llvm::raw_string_ostream stream(parts.bitcode);
  llvm::WriteBitcodeToFile(module, stream);
  return parts;
}

ModulePart load_part(const ModuleParts& parts, unsigned number, llvm::LLVMContext& context) {
  // Lazily: other parts' functions are not even read.
  auto loaded = llvm::getLazyBitcodeModule({parts.bitcode, "part"}, context);
  if (!loaded) throw BackendError("error: " + llvm::toString(loaded.takeError()));
  llvm::Module& module = **loaded;
  for (llvm::Function& function : module)
    if (!function.isDeclaration() && parts.part_of.lookup(function.getName()) != number)
      function.deleteBody();
  if (auto error = module.materializeAll())
    throw BackendError("error: " + llvm::toString(std::move(error)));
  if (number != 0)
    for (llvm::GlobalVariable& variable : module.globals()) {
      if (variable.isDeclaration() || variable.hasLocalLinkage()) continue;
      if (!variable.isConstant()) variable.setInitializer(nullptr);
      variable.setLinkage(variable.isConstant() ? llvm::GlobalValue::AvailableExternallyLinkage
                                                : llvm::GlobalValue::ExternalLinkage);
    }
  ModulePlan plan = noted_kernels(module);
  return {std::move(*loaded), std::move(plan)};
}

}  // namespace treadle::cuda_cpu

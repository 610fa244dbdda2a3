// SPDX-License-Identifier: MIT
// Retarget: the front end compiled for an abstract GPU (spirv64); from here on the module
// is code of this processor. Kernels are told from device functions by their calling convention,
// so the list of kernels, with the layout of their parameters, is made here, before it is lost.
//
//   target triple = "spirv64"                      target triple = "x86_64-pc-linux-gnu"
//   define spir_kernel void @k(ptr addrspace(1))   define void @k(ptr addrspace(1)) #host
//   define spir_func i32 @f() #convergent     =>   define internal i32 @f() #host
//   call spir_func i32 @f() #convergent            call i32 @f()
//
// `convergent` stays on the barrier, and on the question who comes to one: everywhere else it would
// only forbid vectorisation.
#include "cuda_cpu/compiler/passes/lowering/retarget.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/MathExtras.h>
#include <llvm/Target/TargetMachine.h>

#include "cuda_cpu/compiler/codegen.hpp"
#include "cuda_cpu/compiler/passes/address_spaces.hpp"
#include "cuda_cpu/compiler/passes/check/source_location.hpp"
#include "cuda_cpu/compiler/passes/lowering/launch_functions.hpp"
#include "cuda_cpu/compiler/passes/lowering/markers.hpp"

namespace treadle::cuda_cpu {
namespace {

/// What the front end notes on a kernel (module_facts.hpp): "treadle-max-threads" of
/// __launch_bounds__, and each parameter's name and type as the source has them.
std::uint32_t noted_max_threads(const llvm::Function& kernel) {
  std::uint32_t threads = 0;
  kernel.getFnAttribute("treadle-max-threads").getValueAsString().getAsInteger(10, threads);
  return threads;
}

void note_source_names(const llvm::Function& kernel, std::vector<ParameterPlan>& parameters) {
  const llvm::MDNode* names = kernel.getMetadata("treadle.parameters");
  if (!names || names->getNumOperands() != 2 * parameters.size()) return;
  for (unsigned i = 0; i < parameters.size(); ++i) {
    parameters[i].name = llvm::cast<llvm::MDString>(names->getOperand(2 * i))->getString().str();
    parameters[i].type =
        llvm::cast<llvm::MDString>(names->getOperand(2 * i + 1))->getString().str();
  }
}

ParameterPlan plan_parameter(const llvm::Argument& argument, const llvm::DataLayout& layout) {
  ParameterPlan plan;
  llvm::StringRef name = argument.getName();
  name.consume_back(".coerce");
  plan.name = name.str();
  llvm::Type* type = argument.getType();
  if (argument.hasByValAttr()) {
    plan.kind = ParameterKind::structure;
    plan.size = static_cast<std::uint32_t>(layout.getTypeAllocSize(argument.getParamByValType()));
    plan.align = static_cast<std::uint32_t>(argument.getParamAlign().valueOrOne().value());
  } else {
    plan.kind = type->isPointerTy() ? ParameterKind::pointer : ParameterKind::value;
    plan.size = static_cast<std::uint32_t>(layout.getTypeAllocSize(type));
    plan.align = static_cast<std::uint32_t>(layout.getABITypeAlign(type).value());
  }
  return plan;
}

/// CUDA packs parameters in order, each at a multiple of its own alignment.
KernelPlan plan_kernel(llvm::Function& function, const llvm::DataLayout& layout) {
  KernelPlan plan;
  plan.function = &function;
  plan.description = function.getSubprogram();
  plan.name = function.getName().str();
  plan.signature = display_name(function);
  plan.max_threads = noted_max_threads(function);
  std::uint64_t end = 0;
  for (const llvm::Argument& argument : function.args()) {
    ParameterPlan parameter = plan_parameter(argument, layout);
    parameter.offset = static_cast<std::uint32_t>(llvm::alignTo(end, parameter.align));
    end = parameter.offset + std::uint64_t{parameter.size};
    plan.parameters.push_back(std::move(parameter));
  }
  plan.parameter_bytes = end;
  note_source_names(function, plan.parameters);
  return plan;
}

void erase_compiler_lists(llvm::Module& module) {
  for (const char* name : {"llvm.used", "llvm.compiler.used", "llvm.global.annotations"})
    if (llvm::GlobalVariable* list = module.getNamedGlobal(name)) list->eraseFromParent();
}

/// Their variables are no user's, and the descriptor says where they are.
bool is_of_coverage(const llvm::GlobalVariable& variable) {
  return variable.getName().starts_with("treadle.coverage.");
}

void plan_coverage(llvm::Module& module, ModulePlan& plan) {
  llvm::NamedMDNode* const all = module.getNamedMetadata("treadle.coverage");
  if (!all) return;
  for (const llvm::MDNode* one : all->operands())
    plan.counted.push_back(
        {llvm::mdconst::extract<llvm::GlobalVariable>(one->getOperand(0)),
         llvm::mdconst::extract<llvm::GlobalVariable>(one->getOperand(1)),
         llvm::mdconst::extract<llvm::ConstantInt>(one->getOperand(2))->getZExtValue()});
  all->eraseFromParent();
  for (const CountedPlan& counted : plan.counted)
    for (llvm::GlobalVariable* variable : {counted.map, counted.counters}) {
      // External, or the clean-up drops what only the descriptor will name.
      variable->setLinkage(llvm::GlobalValue::ExternalLinkage);
      variable->setVisibility(llvm::GlobalValue::HiddenVisibility);
    }
}

/// A variable the host may write: its initial value is no fact, its address is in the descriptor.
bool is_user_variable(const llvm::GlobalVariable& variable) {
  return !variable.isDeclaration() && variable.getAddressSpace() != shared_address_space &&
         (variable.isExternallyInitialized() || !variable.isConstant());
}

/// As the source has it: NVIDIA's compilers mangle no name of a static variable outside of
/// namespaces.
std::string name_for_host(llvm::StringRef symbol) {
  llvm::StringRef name = symbol;
  std::size_t length = 0;
  if (name.consume_front("_ZL") && !name.consumeInteger(10, length) && name.size() == length)
    return name.str();
  return symbol.str();
}

void plan_globals(llvm::Module& module, ModulePlan& plan) {
  const llvm::DataLayout& layout = module.getDataLayout();
  for (llvm::GlobalVariable& variable : module.globals()) {
    variable.setComdat(nullptr);
    variable.setDSOLocal(true);
    if (variable.isDeclaration() || is_of_coverage(variable)) continue;
    if (!is_user_variable(variable)) {
      variable.setLinkage(llvm::GlobalValue::InternalLinkage);
      continue;
    }
    // External, or the clean-up drops those that no kernel uses; the host may ask for them.
    variable.setLinkage(llvm::GlobalValue::ExternalLinkage);
    variable.setVisibility(llvm::GlobalValue::HiddenVisibility);
    variable.setConstant(false);
    variable.setExternallyInitialized(true);
    const std::uint64_t size = layout.getTypeAllocSize(variable.getValueType());
    if (variable.hasAttribute("treadle-constant")) plan.constant_size += size;
    plan.globals.push_back({&variable, name_for_host(variable.getName()), size});
  }
}

bool stays_where_it_is(Marker marker) {
  return marker == Marker::barrier || marker == Marker::all_come;
}

void make_calls_plain(llvm::Function& function) {
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (!call) continue;
    call->setCallingConv(llvm::CallingConv::C);
    if (!stays_where_it_is(marker_of(*call))) call->removeFnAttr(llvm::Attribute::Convergent);
  }
}

void make_function_plain(llvm::Function& function, const llvm::TargetMachine& machine) {
  function.setCallingConv(llvm::CallingConv::C);
  function.setComdat(nullptr);
  if (!stays_where_it_is(marker_of(function))) function.removeFnAttr(llvm::Attribute::Convergent);
  function.removeFnAttr("frame-pointer");
  if (function.isDeclaration()) return;
  // What the user promised of memory (pure, const) was about a function without our hidden
  // context; LLVM infers what holds.
  function.removeFnAttr(llvm::Attribute::Memory);
  function.setLinkage(llvm::GlobalValue::InternalLinkage);
  set_host_attributes(function, machine);
  make_calls_plain(function);
}

/// What vtables hold for pure virtual and for deleted functions is the host library's; a call ends
/// the kernel as __trap() does.
void define_missing_virtuals(llvm::Module& module) {
  for (const char* name : {"__cxa_pure_virtual", "__cxa_deleted_virtual"}) {
    llvm::Function* function = module.getFunction(name);
    if (!function || !function->isDeclaration()) continue;
    llvm::IRBuilder<> builder(llvm::BasicBlock::Create(module.getContext(), "", function));
    builder.CreateCall(module.getOrInsertFunction("__treadle_trap", builder.getVoidTy()));
    builder.CreateUnreachable();
  }
}

}  // namespace

void set_host_attributes(llvm::Function& function, const llvm::TargetMachine& machine) {
  function.addFnAttr("target-cpu", machine.getTargetCPU());
  function.addFnAttr("tune-cpu", host_processor());
  function.addFnAttr("target-features", machine.getTargetFeatureString());
  // Whole-block loops earn the widest vectors; LLVM's own default of 256 bits is for mixed code.
  function.addFnAttr("prefer-vector-width", "512");
  function.removeFnAttr("min-legal-vector-width");
  function.addFnAttr(llvm::Attribute::NoUnwind);
}

ModulePlan retarget(llvm::Module& module, const llvm::TargetMachine& machine) {
  ModulePlan plan;
  // Parameters are laid out as the source's target has them: CUDA's layout, not the host's.
  for (llvm::Function& function : module)
    if (function.getCallingConv() == llvm::CallingConv::SPIR_KERNEL && !function.isDeclaration())
      plan.kernels.push_back(plan_kernel(function, module.getDataLayout()));
  module.setTargetTriple(machine.getTargetTriple().str());
  module.setDataLayout(machine.createDataLayout());
  erase_compiler_lists(module);
  define_missing_virtuals(module);
  plan_globals(module, plan);
  plan_coverage(module, plan);
  make_launch_functions(module, plan);
  for (llvm::Function& function : module) make_function_plain(function, machine);
  for (KernelPlan& kernel : plan.kernels)
    kernel.function->setLinkage(llvm::GlobalValue::ExternalLinkage);
  return plan;
}

}  // namespace treadle::cuda_cpu

// SPDX-License-Identifier: MIT
// The module's one exported symbol: constants laid out as the structs of module_abi.h, so that the
// run-time reads them in place and needs no parser.
//
//   @treadle.regions.0 = private constant [2 x {ptr, ptr, i32, i8, i8, [2 x i8]}] [...]
//   @treadle.kernels.0 = private constant [1 x {ptr, ptr, ptr, ptr, ...}] [...]
//   @treadle_module_v1 = constant {i32, i32, i32, i32, ptr @treadle.kernels.0, ptr ..., ptr ...}
#include "cuda_cpu/compiler/descriptor.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Module.h>

#include "cuda_cpu/compiler/backend.hpp"
#include "cuda_cpu/compiler/passes/lowering/block_context.hpp"
#include "cuda_cpu/module_abi.h"

namespace treadle::cuda_cpu {
namespace {

using llvm::Constant;

/// Builds constants that mirror the C structs of module_abi.h field by field.
class TableBuilder {
 public:
  explicit TableBuilder(llvm::Module& module)
      : module_(module),
        context_(module.getContext()),
        pointer_(llvm::PointerType::get(context_, 0)) {}

  Constant* u8(std::uint64_t value) { return integer(8, value); }
  Constant* u32(std::uint64_t value) { return integer(32, value); }
  Constant* u64(std::uint64_t value) { return integer(64, value); }
  Constant* null() { return Constant::getNullValue(pointer_); }
  Constant* address(llvm::GlobalValue* value) {
    return value ? llvm::ConstantExpr::getPointerBitCastOrAddrSpaceCast(value, pointer_) : null();
  }
  Constant* text(const std::string& value) {
    return variable(llvm::ConstantDataArray::getString(context_, value), "treadle.text.");
  }
  Constant* bytes(unsigned count) {
    return Constant::getNullValue(llvm::ArrayType::get(llvm::Type::getInt8Ty(context_), count));
  }

  /// A C struct; `size_bytes` is its sizeof, to notice a field forgotten here.
  Constant* record(std::initializer_list<Constant*> fields, std::size_t size_bytes) {
    Constant* value = llvm::ConstantStruct::getAnon(context_, fields);
    if (module_.getDataLayout().getTypeAllocSize(value->getType()) != size_bytes)
      throw BackendError("error: module descriptor does not match module_abi.h");
    return value;
  }
  Constant* array(const std::vector<Constant*>& values, const char* name) {
    if (values.empty()) return null();
    auto* type = llvm::ArrayType::get(values.front()->getType(), values.size());
    return variable(llvm::ConstantArray::get(type, values), name);
  }

 private:
  Constant* integer(unsigned bits, std::uint64_t value) {
    return llvm::ConstantInt::get(llvm::Type::getIntNTy(context_, bits), value);
  }
  Constant* variable(Constant* value, const std::string& name) {
    const std::string unique = name + std::to_string(count_++);
    auto* global =
        llvm::cast<llvm::GlobalVariable>(module_.getOrInsertGlobal(unique, value->getType()));
    global->setInitializer(value);
    global->setConstant(true);
    global->setLinkage(llvm::GlobalValue::PrivateLinkage);
    global->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
    return global;
  }

  llvm::Module& module_;
  llvm::LLVMContext& context_;
  llvm::PointerType* pointer_;
  unsigned count_ = 0;
};

Constant* parameters_of(TableBuilder& table, const KernelPlan& kernel) {
  std::vector<Constant*> rows;
  for (const ParameterPlan& parameter : kernel.parameters)
    rows.push_back(table.record(
        {table.text(parameter.name), table.text(parameter.type),
         table.u32(static_cast<std::uint32_t>(parameter.kind)), table.u32(parameter.size),
         table.u32(parameter.align), table.u32(parameter.offset)},
        sizeof(ParameterRecord)));
  return table.array(rows, "treadle.parameters.");
}

Constant* regions_of(TableBuilder& table, const KernelPlan& kernel) {
  std::vector<Constant*> rows;
  for (const RegionPlan& region : kernel.regions)
    rows.push_back(table.record({table.address(region.run_all), table.address(region.run_selected),
                                 table.u32(static_cast<std::uint32_t>(region.only_successor)),
                                 table.u8(static_cast<std::uint8_t>(region.barrier)),
                                 table.u8(region.uniform_exit ? 1 : 0), table.bytes(2)},
                                sizeof(Region)));
  return table.array(rows, "treadle.regions.");
}

std::uint32_t flags_of(const KernelPlan& kernel) {
  std::uint32_t flags = 0;
  if (kernel.dynamic_shared) flags |= kernel_uses_dynamic_shared;
  if (!kernel.regions.empty()) flags |= kernel.run ? kernel_has_steps : kernel_has_barrier;
  if (kernel.small_index) flags |= kernel_assumes_small_index;
  if (kernel.running_time != RunningTime::over_soon) flags |= kernel_may_run_long;
  if (kernel.running_time == RunningTime::by_arguments) flags |= kernel_time_by_arguments;
  if (kernel.notes_writes) flags |= kernel_notes_writes;
  if (kernel.checks_races) flags |= kernel_checks_races;
  if (kernel.checks_order) flags |= kernel_checks_order;
  if (kernel.runs_block_rows) flags |= kernel_runs_block_rows;
  if (kernel.deferred) flags |= kernel_is_deferred;
  return flags;
}

Constant* kernel_row(TableBuilder& table, const KernelPlan& kernel, std::uint64_t constant_size) {
  return table.record(
      {table.text(kernel.name), table.text(kernel.signature), table.address(kernel.run),
       regions_of(table, kernel), parameters_of(table, kernel), table.u32(kernel.regions.size()),
       table.u32(kernel.parameters.size()), table.u32(flags_of(kernel)),
       table.u32(kernel.max_threads), table.u64(kernel.parameter_bytes),
       table.u64(kernel.static_shared), table.u64(kernel.exchange_shared),
       table.u64(kernel.uniform_frame_size), table.u64(kernel.varying_frame_size),
       table.u64(kernel.local_size), table.u64(constant_size), table.address(kernel.thread)},
      sizeof(Kernel));
}

}  // namespace

void emit_descriptor(llvm::Module& module, const ModulePlan& plan) {
  TableBuilder table(module);
  std::vector<Constant*> kernels, globals, places;
  for (const KernelPlan& kernel : plan.kernels)
    kernels.push_back(kernel_row(table, kernel, plan.constant_size));
  for (const GlobalPlan& global : plan.globals)
    globals.push_back(table.record(
        {table.text(global.name), table.address(global.variable), table.u64(global.size)},
        sizeof(Global)));
  for (const CountedPlan& counted : plan.counted)
    places.push_back(table.record(
        {table.address(counted.map),
         table.u64(module.getDataLayout().getTypeAllocSize(counted.map->getValueType())),
         table.u64(counted.counter_count), table.address(counted.counters)},
        sizeof(CountedPlaces)));
  Constant* rows = table.array(kernels, "treadle.kernels.");
  for (const LaunchPlan& launch : plan.launches) {
    llvm::GlobalVariable* const row = module.getNamedGlobal(launch.row);
    if (row == nullptr) continue;
    auto* all = llvm::ArrayType::get(kernels.front()->getType(), kernels.size());
    llvm::Constant* const indices[] = {table.u32(0), table.u32(launch.kernel)};
    row->setInitializer(llvm::ConstantExpr::getInBoundsGetElementPtr(all, rows, indices));
  }
  Constant* descriptor = table.record(
      {table.u32(module_abi_version), table.u32(sizeof(ModuleDescriptor)),
       table.u32(kernels.size()), table.u32(globals.size()), rows,
       table.array(globals, "treadle.globals."), table.address(&services_variable(module)),
       table.text(plan.deferred), table.text(plan.deferred_arguments),
       table.u64(plan.deferred.size()), table.u64(plan.deferred_arguments.size()),
       table.array(places, "treadle.counted."), table.u64(places.size())},
      sizeof(ModuleDescriptor));
  auto* exported = llvm::cast<llvm::GlobalVariable>(
      module.getOrInsertGlobal(module_symbol, descriptor->getType()));
  exported->setInitializer(descriptor);
  exported->setConstant(true);
  exported->setDSOLocal(true);
}

}  // namespace treadle::cuda_cpu

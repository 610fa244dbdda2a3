// SPDX-License-Identifier: MIT
// Kernel checks (TREADLE_CHECK): in front of each access a call of the run-time, which
// ends the kernel if the access is not allowed; and notes of where threads start and meet. Runs
// while shared variables still have names and instructions lines.
//
//   %v = load i32, ptr %p   =>   call void @__treadle_check_access(ptr %p, i64 4, ptr null,
//                                             ptr @{"kernel.cu:7", null, 0, flags, 4})
//                                %v = load i32, ptr %p
#include "cuda_cpu/compiler/passes/check/kernel_checks.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include "cuda_cpu/compiler/passes/address_spaces.hpp"
#include "cuda_cpu/compiler/passes/check/source_location.hpp"
#include "cuda_cpu/compiler/passes/lowering/markers.hpp"
#include "cuda_cpu/compiler/passes/lowering/math_calls.hpp"
#include "cuda_cpu/module_abi.h"

namespace treadle::cuda_cpu {
namespace {

using llvm::Instruction;
using llvm::Value;

/// One access of an instruction.
struct Access {
  Value* pointer;
  Value* size;
  std::uint32_t flags;  ///< check_writes, check_atomic, copies
  std::uint64_t align;
};

/// What the access is made through, as far as the compiler sees.
struct Object {
  Value* base = nullptr;
  std::string name;
  std::uint64_t size = 0;
  std::uint32_t flags = 0;
  bool unchecked = false;  ///< no memory of the program
};

class CheckInserter {
 public:
  CheckInserter(llvm::Module& module, const Checks& checks)
      : module_(module), builder_(module.getContext()) {
    if (checks.memory) wanted_ |= check_memory;
    if (checks.race) wanted_ |= check_race;
    if (checks.init) wanted_ |= check_init;
    if (checks.sync) wanted_ |= check_sync;
    if (checks.determinism) wanted_ |= check_order;
    auto* pointer = builder_.getPtrTy();
    auto* long_type = builder_.getInt64Ty();
    check_access_ = module.getOrInsertFunction("__treadle_check_access", builder_.getVoidTy(),
                                               pointer, long_type, pointer, pointer);
    check_step_ = module.getOrInsertFunction("__treadle_check_step", builder_.getVoidTy(),
                                             builder_.getInt32Ty(), pointer);
  }

  void instrument(llvm::Function& function, bool is_kernel) {
    llvm::SmallVector<Instruction*, 64> instructions;
    for (Instruction& instruction : llvm::instructions(function))
      instructions.push_back(&instruction);
    for (Instruction* instruction : instructions) {
      if (marker_of(*instruction) == Marker::barrier)
        note_barrier(llvm::cast<llvm::CallBase>(*instruction));
      else
        check(*instruction);
    }
    if (!is_kernel) return;
    builder_.SetInsertPoint(first_after_variables(function));
    step(CheckedStep::start, description("", {}, 0, 0));
  }

 private:
  static Instruction* first_after_variables(llvm::Function& function) {
    auto at = function.getEntryBlock().getFirstNonPHIOrDbgOrAlloca();
    return &*at;
  }

  void check(Instruction& instruction);
  void check_load(llvm::LoadInst& load);
  /// Asks in front of `instruction`; what it tells is at the line of `of`.
  void check_one(Instruction& instruction, const Access& access, const Instruction* of = nullptr);
  void check_store(llvm::StoreInst& store);
  void note_behind(Instruction& instruction, Access access, CheckFlags what);
  void note_barrier(llvm::CallBase& barrier);
  Object object_of(const Value& pointer) const;
  llvm::Constant* text(const std::string& value);
  llvm::Constant* description(const std::string& place, const Object& object, std::uint32_t flags,
                              std::uint64_t align);
  void step(CheckedStep step, llvm::Constant* place) {
    builder_.CreateCall(check_step_, {builder_.getInt32(static_cast<std::uint32_t>(step)), place});
  }
  Value* size_of(llvm::Type* type) {
    return builder_.getInt64(module_.getDataLayout().getTypeStoreSize(type));
  }

  llvm::Module& module_;
  llvm::IRBuilder<> builder_;
  std::uint32_t wanted_ = 0;
  llvm::FunctionCallee check_access_, check_step_;
  llvm::StringMap<llvm::Constant*> texts_;
};

llvm::Constant* CheckInserter::text(const std::string& value) {
  llvm::Constant*& known = texts_[value];
  if (known == nullptr) known = builder_.CreateGlobalString(value, "treadle.place", 0, &module_);
  return known;
}

llvm::Constant* CheckInserter::description(const std::string& place, const Object& object,
                                           std::uint32_t flags, std::uint64_t align) {
  auto* const pointer = builder_.getPtrTy();
  llvm::Constant* const fields[] = {
      text(place),
      object.name.empty() ? llvm::ConstantPointerNull::get(pointer) : text(object.name),
      builder_.getInt64(object.size), builder_.getInt32(wanted_ | object.flags | flags),
      builder_.getInt32(static_cast<std::uint32_t>(align))};
  auto* value = llvm::ConstantStruct::getAnon(fields);
  return new llvm::GlobalVariable(module_, value->getType(), true,
                                  llvm::GlobalValue::PrivateLinkage, value, "treadle.access");
}

Object CheckInserter::object_of(const Value& pointer) const {
  Object object;
  auto* const found = const_cast<Value*>(llvm::getUnderlyingObject(&pointer, 0));
  const llvm::DataLayout& layout = module_.getDataLayout();
  if (auto* local = llvm::dyn_cast<llvm::AllocaInst>(found)) {
    const auto size = local->getAllocationSize(layout);
    object = {local, local->getName().str(), size ? size->getFixedValue() : 0, object_local, !size};
  } else if (auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(found)) {
    object.unchecked = variable->getName().contains("treadle");
    object.name = llvm::demangle(variable->getName().str());
    if (variable->getAddressSpace() == shared_address_space) object.flags = object_shared;
    // Dynamic shared memory has no size here: the run-time knows how much was launched.
    if (variable->isDeclaration()) return object;
    object.base = variable;
    object.size = layout.getTypeAllocSize(variable->getValueType());
  } else if (const auto* argument = llvm::dyn_cast<llvm::Argument>(found)) {
    object.unchecked = argument->hasByValAttr();
  } else if (const auto* call = llvm::dyn_cast<llvm::CallBase>(found)) {
    const llvm::Function* callee = call->getCalledFunction();
    object.unchecked = callee && callee->getName().starts_with("__treadle_") &&
                       marker_of(*callee) != Marker::allocate;
  }
  return object;
}

/// Whether what is read only goes elsewhere: a structure's copy is often one wide load and store,
/// and nobody has written its padding.
bool is_only_copied(const llvm::LoadInst& load) {
  return llvm::all_of(load.users(), [&](const llvm::User* user) {
    const auto* store = llvm::dyn_cast<llvm::StoreInst>(user);
    return store != nullptr && store->getValueOperand() == &load;
  });
}

/// "kernel.cu:7", without the rest of a diagnostic.
std::string place_of(const Instruction& instruction) {
  const std::string place = place_in_source(instruction);
  return place.empty() ? "an unknown line" : place;
}

void CheckInserter::check_one(Instruction& instruction, const Access& access,
                              const Instruction* of) {
  const Object object = object_of(*access.pointer);
  if (object.unchecked) return;
  builder_.SetInsertPoint(&instruction);
  auto* const pointer_type = builder_.getPtrTy();
  Value* const base = object.base == nullptr
                          ? llvm::ConstantPointerNull::get(pointer_type)
                          : builder_.CreatePointerBitCastOrAddrSpaceCast(object.base, pointer_type);
  builder_.CreateCall(
      check_access_, {builder_.CreatePointerBitCastOrAddrSpaceCast(access.pointer, pointer_type),
                      builder_.CreateZExtOrTrunc(access.size, builder_.getInt64Ty()), base,
                      description(place_of(of == nullptr ? instruction : *of), object, access.flags,
                                  access.align)});
}

/// An atomic load or store is as good as a volatile one: two of them make no race.
template <class LoadOrStore>
std::uint32_t order_of(const LoadOrStore& access) {
  return access.isSimple() ? 0u : std::uint32_t{check_volatile};
}

void CheckInserter::check_load(llvm::LoadInst& load) {
  const std::uint32_t order = order_of(load);
  if ((wanted_ & ~(check_order | check_sync)) == 0 && order == 0) return;
  const std::uint32_t use = is_only_copied(load) ? std::uint32_t{copies} : 0u;
  const Access access{load.getPointerOperand(), size_of(load.getType()), order | use,
                      load.getAlign().value()};
  check_one(load, access);
  if (order != 0) note_behind(load, access, check_acquires);
}

void CheckInserter::check_store(llvm::StoreInst& store) {
  const bool may_race = (wanted_ & check_race) != 0;
  const Access access{
      store.getPointerOperand(), size_of(store.getValueOperand()->getType()),
      check_writes | order_of(store) | (may_race ? std::uint32_t{check_stored} : 0u),
      store.getAlign().value()};
  check_one(store, access);
  if (may_race) note_behind(store, access, check_is_stored);
}

void CheckInserter::note_behind(Instruction& instruction, Access access, CheckFlags what) {
  if ((wanted_ & check_race) == 0) return;
  access.flags = what;
  check_one(*instruction.getNextNode(), access, &instruction);
}

void CheckInserter::check(Instruction& instruction) {
  if (llvm::isa<llvm::FenceInst>(instruction) && (wanted_ & check_race) != 0) {
    builder_.SetInsertPoint(&instruction);
    step(CheckedStep::fence, description("", {}, 0, 0));
  }
  if ((wanted_ & (check_memory | check_race | check_init | check_order)) == 0) return;
  if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
    check_load(*load);
  } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
    check_store(*store);
  } else if (auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
    const Access access{update->getPointerOperand(), size_of(update->getType()),
                        check_writes | check_atomic, update->getAlign().value()};
    check_one(instruction, access);
    note_behind(instruction, access, check_acquires);
  } else if (auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
    const Access access{exchange->getPointerOperand(),
                        size_of(exchange->getNewValOperand()->getType()),
                        check_writes | check_atomic, exchange->getAlign().value()};
    check_one(instruction, access);
    note_behind(instruction, access, check_acquires);
  } else if (auto* set = llvm::dyn_cast<llvm::MemIntrinsic>(&instruction)) {
    check_one(instruction, {set->getRawDest(), set->getLength(), check_writes, 1});
    if (auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(&instruction))
      check_one(instruction, {copy->getRawSource(), copy->getLength(), copies, 1});
  } else if (auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction)) {
    if (const unsigned bytes = bytes_written_by_library(*call); bytes != 0)
      check_one(instruction, {call->getArgOperand(call->arg_size() - 1), builder_.getInt64(bytes),
                              check_writes, bytes});
  }
}

/// Only these two checks look at barriers.
void CheckInserter::note_barrier(llvm::CallBase& barrier) {
  if ((wanted_ & (check_race | check_sync)) == 0) return;
  const auto* number = llvm::dyn_cast<llvm::ConstantInt>(barrier.getArgOperand(0));
  if (number == nullptr) return;
  const auto kind = static_cast<BarrierKind>(number->getZExtValue());
  const bool block = kind == BarrierKind::block || kind == BarrierKind::grid;
  // A scheduling barrier of the source, __nanosleep, stands where a thread waits for another.
  const bool some = kind == BarrierKind::tile || kind == BarrierKind::scheduling;
  llvm::Constant* const place = description(place_of(barrier), {}, 0, 0);
  if (block) {
    builder_.SetInsertPoint(&barrier);
    step(CheckedStep::arrive, place);
  }
  builder_.SetInsertPoint(barrier.getNextNode());
  step(kind == BarrierKind::grid ? CheckedStep::behind_grid_barrier
       : block                   ? CheckedStep::behind_block_barrier
       : some                    ? CheckedStep::behind_some_threads
                                 : CheckedStep::behind_warp_barrier,
       place);
}

}  // namespace

void insert_kernel_checks(llvm::Module& module, ModulePlan& plan, const Checks& checks) {
  if (!checks.any()) return;
  llvm::SmallPtrSet<const llvm::Function*, 8> kernels;
  for (KernelPlan& kernel : plan.kernels) {
    kernels.insert(kernel.function);
    kernel.notes_writes = checks.init;
    kernel.checks_races = checks.race;
    kernel.checks_order = checks.determinism;
  }
  CheckInserter inserter(module, checks);
  for (llvm::Function& function : module)
    if (!function.isDeclaration()) inserter.instrument(function, kernels.contains(&function));
}

}  // namespace treadle::cuda_cpu

// SPDX-License-Identifier: MIT
// Loads, stores and atomics. Cache hints say nothing to a processor; `.volatile` and the orders
// do. Behind a predicate that does not hold, a load and a store go to a place of their own, so no
// branch is needed.
#include <llvm/ADT/StringSwitch.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

#include <optional>

#include "cuda_cpu/compiler/passes/ptx/inline_ptx_operations.hpp"

namespace treadle::cuda_cpu::ptx {
namespace {

using llvm::AtomicOrdering;
using llvm::Value;

Value* guarded_pointer(Step& step, const Operand& address) {
  Value* pointer = step.registers.pointer(address);
  Value* guard = step.registers.guard();
  if (!guard) return pointer;
  constexpr unsigned largest_vector_bytes = 32;
  llvm::Function& function = *step.builder.GetInsertBlock()->getParent();
  llvm::IRBuilder<> entry(&function.getEntryBlock(), function.getEntryBlock().begin());
  llvm::AllocaInst* place =
      entry.CreateAlloca(llvm::ArrayType::get(entry.getInt8Ty(), largest_vector_bytes));
  place->setAlignment(llvm::Align(largest_vector_bytes));
  Value* elsewhere = step.builder.CreateAddrSpaceCast(place, pointer->getType());
  return step.builder.CreateSelect(guard, pointer, elsewhere);
}

/// The single values of `operand`: itself, or the parts of {a, b}.
llvm::ArrayRef<Operand> parts_of(Step& step, const Operand& operand) {
  const std::size_t count = step.has("v2") ? 2 : step.has("v4") ? 4 : 1;
  if (operand.kind != Operand::Kind::vector) {
    if (count != 1) throw Untranslatable("a vector in braces belongs to .v2 and .v4");
    return operand;
  }
  if (operand.parts.size() != count) throw Untranslatable("the vector has another length");
  return operand.parts;
}

template <class Access>
void give_order(Step& step, Access& access, AtomicOrdering strongest) {
  if (step.has("volatile")) access.setVolatile(true);
  if (step.has("relaxed")) access.setAtomic(AtomicOrdering::Monotonic);
  if (step.has("acquire") || step.has("release")) access.setAtomic(strongest);
}

}  // namespace

void load(Step& step) {
  Value* base = guarded_pointer(step, step.operand(1));
  llvm::Type* type = step.registers.ir_type(step.type);
  const unsigned bytes = step.type.bits / 8;
  llvm::SmallVector<Value*, 4> loaded;  // all before the first is written: it may be the address
  const auto parts = parts_of(step, step.operand(0));
  for (unsigned i = 0; i < parts.size(); ++i) {
    Value* pointer = step.builder.CreatePtrAdd(base, step.builder.getInt64(i * bytes));
    llvm::LoadInst* made = step.builder.CreateAlignedLoad(type, pointer, llvm::Align(bytes));
    give_order(step, *made, AtomicOrdering::Acquire);
    loaded.push_back(made);
  }
  for (unsigned i = 0; i < parts.size(); ++i) step.registers.write(parts[i], loaded[i], step.type);
}

void store(Step& step) {
  Value* base = guarded_pointer(step, step.operand(0));
  const unsigned bytes = step.type.bits / 8;
  const auto parts = parts_of(step, step.operand(1));
  for (unsigned i = 0; i < parts.size(); ++i) {
    Value* pointer = step.builder.CreatePtrAdd(base, step.builder.getInt64(i * bytes));
    llvm::StoreInst* made = step.builder.CreateAlignedStore(
        step.registers.read(parts[i], step.type), pointer, llvm::Align(bytes));
    give_order(step, *made, AtomicOrdering::Release);
  }
}

// atom d, [address], value, and red without the result; atom.cas d, [address], expected, value.
void exchange(Step& step) {
  const bool returns = step.statement.words[0] == "atom", compares = step.has("cas");
  const std::size_t first = returns ? 1 : 0;
  if ((step.statement.operands.size() == first + 3) != compares)
    throw Untranslatable("a fourth operand belongs to .cas, and to it only");
  Value* pointer = guarded_pointer(step, step.operand(first));
  const llvm::Align alignment(step.type.bits / 8);
  constexpr AtomicOrdering order = AtomicOrdering::SequentiallyConsistent;
  if (compares) {
    Value* pair = step.builder.CreateAtomicCmpXchg(pointer, step.read(2), step.read(3), alignment,
                                                   order, order);
    return step.write(step.builder.CreateExtractValue(pair, 0));
  }
  using Rmw = llvm::AtomicRMWInst;
  const bool s = step.type.is_signed(), f = step.type.is_real();
  std::optional<Rmw::BinOp> kind;
  const auto offer = [&](const char* word, Rmw::BinOp operation) {
    if (step.has(word)) kind = operation;
  };
  offer("add", f ? Rmw::FAdd : Rmw::Add);
  offer("exch", Rmw::Xchg);
  if (!f) {
    offer("min", s ? Rmw::Min : Rmw::UMin);
    offer("max", s ? Rmw::Max : Rmw::UMax);
    offer("and", Rmw::And);
    offer("or", Rmw::Or);
    offer("xor", Rmw::Xor);
    offer("inc", Rmw::UIncWrap);
    offer("dec", Rmw::UDecWrap);
  }
  if (!kind) throw Untranslatable("the operation of this atomic");
  const bool relaxed = !step.has("acquire") && !step.has("release") && !step.has("acq_rel");
  Value* old = step.builder.CreateAtomicRMW(*kind, pointer, step.read(first + 1), alignment,
                                            relaxed ? AtomicOrdering::Monotonic : order);
  if (returns) step.write(old);
}

}  // namespace treadle::cuda_cpu::ptx

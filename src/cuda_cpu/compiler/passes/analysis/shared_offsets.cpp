// SPDX-License-Identifier: MIT
// Analysis: addresses in shared memory as sums of products, for comparing those of two threads.
//
//   __shared__ float s[256];   s[t + 16]        s + 64 + 4 * thread.x
//   __shared__ int m[32][33];  m[i][lane]       m + 132 * i + 4 * lane, or [i][lane]
//
// Sums are taken as if they never wrapped: what they address is smaller than 2^31 by far.
#include "cuda_cpu/compiler/passes/analysis/shared_offsets.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>

#include "cuda_cpu/compiler/passes/address_spaces.hpp"
#include "cuda_cpu/compiler/passes/analysis/called_functions.hpp"
#include "cuda_cpu/compiler/passes/lowering/kernel_body.hpp"

namespace treadle::cuda_cpu {
namespace {

using llvm::Instruction;
using llvm::Value;

constexpr std::int64_t unknown_size = 1 << 20;  // more than a block's shared memory

const Value& without_casts(const Value& value) {
  const Value* found = &value;
  while (llvm::isa<llvm::SExtInst, llvm::ZExtInst, llvm::TruncInst, llvm::AddrSpaceCastInst,
                   llvm::BitCastInst>(found))
    found = llvm::cast<Instruction>(found)->getOperand(0);
  return *found;
}

/// Adds `pointer` in bytes; returns what it is counted from.
const Value* add_pointer(const Value& pointer, const KernelBody& body, LinearForm& bytes) {
  const Value* at = &without_casts(pointer);
  const llvm::DataLayout& layout = body.function->getParent()->getDataLayout();
  while (const auto* step = llvm::dyn_cast<llvm::GetElementPtrInst>(at)) {
    if (step->getPointerOperand() == body.shared()) return step;
    for (auto index = llvm::gep_type_begin(step); index != llvm::gep_type_end(step); ++index) {
      if (llvm::StructType* structure = index.getStructTypeOrNull()) {
        const auto field = llvm::cast<llvm::ConstantInt>(index.getOperand())->getZExtValue();
        bytes.constant += static_cast<std::int64_t>(
            layout.getStructLayout(structure)->getElementOffset(static_cast<unsigned>(field)));
      } else {
        bytes.add(
            *index.getOperand(),
            static_cast<std::int64_t>(index.getSequentialElementStride(layout).getFixedValue()));
      }
    }
    at = &without_casts(*step->getPointerOperand());
  }
  return at;
}

void find_indices(SharedAccess& access, const KernelBody& body) {
  const auto* step = llvm::dyn_cast<llvm::GetElementPtrInst>(&without_casts(*access.pointer));
  if (!step || &without_casts(*step->getPointerOperand()) != access.base || step == access.base)
    return;
  const llvm::DataLayout& layout = body.function->getParent()->getDataLayout();
  for (auto index = llvm::gep_type_begin(step); index != llvm::gep_type_end(step); ++index) {
    if (index.isStruct()) return;
    const bool last = access.indices.size() + 1 == step->getNumIndices();
    const auto stride =
        static_cast<std::int64_t>(index.getSequentialElementStride(layout).getFixedValue());
    access.indices.emplace_back().add(*index.getOperand(), last ? stride : 1);
  }
  access.shape = step->getSourceElementType();
}

/// Shared memory of the program: not of the headers, not an address that only might be shared.
bool is_programs_own(const SharedAccess& access, const KernelBody& body) {
  const auto* variable = llvm::dyn_cast<llvm::GetElementPtrInst>(access.base);
  if (variable && variable->getPointerOperand() == body.shared())
    return !variable->getName().contains("__treadle_");
  return access.pointer->getType()->getPointerAddressSpace() == shared_address_space;
}

void add_access(llvm::SmallVectorImpl<SharedAccess>& found, const KernelBody& body,
                SharedAccess access) {
  access.base = add_pointer(*access.pointer, body, access.bytes);
  if (!is_programs_own(access, body)) return;
  if (const auto* last = llvm::dyn_cast<llvm::GetElementPtrInst>(&without_casts(*access.pointer));
      last && last != access.base)
    add_pointer(*last->getPointerOperand(), body, access.array);
  find_indices(access, body);
  access.bytes.find_padding();
  if (!access.indices.empty()) access.indices.back().find_padding();
  found.push_back(std::move(access));
}

}  // namespace

bool same_value(const Value& one, const Value& other) {
  if (&one == &other) return true;
  const auto *first = llvm::dyn_cast<Instruction>(&one),
             *second = llvm::dyn_cast<Instruction>(&other);
  if (!first || !second || first->mayReadOrWriteMemory() || llvm::isa<llvm::PHINode>(first) ||
      !first->isSameOperationAs(second))
    return false;
  for (unsigned i = 0; i < first->getNumOperands(); ++i)
    if (!same_value(*first->getOperand(i), *second->getOperand(i))) return false;
  return true;
}

void LinearForm::add_symbol(const Value& symbol, std::int64_t factor) {
  for (Term& term : terms) {
    if (!same_value(*term.symbol, symbol)) continue;
    term.factor += factor;
    if (term.factor == 0) terms.erase(&term);
    return;
  }
  if (factor != 0) terms.push_back({&symbol, factor});
}

void LinearForm::add(const Value& value, std::int64_t factor) {
  const Value& inner = without_casts(value);
  if (const auto* number = llvm::dyn_cast<llvm::ConstantInt>(&inner)) {
    constant += factor * number->getSExtValue();
    return;
  }
  const auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(&inner);
  if (!operation) return add_symbol(inner, factor);
  const Value &left = *operation->getOperand(0), &right = *operation->getOperand(1);
  const auto* disjoint = llvm::dyn_cast<llvm::PossiblyDisjointInst>(operation);
  const auto* number = llvm::dyn_cast<llvm::ConstantInt>(&right);
  const bool small = number && number->getValue().abs().ult(1u << 20);
  if (operation->getOpcode() == Instruction::Add || (disjoint && disjoint->isDisjoint())) {
    add(left, factor);
    add(right, factor);
  } else if (operation->getOpcode() == Instruction::Sub) {
    add(left, factor);
    add(right, -factor);
  } else if (operation->getOpcode() == Instruction::Mul && small) {
    add(left, factor * number->getSExtValue());
  } else if (operation->getOpcode() == Instruction::Shl && small && number->getZExtValue() < 20) {
    add(left, factor << number->getZExtValue());
  } else {
    add_symbol(inner, factor);
  }
}

void LinearForm::subtract(const LinearForm& other) {
  constant -= other.constant;
  for (const Term& term : other.terms) add_symbol(*term.symbol, -term.factor);
}

void LinearForm::find_padding() {
  using namespace llvm::PatternMatch;
  for (const Term& term : terms) {
    const Value* padded = nullptr;
    const llvm::APInt* shift = nullptr;
    if (!match(term.symbol, m_Shr(m_Value(padded), m_APInt(shift)))) continue;
    LinearForm plain, rest = *this;
    plain.add(*padded, term.factor);
    rest.subtract(plain);
    if (rest.constant != 0 || rest.terms.size() != 1 || rest.terms[0].symbol != term.symbol)
      continue;
    *this = plain;
    padding = static_cast<unsigned>(shift->getZExtValue());
    return;
  }
}

llvm::SmallVector<SharedAccess, 16> shared_accesses(const KernelBody& body) {
  llvm::SmallVector<SharedAccess, 16> found;
  const llvm::DataLayout& layout = body.function->getParent()->getDataLayout();
  CalledFunctions called(body);
  const auto size_of = [&](llvm::Type* type) {
    return static_cast<std::int64_t>(layout.getTypeStoreSize(type).getFixedValue());
  };
  for (Instruction& instruction : llvm::instructions(*body.function)) {
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
      add_access(found, body,
                 {.instruction = load,
                  .pointer = load->getPointerOperand(),
                  .size = size_of(load->getType()),
                  .reads = true});
    } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
      add_access(found, body,
                 {.instruction = store,
                  .pointer = store->getPointerOperand(),
                  .size = size_of(store->getValueOperand()->getType()),
                  .writes = true});
    } else if (auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
      add_access(found, body,
                 {.instruction = update,
                  .pointer = update->getPointerOperand(),
                  .size = size_of(update->getType()),
                  .reads = true,
                  .writes = true,
                  .atomic = true});
    } else if (auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
      add_access(found, body,
                 {.instruction = exchange,
                  .pointer = exchange->getPointerOperand(),
                  .size = size_of(exchange->getNewValOperand()->getType()),
                  .reads = true,
                  .writes = true,
                  .atomic = true});
    } else if (auto* set = llvm::dyn_cast<llvm::MemIntrinsic>(&instruction)) {
      const auto* length = llvm::dyn_cast<llvm::ConstantInt>(set->getLength());
      const std::int64_t size = length ? length->getSExtValue() : unknown_size;
      add_access(found, body,
                 {.instruction = set, .pointer = set->getRawDest(), .size = size, .writes = true});
      if (auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(&instruction))
        add_access(
            found, body,
            {.instruction = copy, .pointer = copy->getRawSource(), .size = size, .reads = true});
    } else if (auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
      // As if the call were a pointer that leads anywhere.
      if (const auto effect = called.effect_of(*call); effect.reads || effect.writes)
        found.push_back({.instruction = call,
                         .pointer = call,
                         .size = unknown_size,
                         .reads = effect.reads,
                         .writes = effect.writes,
                         .base = call});
    }
  }
  return found;
}

}  // namespace treadle::cuda_cpu

// SPDX-License-Identifier: MIT
// Bit fields, byte permutation, funnel shifts, counts. Fields are moved in twice the width, where
// one that begins or ends beyond the word needs no case of its own.
#include <llvm/IR/Intrinsics.h>

#include "cuda_cpu/compiler/passes/ptx/inline_ptx_operations.hpp"

namespace treadle::cuda_cpu::ptx {
namespace {

using llvm::Value;
namespace Intrinsic = llvm::Intrinsic;

/// The low byte of an operand, at most the width: how far a field is moved or how long it is.
Value* field_number(Step& step, std::size_t i) {
  Value* low = step.builder.CreateAnd(step.read(i, u32), 255);
  Value* limit = step.builder.getInt32(step.type.bits);
  low = step.builder.CreateBinaryIntrinsic(Intrinsic::umin, low, limit);
  return step.builder.CreateZExt(low, step.wide());
}

/// `length` ones at the low end.
Value* ones(Step& step, Value* length) {
  Value* one = llvm::ConstantInt::get(step.wide(), 1);
  return step.builder.CreateSub(step.builder.CreateShl(one, length), one);
}

std::uint64_t constant_of(Step& step, std::size_t i) {
  const Operand& operand = step.operand(i);
  if (operand.kind == Operand::Kind::integer) return operand.bits;
  auto* value = llvm::dyn_cast<llvm::ConstantInt>(step.read(i, u32));
  if (!value) throw Untranslatable("its last operand is no constant");
  return value->getZExtValue();
}

}  // namespace

// A signed field repeats its highest bit; where it ends beyond the word, that is the word's own.
void extract_bits(Step& step) {
  Value* start = field_number(step, 2);
  Value* length = field_number(step, 3);
  Value* word = step.builder.CreateIntCast(step.read(1), step.wide(), step.type.is_signed());
  Value* field = nullptr;
  if (step.type.is_signed()) {
    Value* room =
        step.builder.CreateSub(llvm::ConstantInt::get(step.wide(), 2 * step.type.bits), length);
    Value* zero = llvm::ConstantInt::get(step.wide(), 0);
    Value* empty = step.builder.CreateICmpEQ(length, zero);
    room = step.builder.CreateSelect(empty, zero, room);
    field = step.builder.CreateShl(step.builder.CreateAShr(word, start), room);
    field = step.builder.CreateSelect(empty, zero, step.builder.CreateAShr(field, room));
  } else {
    field = step.builder.CreateAnd(step.builder.CreateLShr(word, start), ones(step, length));
  }
  step.write(step.builder.CreateTrunc(field, step.registers.ir_type(step.type)));
}

// bfi d, field, into, start, length.
void insert_bits(Step& step) {
  Value* start = field_number(step, 3);
  Value* length = field_number(step, 4);
  Value* field = step.builder.CreateZExt(step.read(1), step.wide());
  Value* into = step.builder.CreateZExt(step.read(2), step.wide());
  Value* mask = step.builder.CreateShl(ones(step, length), start);
  Value* moved = step.builder.CreateAnd(step.builder.CreateShl(field, start), mask);
  Value* result =
      step.builder.CreateOr(step.builder.CreateAnd(into, step.builder.CreateNot(mask)), moved);
  step.write(step.builder.CreateTrunc(result, step.registers.ir_type(step.type)));
}

// Nibble i of the selector names byte i of the result among the eight of b:a; its top bit asks for
// the sign of that byte, eight times.
void permute_bytes(Step& step) {
  if (step.type.bits != 32) throw Untranslatable("it has words of 32 bits only");
  auto& builder = step.builder;
  Value* low = builder.CreateZExt(step.read(1), step.wide());
  Value* high = builder.CreateZExt(step.read(2), step.wide());
  Value* bytes = builder.CreateOr(low, builder.CreateShl(high, 32));
  Value* selector = builder.CreateZExt(step.read(3), step.wide());
  Value* result = builder.getInt32(0);
  for (unsigned i = 0; i < 4; ++i) {
    Value* choice = builder.CreateLShr(selector, 4 * i);
    Value* distance = builder.CreateShl(builder.CreateAnd(choice, 7), 3);
    Value* byte = builder.CreateTrunc(builder.CreateLShr(bytes, distance), builder.getInt8Ty());
    Value* by_sign = builder.CreateTrunc(builder.CreateLShr(choice, 3), builder.getInt1Ty());
    byte = builder.CreateSelect(by_sign, builder.CreateAShr(byte, 7), byte);
    Value* moved = builder.CreateShl(builder.CreateZExt(byte, builder.getInt32Ty()), 8 * i);
    result = builder.CreateOr(result, moved);
  }
  step.write(result);
}

// The two words are b:a; .l gives the upper one after a shift to the left, .r the lower one.
void funnel_shift(Step& step) {
  if (step.has("l") == step.has("r") || step.has("wrap") == step.has("clamp"))
    throw Untranslatable(".l or .r, and .wrap or .clamp belong to it");
  Value *a = step.read(1), *b = step.read(2), *distance = step.read(3, u32);
  const bool left = step.has("l");
  Value* shifted = step.builder.CreateIntrinsic(left ? Intrinsic::fshl : Intrinsic::fshr,
                                                {a->getType()}, {b, a, distance});
  if (step.has("clamp")) {
    Value* whole = step.builder.CreateICmpUGE(distance, step.builder.getInt32(32));
    shifted = step.builder.CreateSelect(whole, left ? a : b, shifted);
  }
  step.write(shifted);
}

// Bit k of the table is the result where the bits of a, b and c are those of the number k.
void look_up(Step& step) {
  const std::uint64_t table = constant_of(step, 4);
  Value* inputs[] = {step.read(1), step.read(2), step.read(3)};
  Value* result = llvm::ConstantInt::get(inputs[0]->getType(), 0);
  for (unsigned k = 0; k < 8; ++k) {
    if (!(table >> k & 1)) continue;
    Value* term = llvm::Constant::getAllOnesValue(inputs[0]->getType());
    for (unsigned i = 0; i < 3; ++i) {
      const bool positive = k >> (2 - i) & 1;
      term = step.builder.CreateAnd(term, positive ? inputs[i] : step.builder.CreateNot(inputs[i]));
    }
    result = step.builder.CreateOr(result, term);
  }
  step.write(result);
}

// Counts are 32 bits wide, whatever is counted.
void count_bits(Step& step) {
  Value* value = step.read(1);
  const std::string& name = step.statement.words[0];
  if (name == "brev")
    return step.write(step.builder.CreateUnaryIntrinsic(Intrinsic::bitreverse, value));
  Value* count = name == "popc" ? step.builder.CreateUnaryIntrinsic(Intrinsic::ctpop, value)
                                : step.builder.CreateBinaryIntrinsic(Intrinsic::ctlz, value,
                                                                     step.builder.getFalse());
  step.write(step.builder.CreateIntCast(count, step.builder.getInt32Ty(), false), u32);
}

}  // namespace treadle::cuda_cpu::ptx

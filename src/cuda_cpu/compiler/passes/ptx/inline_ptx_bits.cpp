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

namespace {

/// Those of .f4e and its kin, which say by two bits which bytes are taken: as a selector.
Value* selector_of_mode(Step& step) {
  struct Mode {
    const char* word;
    std::uint32_t selectors[4];
  };
  constexpr Mode modes[] = {
      {"f4e", {0x3210, 0x4321, 0x5432, 0x6543}}, {"b4e", {0x5670, 0x6701, 0x7012, 0x0123}},
      {"rc8", {0x0000, 0x1111, 0x2222, 0x3333}}, {"ecl", {0x3210, 0x3211, 0x3222, 0x3333}},
      {"ecr", {0x0000, 0x1110, 0x2210, 0x3210}}, {"rc16", {0x1010, 0x3232, 0x1010, 0x3232}}};
  Value* given = step.read(3);
  for (const Mode& mode : modes) {
    if (!step.has(mode.word)) continue;
    Value* selector = step.builder.getInt32(mode.selectors[0]);
    for (unsigned i = 1; i < 4; ++i) {
      Value* wanted =
          step.builder.CreateICmpEQ(step.builder.CreateAnd(given, 3), step.builder.getInt32(i));
      selector =
          step.builder.CreateSelect(wanted, step.builder.getInt32(mode.selectors[i]), selector);
    }
    return selector;
  }
  return given;
}

}  // namespace

// Nibble i of the selector names byte i of the result among the eight of b:a; its top bit asks for
// the sign of that byte, eight times.
void permute_bytes(Step& step) {
  if (step.type.bits != 32) throw Untranslatable("it has words of 32 bits only");
  auto& builder = step.builder;
  Value* low = builder.CreateZExt(step.read(1), step.wide());
  Value* high = builder.CreateZExt(step.read(2), step.wide());
  Value* bytes = builder.CreateOr(low, builder.CreateShl(high, 32));
  Value* selector = builder.CreateZExt(selector_of_mode(step), step.wide());
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

// The highest bit that differs from the sign; all ones if there is none.
void find_bit(Step& step) {
  auto& builder = step.builder;
  Value* value = step.read(1);
  if (step.type.is_signed()) {
    Value* sign = builder.CreateAShr(value, step.type.bits - 1);
    value = builder.CreateXor(value, sign);
  }
  Value* above =
      builder.CreateBinaryIntrinsic(Intrinsic::ctlz, value, /*is zero poison*/ builder.getFalse());
  above = builder.CreateIntCast(above, builder.getInt32Ty(), false);
  Value* place = builder.CreateSub(builder.getInt32(step.type.bits - 1), above);
  if (step.has("shiftamt")) {
    Value* none = builder.CreateICmpEQ(value, llvm::ConstantInt::get(value->getType(), 0));
    place = builder.CreateSelect(none, builder.getInt32(~0U), above);
  }
  step.write(place, u32);
}

// fns d, mask, base, offset: from `base` on, upwards or downwards as the sign of `offset` says, the
// |offset|-th bit of the mask; that at `base` for 0.
void find_nth_bit(Step& step) {
  auto& builder = step.builder;
  Value *mask = step.read(1), *place = step.read(2), *offset = step.read(3);
  Value* zero = builder.getInt32(0);
  Value* direction = builder.CreateSelect(builder.CreateICmpSLT(offset, zero),
                                          builder.getInt32(~0U), builder.getInt32(1));
  Value* count = builder.CreateBinaryIntrinsic(Intrinsic::abs, offset, builder.getFalse());
  Value* only_first = builder.CreateICmpEQ(offset, zero);
  count = builder.CreateSelect(only_first, builder.getInt32(1), count);
  Value* found = builder.getInt32(~0U);
  for (unsigned i = 0; i < 32; ++i) {
    Value* inside = builder.CreateICmpULT(place, builder.getInt32(32));
    Value* bit = builder.CreateTrunc(builder.CreateLShr(mask, builder.CreateAnd(place, 31)),
                                     builder.getInt1Ty());
    if (i > 0) inside = builder.CreateAnd(inside, builder.CreateNot(only_first));
    Value* counts = builder.CreateAnd(inside, bit);
    count = builder.CreateSub(count, builder.CreateZExt(counts, builder.getInt32Ty()));
    Value* here = builder.CreateAnd(counts, builder.CreateICmpEQ(count, zero));
    found = builder.CreateSelect(here, place, found);
    place = builder.CreateAdd(place, direction);
  }
  step.write(found);
}

namespace {

/// A number of bits as .clamp (at most 32) or .wrap (modulo 32) reads it, in 64 bits.
Value* bit_count(Step& step, std::size_t i) {
  if (step.has("clamp") == step.has("wrap")) throw Untranslatable(".clamp or .wrap belongs to it");
  Value* count = step.read(i, u32);
  count = step.has("wrap") ? step.builder.CreateAnd(count, 31)
                           : step.builder.CreateBinaryIntrinsic(Intrinsic::umin, count,
                                                                step.builder.getInt32(32));
  return step.builder.CreateZExt(count, step.wide());
}

}  // namespace

// szext d, a, count: the lowest bits of a, extended.
void extend_bits(Step& step) {
  auto& builder = step.builder;
  Value* count = bit_count(step, 2);
  Value* word = builder.CreateZExt(step.read(1), step.wide());
  Value* low = builder.CreateAnd(word, ones(step, count));
  if (step.type.is_signed()) {
    Value* zero = llvm::ConstantInt::get(step.wide(), 0);
    Value* room = builder.CreateSub(llvm::ConstantInt::get(step.wide(), 64), count);
    Value* empty = builder.CreateICmpEQ(count, zero);
    room = builder.CreateSelect(empty, zero, room);
    low =
        builder.CreateSelect(empty, zero, builder.CreateAShr(builder.CreateShl(word, room), room));
  }
  step.write(builder.CreateTrunc(low, step.registers.ir_type(step.type)));
}

// bmsk d, first, count.
void mask_bits(Step& step) {
  Value* first = bit_count(step, 1);
  Value* mask = step.builder.CreateShl(ones(step, bit_count(step, 2)), first);
  step.write(step.builder.CreateTrunc(mask, step.registers.ir_type(step.type)));
}

}  // namespace treadle::cuda_cpu::ptx

// SPDX-License-Identifier: MIT
// Several small numbers in a word: dot products, and what PTX calls video instructions, of bytes,
// of halves of a word, and of one part of it (vabsdiff4, vadd2, vmax). Each number is widened to 64
// bits, where no result overflows.
#include <llvm/IR/Intrinsics.h>

#include "cuda_cpu/compiler/passes/ptx/inline_ptx_operations.hpp"

namespace treadle::cuda_cpu::ptx {
namespace {

using llvm::Value;
namespace Intrinsic = llvm::Intrinsic;

constexpr unsigned word_bits = 32;

/// Bits `first` and up of a word as a number of that many bits.
Value* part(Step& step, Value* word, unsigned first, unsigned bits, bool is_signed) {
  auto& builder = step.builder;
  Value* low = builder.CreateTrunc(builder.CreateLShr(word, first), builder.getIntNTy(bits));
  return builder.CreateIntCast(low, builder.getInt64Ty(), is_signed);
}

Value* limited(Step& step, Value* value, unsigned bits, bool is_signed) {
  auto& builder = step.builder;
  const std::uint64_t all = ~std::uint64_t{0} >> (64 - bits);
  const std::int64_t largest = static_cast<std::int64_t>(is_signed ? all >> 1 : all);
  const std::int64_t smallest = is_signed ? -largest - 1 : 0;
  value = builder.CreateBinaryIntrinsic(
      Intrinsic::smin, value, llvm::ConstantInt::getSigned(builder.getInt64Ty(), largest));
  return builder.CreateBinaryIntrinsic(
      Intrinsic::smax, value, llvm::ConstantInt::getSigned(builder.getInt64Ty(), smallest));
}

/// The instruction's name without `v` and the number of parts.
Value* combined(Step& step, std::string_view name, Value* a, Value* b) {
  auto& builder = step.builder;
  if (name == "add") return builder.CreateAdd(a, b);
  if (name == "sub") return builder.CreateSub(a, b);
  if (name == "min") return builder.CreateBinaryIntrinsic(Intrinsic::smin, a, b);
  if (name == "max") return builder.CreateBinaryIntrinsic(Intrinsic::smax, a, b);
  return builder.CreateBinaryIntrinsic(Intrinsic::abs, builder.CreateSub(a, b), builder.getFalse());
}

void check_types(const Step& step) {
  if (step.types.size() != 3) throw Untranslatable("three types belong to it");
}

/// The operand, or the part of it that .b0 to .b3, .h0 or .h1 behind it selects.
Value* selected(Step& step, std::size_t i, Type type) {
  const std::string& selector = step.operand(i).selector;
  Value* word = step.read(i, u32);
  if (selector.empty()) return part(step, word, 0, word_bits, type.is_signed());
  const unsigned bits = selector[0] == 'b' ? 8 : 16;
  const auto place = static_cast<unsigned>(selector[1] - '0');
  if (selector.size() != 2 || place * bits >= word_bits)
    throw Untranslatable("the selector ." + selector);
  return part(step, word, place * bits, bits, type.is_signed());
}

}  // namespace

// vadd.dtype.atype.btype{.sat}{.add .min .max} d, a, b{, c}
void combine_parts_of_words(Step& step) {
  check_types(step);
  const std::string_view name = std::string_view(step.statement.words[0]).substr(1);
  const Type result{step.types[0].kind, word_bits};
  Value* value =
      combined(step, name, selected(step, 1, step.types[1]), selected(step, 2, step.types[2]));
  if (step.has("sat")) value = limited(step, value, word_bits, result.is_signed());
  value = step.builder.CreateTrunc(value, step.builder.getInt32Ty());
  const bool adds = step.has("add"), least = step.has("min"), most = step.has("max");
  if ((adds || least || most) != (step.statement.operands.size() == 4))
    throw Untranslatable("a fourth operand belongs to .add .min .max, and to them only");
  if (adds) value = step.builder.CreateAdd(value, step.read(3, result));
  if (least || most) {
    const bool s = result.is_signed();
    const Intrinsic::ID id =
        least ? (s ? Intrinsic::smin : Intrinsic::umin) : (s ? Intrinsic::smax : Intrinsic::umax);
    value = step.builder.CreateBinaryIntrinsic(id, value, step.read(3, result));
  }
  step.write(value, result);
}

// vadd4.dtype.atype.btype{.sat}{.add} d, a, b, c: without .add, c is what parts that are masked out
// would keep, and none is.
void combine_parts(Step& step) {
  check_types(step);
  std::string_view name = std::string_view(step.statement.words[0]).substr(1);
  const unsigned bits = name.back() == '4' ? 8 : 16;
  name.remove_suffix(1);
  const bool adds = step.has("add");
  if (adds && (name == "add" || name == "sub")) throw Untranslatable(".add is not known here");
  const Type result{step.types[0].kind, word_bits};
  auto& builder = step.builder;
  Value *a = step.read(1, u32), *b = step.read(2, u32);
  Value* word = adds ? step.read(3, result) : builder.getInt32(0);
  for (unsigned first = 0; first < word_bits; first += bits) {
    Value* value = combined(step, name, part(step, a, first, bits, step.types[1].is_signed()),
                            part(step, b, first, bits, step.types[2].is_signed()));
    if (step.has("sat")) value = limited(step, value, bits, result.is_signed());
    value = builder.CreateTrunc(value, builder.getInt32Ty());
    if (adds) {
      word = builder.CreateAdd(word, value);
    } else {
      value = builder.CreateZExt(builder.CreateTrunc(value, builder.getIntNTy(bits)),
                                 builder.getInt32Ty());
      word = builder.CreateOr(word, builder.CreateShl(value, first));
    }
  }
  step.write(word, result);
}

// dp4a.atype.btype d, a, b, c: four products of bytes, and c. dp2a: a's halves by two bytes of b,
// the lower ones or the upper ones.
void dot_product(Step& step) {
  if (step.types.size() != 2) throw Untranslatable("two types belong to it");
  const bool of_bytes = step.statement.words[0] == "dp4a";
  if (!of_bytes && step.has("lo") == step.has("hi"))
    throw Untranslatable("one of .lo .hi belongs to it");
  auto& builder = step.builder;
  Value *a = step.read(1, u32), *b = step.read(2, u32);
  Value* sum = builder.CreateZExt(step.read(3, u32), builder.getInt64Ty());
  const unsigned count = of_bytes ? 4 : 2, start = step.has("hi") ? 16 : 0;
  for (unsigned i = 0; i < count; ++i) {
    Value* x = part(step, a, i * word_bits / count, word_bits / count, step.types[0].is_signed());
    Value* y = part(step, b, start + 8 * i, 8, step.types[1].is_signed());
    sum = builder.CreateAdd(sum, builder.CreateMul(x, y));
  }
  step.write(builder.CreateTrunc(sum, builder.getInt32Ty()), u32);
}

}  // namespace treadle::cuda_cpu::ptx

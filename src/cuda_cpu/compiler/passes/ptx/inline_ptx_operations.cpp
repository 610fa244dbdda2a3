// SPDX-License-Identifier: MIT
// Arithmetic, comparison, conversion, barriers. A suffix that is not in an instruction's row is
// refused: each changes the result or the order of memory, and none may be passed over.
#include "cuda_cpu/compiler/passes/ptx/inline_ptx_operations.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringSwitch.h>
#include <llvm/IR/Intrinsics.h>

#include <algorithm>

#include "cuda_cpu/compiler/passes/ptx/inline_ptx_state.hpp"
#include "cuda_cpu/module_abi.h"

namespace treadle::cuda_cpu::ptx {
namespace {

using llvm::Value;
namespace Intrinsic = llvm::Intrinsic;
using Predicate = llvm::CmpInst::Predicate;

constexpr Type predicate_type{'p', 1};

/// `mov.b64 d, {a, b}` packs, `mov.b64 {a, b}, d` unpacks, the first part lowest.
void move(Step& step) {
  const Operand &to = step.operand(0), &from = step.operand(1);
  const auto part_of = [&](const Operand& whole) {
    const auto count = static_cast<unsigned>(whole.parts.size());
    if (step.type.bits % count != 0) throw Untranslatable("a vector of such a length");
    return Type{'b', step.type.bits / count};
  };
  llvm::Type* type = step.registers.ir_type(step.type);
  if (from.kind == Operand::Kind::vector) {
    const Type part = part_of(from);
    Value* packed = llvm::ConstantInt::get(type, 0);
    for (unsigned i = 0; i < from.parts.size(); ++i) {
      Value* value = step.builder.CreateZExt(step.registers.read(from.parts[i], part), type);
      packed = step.builder.CreateOr(packed, step.builder.CreateShl(value, i * part.bits));
    }
    return step.write(packed);
  }
  Value* value = step.read(1);
  if (to.kind != Operand::Kind::vector) return step.write(value);
  const Type part = part_of(to);
  for (unsigned i = 0; i < to.parts.size(); ++i)
    step.registers.write(to.parts[i],
                         step.builder.CreateTrunc(step.builder.CreateLShr(value, i * part.bits),
                                                  step.registers.ir_type(part)),
                         part);
}

/// As .sat has a real number: from 0 to 1, and 0 for NaN.
Value* saturated(Step& step, Value* value) {
  if (!step.has("sat")) return value;
  llvm::Type* type = value->getType();
  value = step.builder.CreateMaxNum(value, llvm::ConstantFP::get(type, 0));
  return step.builder.CreateMinNum(value, llvm::ConstantFP::get(type, 1));
}

// add, sub, with the carry in (addc) and out (.cc): computed in twice the width, where the carry is
// the bit above, a borrow too.
void add_or_subtract(Step& step) {
  const std::string& name = step.statement.words[0];
  const bool subtracts = name.starts_with("sub");
  if (step.type.is_real())
    return step.write(saturated(step, subtracts
                                          ? step.builder.CreateFSub(step.read(1), step.read(2))
                                          : step.builder.CreateFAdd(step.read(1), step.read(2))));
  if (step.has("sat")) {
    if (!step.type.is_signed() || step.type.bits != 32) throw Untranslatable(".sat is for .s32");
    return step.write(step.builder.CreateBinaryIntrinsic(
        subtracts ? Intrinsic::ssub_sat : Intrinsic::sadd_sat, step.read(1), step.read(2)));
  }
  Value* a = step.builder.CreateZExt(step.read(1), step.wide());
  Value* b = step.builder.CreateZExt(step.read(2), step.wide());
  Value* result = subtracts ? step.builder.CreateSub(a, b) : step.builder.CreateAdd(a, b);
  if (name.ends_with("c")) {
    Value* carry = step.builder.CreateZExt(step.registers.carry(), step.wide());
    result =
        subtracts ? step.builder.CreateSub(result, carry) : step.builder.CreateAdd(result, carry);
  }
  if (step.has("cc"))
    step.registers.set_carry(step.builder.CreateTrunc(
        step.builder.CreateLShr(result, step.type.bits), step.builder.getInt1Ty()));
  step.write(step.builder.CreateTrunc(result, step.registers.ir_type(step.type)));
}

void fused(Step& step) {
  Value* result = step.builder.CreateIntrinsic(Intrinsic::fma, {step.registers.ir_type(step.type)},
                                               {step.read(1), step.read(2), step.read(3)});
  step.write(saturated(step, result));
}

Value* full_product(Step& step) {
  const auto extended = [&](std::size_t i) {
    return step.builder.CreateIntCast(step.read(i), step.wide(), step.type.is_signed());
  };
  Value* a = extended(1);
  return step.builder.CreateMul(a, extended(2));
}

// mul and mad: .lo, .hi, or .wide, whose result (and third operand) has twice the width.
void multiply(Step& step) {
  const std::string& name = step.statement.words[0];
  const bool adds = name.starts_with("mad");
  if (step.type.is_real() && adds) return fused(step);
  if (step.type.is_real())
    return step.write(saturated(step, step.builder.CreateFMul(step.read(1), step.read(2))));
  if (!step.has("lo") && !step.has("hi") && !step.has("wide"))
    throw Untranslatable("one of .lo .hi .wide belongs to it");
  if (step.has("sat")) throw Untranslatable(".sat is not known here");
  Value* product = full_product(step);
  if (step.has("wide")) {
    const Type twice{step.type.kind, 2 * step.type.bits};
    if (adds) product = step.builder.CreateAdd(product, step.read(3, twice));
    return step.write(product, twice);
  }
  if (step.has("hi")) product = step.builder.CreateLShr(product, step.type.bits);
  Value* part = step.builder.CreateTrunc(product, step.registers.ir_type(step.type));
  if (!adds) return step.write(part);
  Value* sum = step.builder.CreateAdd(step.builder.CreateZExt(part, step.wide()),
                                      step.builder.CreateZExt(step.read(3), step.wide()));
  if (name == "madc")
    sum = step.builder.CreateAdd(sum, step.builder.CreateZExt(step.registers.carry(), step.wide()));
  if (step.has("cc"))
    step.registers.set_carry(step.builder.CreateTrunc(step.builder.CreateLShr(sum, step.type.bits),
                                                      step.builder.getInt1Ty()));
  step.write(step.builder.CreateTrunc(sum, step.registers.ir_type(step.type)));
}

// mul24 and mad24: .lo is the product of the lowest 24 bits, .hi what stands 16 bits higher in it.
void multiply_24_bits(Step& step) {
  if (step.type.bits != 32) throw Untranslatable("it has words of 32 bits only");
  if (step.has("lo") == step.has("hi")) throw Untranslatable("one of .lo .hi belongs to it");
  const auto lowest = [&](std::size_t i) {
    Value* word = step.builder.CreateShl(step.read(i), 8);
    word =
        step.type.is_signed() ? step.builder.CreateAShr(word, 8) : step.builder.CreateLShr(word, 8);
    return step.builder.CreateIntCast(word, step.wide(), step.type.is_signed());
  };
  Value* a = lowest(1);
  Value* product = step.builder.CreateMul(a, lowest(2));
  if (step.has("hi")) product = step.builder.CreateLShr(product, 16);
  product = step.builder.CreateTrunc(product, step.builder.getInt32Ty());
  if (step.statement.words[0] == "mad24") product = step.builder.CreateAdd(product, step.read(3));
  step.write(product);
}

Value* larger_less_smaller(Step& step, Value* a, Value* b) {
  Value* less =
      step.type.is_signed() ? step.builder.CreateICmpSLT(a, b) : step.builder.CreateICmpULT(a, b);
  return step.builder.CreateSelect(less, step.builder.CreateSub(b, a),
                                   step.builder.CreateSub(a, b));
}

// sad d, a, b, c: |a - b| + c.
void sum_of_difference(Step& step) {
  Value* a = step.read(1);
  Value* difference = larger_less_smaller(step, a, step.read(2));
  step.write(step.builder.CreateAdd(difference, step.read(3)));
}

// A zero divisor and the like are given a GPU's answer by a later pass (gpu_arithmetic.cpp).
void divide(Step& step) {
  Value *a = step.read(1), *b = step.read(2);
  const bool remainder = step.statement.words[0] == "rem";
  if (step.type.is_real()) return step.write(step.builder.CreateFDiv(a, b));
  if (step.type.is_signed())
    return step.write(remainder ? step.builder.CreateSRem(a, b) : step.builder.CreateSDiv(a, b));
  step.write(remainder ? step.builder.CreateURem(a, b) : step.builder.CreateUDiv(a, b));
}

void smaller_or_larger(Step& step) {
  const bool smaller = step.statement.words[0] == "min";
  const Intrinsic::ID id = step.type.is_real() ? (smaller ? Intrinsic::minnum : Intrinsic::maxnum)
                           : step.type.is_signed() ? (smaller ? Intrinsic::smin : Intrinsic::smax)
                                                   : (smaller ? Intrinsic::umin : Intrinsic::umax);
  step.write(step.builder.CreateBinaryIntrinsic(id, step.read(1), step.read(2)));
}

void absolute(Step& step) {
  Value* value = step.read(1);
  step.write(step.type.is_real() ? step.builder.CreateUnaryIntrinsic(Intrinsic::fabs, value)
                                 : step.builder.CreateBinaryIntrinsic(Intrinsic::abs, value,
                                                                      step.builder.getFalse()));
}

void negate(Step& step) {
  Value* value = step.read(1);
  step.write(step.type.is_real() ? step.builder.CreateFNeg(value) : step.builder.CreateNeg(value));
}

void logic(Step& step) {
  const std::string& name = step.statement.words[0];
  Value *a = step.read(1), *b = step.read(2);
  step.write(name == "and"  ? step.builder.CreateAnd(a, b)
             : name == "or" ? step.builder.CreateOr(a, b)
                            : step.builder.CreateXor(a, b));
}

// cnot: 1 for zero, else 0.
void logical_not(Step& step) {
  Value* value = step.read(1);
  Value* zero = step.builder.CreateICmpEQ(value, llvm::ConstantInt::get(value->getType(), 0));
  step.write(step.builder.CreateZExt(zero, value->getType()));
}

void invert(Step& step) { step.write(step.builder.CreateNot(step.read(1))); }

// Amounts of the width and more are clamped by gpu_arithmetic.cpp; here they must not be cut.
void shift(Step& step) {
  Value* value = step.read(1);
  Value* amount = step.read(2, u32);
  Value* limit = step.builder.getInt32(step.type.bits);
  amount = step.builder.CreateBinaryIntrinsic(Intrinsic::umin, amount, limit);
  amount = step.builder.CreateIntCast(amount, value->getType(), false);
  step.write(step.statement.words[0] == "shl" ? step.builder.CreateShl(value, amount)
             : step.type.is_signed()          ? step.builder.CreateAShr(value, amount)
                                              : step.builder.CreateLShr(value, amount));
}

Predicate comparison_of(llvm::StringRef word, Type type) {
  using P = llvm::CmpInst;
  if (type.is_real())
    return llvm::StringSwitch<Predicate>(word)
        .Case("eq", P::FCMP_OEQ)
        .Case("ne", P::FCMP_ONE)
        .Case("lt", P::FCMP_OLT)
        .Case("le", P::FCMP_OLE)
        .Case("gt", P::FCMP_OGT)
        .Case("ge", P::FCMP_OGE)
        .Case("equ", P::FCMP_UEQ)
        .Case("neu", P::FCMP_UNE)
        .Case("ltu", P::FCMP_ULT)
        .Case("leu", P::FCMP_ULE)
        .Case("gtu", P::FCMP_UGT)
        .Case("geu", P::FCMP_UGE)
        .Case("num", P::FCMP_ORD)
        .Case("nan", P::FCMP_UNO)
        .Default(P::BAD_FCMP_PREDICATE);
  const bool s = type.is_signed();
  return llvm::StringSwitch<Predicate>(word)
      .Case("eq", P::ICMP_EQ)
      .Case("ne", P::ICMP_NE)
      .Case("lt", s ? P::ICMP_SLT : P::ICMP_ULT)
      .Case("le", s ? P::ICMP_SLE : P::ICMP_ULE)
      .Case("gt", s ? P::ICMP_SGT : P::ICMP_UGT)
      .Case("ge", s ? P::ICMP_SGE : P::ICMP_UGE)
      .Case("lo", P::ICMP_ULT)
      .Case("ls", P::ICMP_ULE)
      .Case("hi", P::ICMP_UGT)
      .Case("hs", P::ICMP_UGE)
      .Default(P::BAD_ICMP_PREDICATE);
}

Value* comparison(Step& step) {
  const Predicate predicate = comparison_of(step.statement.words[1], step.type);
  if (predicate == Predicate::BAD_FCMP_PREDICATE || predicate == Predicate::BAD_ICMP_PREDICATE)
    throw Untranslatable("the comparison ." + step.statement.words[1]);
  Value* result = step.builder.CreateCmp(predicate, step.read(1), step.read(2));
  const bool all = step.has("and"), any = step.has("or"), either = step.has("xor");
  if ((all || any || either) != (step.statement.operands.size() == 4))
    throw Untranslatable("a fourth operand belongs to .and .or .xor, and to them only");
  if (step.statement.operands.size() == 3) return result;
  Value* other = step.read(3, predicate_type);
  return all   ? step.builder.CreateAnd(result, other)
         : any ? step.builder.CreateOr(result, other)
               : step.builder.CreateXor(result, other);
}

// setp.lt{.and}.type p, a, b{, q}
void compare(Step& step) { step.write(comparison(step), predicate_type); }

// set.lt.dtype.type d, a, b: all bits or 1.0 where it holds, else 0.
void compare_into_word(Step& step) {
  if (step.types.size() != 2) throw Untranslatable("two types belong to it");
  Value* result = comparison(step);
  llvm::Type* type = step.registers.ir_type(step.target);
  step.write(step.target.is_real() ? step.builder.CreateUIToFP(result, type)
                                   : step.builder.CreateSExt(result, type),
             step.target);
}

// slct.type.ctype d, a, b, c: a where c is not negative.
void choose_by_sign(Step& step) {
  if (step.types.size() != 2) throw Untranslatable("two types belong to it");
  Value* sign = step.read(3);
  Value* zero = llvm::Constant::getNullValue(sign->getType());
  Value* positive = step.type.is_real() ? step.builder.CreateFCmpOGE(sign, zero)
                                        : step.builder.CreateICmpSGE(sign, zero);
  step.write(
      step.builder.CreateSelect(positive, step.read(1, step.target), step.read(2, step.target)),
      step.target);
}

// testp.finite.f32 p, a
void test_number(Step& step) {
  const auto classes = llvm::StringSwitch<unsigned>(step.statement.words[1])
                           .Case("finite", llvm::fcFinite)
                           .Case("infinite", llvm::fcInf)
                           .Case("number", ~unsigned{llvm::fcNan} & llvm::fcAllFlags)
                           .Case("notanumber", llvm::fcNan)
                           .Case("normal", llvm::fcNormal)
                           .Case("subnormal", llvm::fcSubnormal)
                           .Default(llvm::fcNone);
  if (classes == llvm::fcNone) throw Untranslatable("it says of no kind of number");
  step.write(step.builder.createIsFPClass(step.read(1), classes), predicate_type);
}

// copysign d, a, b: the sign of a, the number b.
void copy_sign(Step& step) {
  Value* sign = step.read(1);
  step.write(step.builder.CreateCopySign(step.read(2), sign));
}

void choose(Step& step) {
  Value* condition = step.read(3, predicate_type);
  step.write(step.builder.CreateSelect(condition, step.read(1), step.read(2)));
}

/// To the whole number that `.rni .rzi .rmi .rpi` ask for; still a real.
Value* rounded(Step& step, Value* value) {
  const Intrinsic::ID id = step.has("rni")   ? Intrinsic::roundeven
                           : step.has("rzi") ? Intrinsic::trunc
                           : step.has("rmi") ? Intrinsic::floor
                           : step.has("rpi") ? Intrinsic::ceil
                                             : Intrinsic::not_intrinsic;
  return id == Intrinsic::not_intrinsic ? value : step.builder.CreateUnaryIntrinsic(id, value);
}

/// An integer of step.type, at the nearest limit of `to` where that has no such number.
Value* limited_to(Step& step, Value* value, Type to) {
  const unsigned bits = step.type.bits + 1;  // so that every number of both has its sign
  const unsigned width = std::max(bits, to.bits + 1);
  llvm::Type* type = step.builder.getIntNTy(width);
  const auto number = [&](const llvm::APInt& limit, bool is_signed) {
    return llvm::ConstantInt::get(type, is_signed ? limit.sext(width) : limit.zext(width));
  };
  const bool s = to.is_signed();
  Value* largest =
      number(s ? llvm::APInt::getSignedMaxValue(to.bits) : llvm::APInt::getMaxValue(to.bits), s);
  Value* smallest =
      number(s ? llvm::APInt::getSignedMinValue(to.bits) : llvm::APInt(to.bits, 0), s);
  value = step.builder.CreateIntCast(value, type, step.type.is_signed());
  value = step.builder.CreateBinaryIntrinsic(Intrinsic::smin, value, largest);
  return step.builder.CreateBinaryIntrinsic(Intrinsic::smax, value, smallest);
}

void convert(Step& step) {
  const Type to = step.target, from = step.type;
  llvm::Type* wanted = step.registers.ir_type(to);
  Value* value = step.read(1);
  if (from.is_real() && to.is_real()) {
    value = rounded(step, value);
    return step.write(saturated(step, step.builder.CreateFPCast(value, wanted)), to);
  }
  if (to.is_real())
    return step.write(saturated(step, from.is_signed() ? step.builder.CreateSIToFP(value, wanted)
                                                       : step.builder.CreateUIToFP(value, wanted)),
                      to);
  if (!from.is_real()) {
    if (step.has("sat")) value = limited_to(step, value, to);
    return step.write(step.builder.CreateIntCast(value, wanted, from.is_signed()), to);
  }
  const Intrinsic::ID id = to.is_signed() ? Intrinsic::fptosi_sat : Intrinsic::fptoui_sat;
  value = rounded(step, value);
  step.write(step.builder.CreateIntrinsic(id, {wanted, value->getType()}, {value}), to);
}

void elementary(Step& step) {
  const std::string& name = step.statement.words[0];
  Value* value = step.read(1);
  Value* one = llvm::ConstantFP::get(value->getType(), 1);
  if (name == "rcp") return step.write(step.builder.CreateFDiv(one, value));
  const auto call = [&](Intrinsic::ID id) { return step.builder.CreateUnaryIntrinsic(id, value); };
  if (name == "rsqrt") return step.write(step.builder.CreateFDiv(one, call(Intrinsic::sqrt)));
  step.write(call(llvm::StringSwitch<Intrinsic::ID>(name)
                      .Case("sqrt", Intrinsic::sqrt)
                      .Case("ex2", Intrinsic::exp2)
                      .Case("lg2", Intrinsic::log2)
                      .Case("sin", Intrinsic::sin)
                      .Case("tanh", Intrinsic::tanh)
                      .Default(Intrinsic::cos)));
}

void call_alone(Step& step, const char* marker, llvm::ArrayRef<Value*> arguments) {
  if (step.registers.guard()) throw Untranslatable("it stands behind a predicate");
  step.registers.call_marker(marker, step.builder.getVoidTy(), arguments);
}

void barrier(Step& step) {
  const auto wait = [&](BarrierKind kind) {
    call_alone(step, "__treadle_barrier", {step.builder.getInt32(static_cast<unsigned>(kind))});
  };
  if (step.has("warp")) {  // as __syncwarp(mask)
    Value* const mask = step.registers.read(step.operand(0), u32);
    const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(mask);
    if (constant && constant->isMinusOne()) return wait(BarrierKind::whole_warp);
    Value* const masks =
        step.registers.call_marker("__treadle_warp_masks", step.builder.getPtrTy(), {});
    step.builder.CreateStore(mask, step.builder.CreateGEP(step.builder.getInt32Ty(), masks,
                                                          step.registers.linear_thread()));
    return wait(BarrierKind::named_warp);
  }
  const bool all = step.statement.operands.size() == 1 &&
                   step.operand(0).kind == Operand::Kind::integer && step.operand(0).bits == 0;
  if (!all) throw Untranslatable("only barrier 0, of all threads, is known on the CPU device");
  wait(BarrierKind::block);
}

void fence(Step& step) { step.builder.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent); }

// trap and exit, of those threads whose predicate holds.
void end_thread(Step& step) {
  const char* marker = step.statement.words[0] == "exit" ? ptx_state::exit_if : ptx_state::trap_if;
  Value* guard = step.registers.guard();
  step.registers.call_marker(marker, step.builder.getVoidTy(),
                             {guard ? guard : step.builder.getTrue()});
}

void nothing(Step&) {}

// Flushing denormals (.ftz) is permitted, not promised, to the approximate ones; the CPU keeps
// them.
constexpr Operation operations[] = {
    {"mov", "", "usbfp", 2, move},
    {"cvta", "to global shared local const param", "u", 2, move},
    {"cvt", "rn rni rzi rmi rpi ftz sat", "usfh", 2, convert},
    {"add", "cc rn ftz sat", "usf", 3, add_or_subtract},
    {"addc", "cc", "us", 3, add_or_subtract},
    {"sub", "cc rn ftz sat", "usf", 3, add_or_subtract},
    {"subc", "cc", "us", 3, add_or_subtract},
    {"mul", "lo hi wide rn ftz sat", "usf", 3, multiply},
    {"mad", "lo hi wide cc rn ftz sat", "usf", 4, multiply},
    {"madc", "lo hi cc", "us", 4, multiply},
    {"fma", "rn ftz sat", "f", 4, fused},
    {"mul24", "lo hi", "us", 3, multiply_24_bits},
    {"mad24", "lo hi", "us", 4, multiply_24_bits},
    {"sad", "", "us", 4, sum_of_difference},
    {"dp4a", "", "us", 4, dot_product},
    {"dp2a", "lo hi", "us", 4, dot_product},
    {"div", "rn approx full ftz", "usf", 3, divide},
    {"rem", "", "us", 3, divide},
    {"min", "ftz", "usf", 3, smaller_or_larger},
    {"max", "ftz", "usf", 3, smaller_or_larger},
    {"abs", "ftz", "sf", 2, absolute},
    {"neg", "ftz", "sf", 2, negate},
    {"and", "", "bp", 3, logic},
    {"or", "", "bp", 3, logic},
    {"xor", "", "bp", 3, logic},
    {"not", "", "bp", 2, invert},
    {"cnot", "", "b", 2, logical_not},
    {"shl", "", "b", 3, shift},
    {"shr", "", "usb", 3, shift},
    {"bfe", "", "us", 4, extract_bits},
    {"bfi", "", "b", 5, insert_bits},
    {"bfind", "shiftamt", "us", 2, find_bit},
    {"fns", "", "b", 4, find_nth_bit},
    {"szext", "clamp wrap", "us", 3, extend_bits},
    {"bmsk", "clamp wrap", "b", 3, mask_bits},
    {"prmt", "f4e b4e rc8 ecl ecr rc16", "b", 4, permute_bytes},
    {"shf", "l r wrap clamp", "b", 4, funnel_shift},
    {"lop3", "", "b", 5, look_up},
    {"popc", "", "b", 2, count_bits},
    {"clz", "", "b", 2, count_bits},
    {"brev", "", "b", 2, count_bits},
    {"setp", "eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan ftz and or xor", "usbf",
     3, compare, 1},
    {"set", "eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan ftz and or xor", "usbf",
     3, compare_into_word, 1},
    {"selp", "", "usbf", 4, choose},
    {"slct", "ftz", "usbf", 4, choose_by_sign},
    {"testp", "finite infinite number notanumber normal subnormal", "f", 2, test_number},
    {"copysign", "", "f", 3, copy_sign},
    {"sqrt", "rn approx ftz", "f", 2, elementary},
    {"rsqrt", "approx ftz", "f", 2, elementary},
    {"rcp", "rn approx ftz", "f", 2, elementary},
    {"ex2", "approx ftz", "f", 2, elementary},
    {"lg2", "approx ftz", "f", 2, elementary},
    {"sin", "approx ftz", "f", 2, elementary},
    {"cos", "approx ftz", "f", 2, elementary},
    {"tanh", "approx", "f", 2, elementary},
    {"vadd", "sat add min max", "us", 3, combine_parts_of_words, 1},
    {"vsub", "sat add min max", "us", 3, combine_parts_of_words, 1},
    {"vabsdiff", "sat add min max", "us", 3, combine_parts_of_words, 1},
    {"vmin", "sat add min max", "us", 3, combine_parts_of_words, 1},
    {"vmax", "sat add min max", "us", 3, combine_parts_of_words, 1},
    {"vadd2", "sat add", "us", 4, combine_parts},
    {"vsub2", "sat add", "us", 4, combine_parts},
    {"vabsdiff2", "sat add", "us", 4, combine_parts},
    {"vmin2", "sat add", "us", 4, combine_parts},
    {"vmax2", "sat add", "us", 4, combine_parts},
    {"vadd4", "sat add", "us", 4, combine_parts},
    {"vsub4", "sat add", "us", 4, combine_parts},
    {"vabsdiff4", "sat add", "us", 4, combine_parts},
    {"vmin4", "sat add", "us", 4, combine_parts},
    {"vmax4", "sat add", "us", 4, combine_parts},
    {"ld",
     "global shared local const param nc ca cg cs lu cv volatile relaxed weak acquire gpu sys cta "
     "L1::no_allocate L1::evict_first L1::evict_last L1::evict_normal L2::64B L2::128B L2::256B "
     "v2 v4",
     "usbf", 2, load},
    {"ldu", "global v2 v4", "usbf", 2, load},
    {"st",
     "global shared local wb cg cs wt volatile relaxed weak release gpu sys cta "
     "L1::no_allocate L1::evict_first L1::evict_last L1::evict_normal v2 v4",
     "usbf", 2, store},
    {"atom",
     "global shared relaxed acquire release acq_rel gpu sys cta add min max and or xor exch cas "
     "inc "
     "dec",
     "usbf", 3, exchange, 1},
    {"red", "global shared relaxed release gpu sys cta add min max and or xor inc dec", "usbf", 2,
     exchange},
    {"membar", "cta gl sys", "", 0, fence},
    {"fence", "sc acq_rel cta gpu sys cluster", "", 0, fence},
    {"bar", "sync aligned warp", "", 1, barrier},
    {"barrier", "sync aligned", "", 1, barrier},
    {"trap", "", "", 0, end_thread},
    {"exit", "", "", 0, end_thread},
    {"brkpt", "", "", 0, nothing},
    {"nanosleep", "", "u", 1, nothing},
    {"prefetch", "global local L1 L2 L2::evict_last L2::evict_normal", "", 1, nothing},
    {"prefetchu", "L1", "", 1, nothing},
    {"applypriority", "global L2::evict_normal", "", 2, nothing},
    {"discard", "global L2", "", 2, nothing},
    {"griddepcontrol", "wait launch_dependents", "", 0, nothing},
    {"pmevent", "mask", "", 1, nothing},
};

}  // namespace

bool Step::has(std::string_view word) const {
  return llvm::is_contained(llvm::drop_begin(statement.words), word);
}

const Operation* find_operation(std::string_view name) {
  const auto* found = std::ranges::find(operations, name, &Operation::name);
  return found == std::end(operations) ? nullptr : found;
}

}  // namespace treadle::cuda_cpu::ptx

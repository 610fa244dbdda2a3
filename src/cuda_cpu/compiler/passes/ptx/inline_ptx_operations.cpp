// SPDX-License-Identifier: MIT
// Arithmetic, comparison, conversion, barriers. A suffix that is not in an instruction's row is
// refused: each changes the result or the order of memory, and none may be passed over.
#include "cuda_cpu/compiler/passes/ptx/inline_ptx_operations.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringSwitch.h>
#include <llvm/IR/Intrinsics.h>

#include <algorithm>

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

// add, sub, with the carry in (addc) and out (.cc): computed in twice the width, where the carry is
// the bit above, a borrow too.
void add_or_subtract(Step& step) {
  const std::string& name = step.statement.words[0];
  const bool subtracts = name.starts_with("sub");
  if (step.type.is_real())
    return step.write(subtracts ? step.builder.CreateFSub(step.read(1), step.read(2))
                                : step.builder.CreateFAdd(step.read(1), step.read(2)));
  Value* a = step.builder.CreateZExt(step.read(1), step.wide());
  Value* b = step.builder.CreateZExt(step.read(2), step.wide());
  Value* result = subtracts ? step.builder.CreateSub(a, b) : step.builder.CreateAdd(a, b);
  if (name.ends_with("c")) {
    Value* carry = step.registers.carry();
    if (!carry) throw Untranslatable("the carry flag comes from another assembly statement");
    carry = step.builder.CreateZExt(carry, step.wide());
    result =
        subtracts ? step.builder.CreateSub(result, carry) : step.builder.CreateAdd(result, carry);
  }
  if (step.has("cc"))
    step.registers.set_carry(step.builder.CreateTrunc(
        step.builder.CreateLShr(result, step.type.bits), step.builder.getInt1Ty()));
  step.write(step.builder.CreateTrunc(result, step.registers.ir_type(step.type)));
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
  if (step.type.is_real()) return step.write(step.builder.CreateFMul(step.read(1), step.read(2)));
  if (!step.has("lo") && !step.has("hi") && !step.has("wide"))
    throw Untranslatable("one of .lo .hi .wide belongs to it");
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
  if (name == "madc") {
    if (!step.registers.carry())
      throw Untranslatable("the carry flag comes from another assembly statement");
    sum = step.builder.CreateAdd(sum, step.builder.CreateZExt(step.registers.carry(), step.wide()));
  }
  if (step.has("cc"))
    step.registers.set_carry(step.builder.CreateTrunc(step.builder.CreateLShr(sum, step.type.bits),
                                                      step.builder.getInt1Ty()));
  step.write(step.builder.CreateTrunc(sum, step.registers.ir_type(step.type)));
}

void fused(Step& step) {
  step.write(step.builder.CreateIntrinsic(Intrinsic::fma, {step.registers.ir_type(step.type)},
                                          {step.read(1), step.read(2), step.read(3)}));
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

void compare(Step& step) {
  const Predicate predicate = comparison_of(step.statement.words[1], step.type);
  if (predicate == Predicate::BAD_FCMP_PREDICATE || predicate == Predicate::BAD_ICMP_PREDICATE)
    throw Untranslatable("the comparison ." + step.statement.words[1]);
  step.write(step.builder.CreateCmp(predicate, step.read(1), step.read(2)), predicate_type);
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

void convert(Step& step) {
  const Type to = step.target, from = step.type;
  llvm::Type* wanted = step.registers.ir_type(to);
  Value* value = step.read(1);
  if (from.is_real() && to.is_real()) {
    value = rounded(step, value);
    return step.write(step.builder.CreateFPCast(value, wanted), to);
  }
  if (to.is_real())
    return step.write(from.is_signed() ? step.builder.CreateSIToFP(value, wanted)
                                       : step.builder.CreateUIToFP(value, wanted),
                      to);
  if (!from.is_real())
    return step.write(step.builder.CreateIntCast(value, wanted, from.is_signed()), to);
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
                      .Default(Intrinsic::cos)));
}

void call_alone(Step& step, const char* marker, llvm::ArrayRef<Value*> arguments) {
  if (step.registers.guard()) throw Untranslatable("it stands behind a predicate");
  step.registers.call_marker(marker, step.builder.getVoidTy(), arguments);
}

void barrier(Step& step) {
  constexpr unsigned block_barrier = 1, warp_barrier = 2;  // BarrierKind of module_abi.h
  const bool warp = step.has("warp");
  if (!warp) {
    const bool all = step.statement.operands.size() == 1 &&
                     step.operand(0).kind == Operand::Kind::integer && step.operand(0).bits == 0;
    if (!all) throw Untranslatable("only barrier 0, of all threads, is known on the CPU device");
  }
  call_alone(step, "__treadle_barrier",
             {step.builder.getInt32(warp ? warp_barrier : block_barrier)});
}

void fence(Step& step) { step.builder.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent); }
void trap(Step& step) { call_alone(step, "__treadle_trap", {}); }
void nothing(Step&) {}

// Flushing denormals (.ftz) is permitted, not promised, to the approximate ones; the CPU keeps
// them.
constexpr Operation operations[] = {
    {"mov", "", "usbfp", 2, move},
    {"cvta", "to global shared local const param", "u", 2, move},
    {"cvt", "rn rni rzi rmi rpi ftz", "usfh", 2, convert},
    {"add", "cc rn ftz", "usf", 3, add_or_subtract},
    {"addc", "cc", "us", 3, add_or_subtract},
    {"sub", "cc rn ftz", "usf", 3, add_or_subtract},
    {"subc", "cc", "us", 3, add_or_subtract},
    {"mul", "lo hi wide rn ftz", "usf", 3, multiply},
    {"mad", "lo hi wide cc", "us", 4, multiply},
    {"madc", "lo hi cc", "us", 4, multiply},
    {"fma", "rn ftz", "f", 4, fused},
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
    {"shl", "", "b", 3, shift},
    {"shr", "", "usb", 3, shift},
    {"bfe", "", "us", 4, extract_bits},
    {"bfi", "", "b", 5, insert_bits},
    {"prmt", "", "b", 4, permute_bytes},
    {"shf", "l r wrap clamp", "b", 4, funnel_shift},
    {"lop3", "", "b", 5, look_up},
    {"popc", "", "b", 2, count_bits},
    {"clz", "", "b", 2, count_bits},
    {"brev", "", "b", 2, count_bits},
    {"setp", "eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan ftz", "usbf", 3,
     compare},
    {"selp", "", "usbf", 4, choose},
    {"sqrt", "rn approx ftz", "f", 2, elementary},
    {"rsqrt", "approx ftz", "f", 2, elementary},
    {"rcp", "rn approx ftz", "f", 2, elementary},
    {"ex2", "approx ftz", "f", 2, elementary},
    {"lg2", "approx ftz", "f", 2, elementary},
    {"sin", "approx ftz", "f", 2, elementary},
    {"cos", "approx ftz", "f", 2, elementary},
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
    {"atom", "global shared relaxed gpu sys cta add min max and or xor exch cas", "usbf", 3,
     exchange},
    {"red", "global shared relaxed gpu sys cta add min max and or xor", "usbf", 2, exchange},
    {"membar", "cta gl sys", "", 0, fence},
    {"fence", "sc acq_rel cta gpu sys cluster", "", 0, fence},
    {"bar", "sync aligned warp", "", 1, barrier},
    {"barrier", "sync aligned", "", 1, barrier},
    {"trap", "", "", 0, trap},
    {"brkpt", "", "", 0, nothing},
    {"nanosleep", "", "u", 1, nothing},
    {"prefetch", "global local L1 L2", "", 1, nothing},
    {"prefetchu", "L1", "", 1, nothing},
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

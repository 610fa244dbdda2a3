// SPDX-License-Identifier: MIT
// Math calls: device headers declare math functions under libm's own names. CUDA math never
// sets errno, so each is a pure function; told so, LLVM folds, hoists and, with libmvec, computes
// them for 4 to 16 threads at once.
//
//   declare float @sinf(float)   =>   declare float @sinf(float) memory(none) nounwind willreturn
//   %r = call float @sinf(%x)         %r = call float @sinf(%x)
//
// Under --use_fast_math LLVM makes powers by integers of pow(). One whose exponent is known at run
// time only would be a call of libgcc's: it stays pow(), without the flag that allows the change.
//
//   %r = call afn float @llvm.powi.f32.i32(%x, %n)   =>   %y = sitofp i32 %n to float
//                                                         %r = call float @llvm.pow.f32(%x, %y)
#include "cuda_cpu/compiler/passes/lowering/math_calls.hpp"

#include <llvm/ADT/StringSet.h>
#include <llvm/ADT/StringSwitch.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include "cuda_cpu/compiler/passes/lane_calls.hpp"

namespace treadle::cuda_cpu {
namespace {

// Double precision names of libm; the float one has an `f` behind it.
constexpr const char* pure_math[] = {
    "acos",    "acosh",     "asin",      "asinh", "atan",      "atan2", "atanh", "cbrt",
    "ceil",    "copysign",  "cos",       "cosh",  "erf",       "erfc",  "exp",   "exp10",
    "exp2",    "expm1",     "fabs",      "fdim",  "floor",     "fma",   "fmax",  "fmin",
    "fmod",    "hypot",     "ilogb",     "j0",    "j1",        "jn",    "ldexp", "lgamma",
    "llrint",  "llround",   "log",       "log10", "log1p",     "log2",  "logb",  "lrint",
    "lround",  "nearbyint", "nextafter", "pow",   "remainder", "rint",  "round", "roundeven",
    "scalbln", "scalbn",    "sin",       "sinh",  "sqrt",      "tan",   "tanh",  "tgamma",
    "trunc",   "y0",        "y1",        "yn"};

// These write through a pointer or belong to libc.
constexpr const char* other_library[] = {"frexp",   "frexpf", "modf",    "modff",  "remquo",
                                         "remquof", "sincos", "sincosf", "memcpy", "memset",
                                         "memmove", "memcmp", "memchr",  "strlen", "strcmp",
                                         "strncmp", "strcpy", "strncpy", "strcat", "strchr"};

const llvm::StringSet<>& pure_names() {
  static const llvm::StringSet<> names = [] {
    llvm::StringSet<> set;
    for (llvm::StringRef name : pure_math) {
      set.insert(name);
      set.insert((name + "f").str());
    }
    for (llvm::StringRef name : rare_functions()) set.insert(name);
    return set;
  }();
  return names;
}

const llvm::StringSet<>& other_names() {
  static const llvm::StringSet<> names = [] {
    llvm::StringSet<> set;
    for (llvm::StringRef name : other_library) set.insert(name);
    return set;
  }();
  return names;
}

bool is_power(const llvm::CallInst& call) {
  const llvm::Function* function = call.getCalledFunction();
  if (function == nullptr || call.arg_size() != 2) return false;
  return function->getIntrinsicID() == llvm::Intrinsic::pow || function->getName() == "pow" ||
         function->getName() == "powf";
}

void keep_powers(llvm::Function& function) {
  llvm::SmallVector<llvm::CallInst*, 4> powers;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    if (call == nullptr || call->arg_size() != 2 ||
        llvm::isa<llvm::Constant>(call->getArgOperand(1)))
      continue;
    if (is_power(*call)) call->setHasApproxFunc(false);
    if (call->getIntrinsicID() == llvm::Intrinsic::powi) powers.push_back(call);
  }
  for (llvm::CallInst* call : powers) {
    llvm::IRBuilder<> build(call);
    llvm::Value* exponent = build.CreateSIToFP(call->getArgOperand(1), call->getType());
    llvm::Value* power = build.CreateBinaryIntrinsic(llvm::Intrinsic::pow, call->getArgOperand(0),
                                                     exponent, nullptr, call->getName());
    call->replaceAllUsesWith(power);
    call->eraseFromParent();
  }
}

}  // namespace

bool is_library_function(const llvm::Function& function) {
  return pure_names().contains(function.getName()) || other_names().contains(function.getName());
}

unsigned bytes_written_by_library(const llvm::CallInst& call) {
  const llvm::Function* function = call.getCalledFunction();
  if (function == nullptr || !function->isDeclaration()) return 0;
  return llvm::StringSwitch<unsigned>(function->getName())
      .Cases("frexp", "frexpf", "remquo", "remquof", "modff", 4)
      .Case("modf", 8)
      .Default(0);
}

void prepare_math_calls(llvm::Module& module) {
  for (llvm::Function& function : module) {
    keep_powers(function);
    if (!function.isDeclaration() || !pure_names().contains(function.getName())) continue;
    function.setDoesNotAccessMemory();
    function.setDoesNotThrow();
    function.setWillReturn();
    function.removeFnAttr(llvm::Attribute::Convergent);
  }
}

}  // namespace treadle::cuda_cpu

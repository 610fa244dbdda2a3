// SPDX-License-Identifier: MIT
// Lane calls: a function has a fast way for nearly all numbers, and a call of libm's for the rest.
// LLVM's vectoriser takes a loop with such a call if it knows a function of vectors for it, with a
// mask. There is none: the call is passed by where no lane needs it, else done lane by lane.
//
//   %v = call <4 x double> @treadle.lanes4.sinf64(<4 x double> %x, <4 x i1> %m)
//     =>
//   %a = icmp ne i4 (bitcast %m), 0
//   br i1 %a, label %rare, label %next
//   rare:                              ; for each lane
//     %0 = call double @sinf64(double (extract %m, 0) ? (extract %x, 0) : 0.0)
#include "cuda_cpu/compiler/passes/lane_calls.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <string>
#include <vector>

namespace treadle::cuda_cpu {
namespace {

constexpr llvm::StringRef lanes_prefix = "treadle.lanes";

void call_by_lane(llvm::CallInst& call) {
  llvm::Module& module = *call.getModule();
  const llvm::StringRef name = call.getCalledFunction()->getName().rsplit('.').second;
  llvm::Value* mask = call.getArgOperand(call.arg_size() - 1);
  auto* type = llvm::cast<llvm::FixedVectorType>(call.getType());
  const unsigned lanes = type->getNumElements();
  llvm::IRBuilder<> build(&call);
  llvm::Value* any =
      build.CreateIsNotNull(build.CreateBitCast(mask, build.getIntNTy(lanes)), "any.lane");
  llvm::MDNode* unlikely = llvm::MDBuilder(module.getContext()).createBranchWeights(1, 2000);
  llvm::Instruction* end = llvm::SplitBlockAndInsertIfThen(any, &call, false, unlikely);
  llvm::BasicBlock* before = end->getParent()->getSinglePredecessor();

  build.SetInsertPoint(end);
  llvm::SmallVector<llvm::Type*, 2> types(call.arg_size() - 1, type->getElementType());
  const llvm::FunctionCallee scalar = module.getOrInsertFunction(
      name, llvm::FunctionType::get(type->getElementType(), types, false));
  llvm::Value* result = llvm::Constant::getNullValue(type);
  for (unsigned lane = 0; lane < lanes; ++lane) {
    llvm::Value* is_on = build.CreateExtractElement(mask, lane);
    llvm::SmallVector<llvm::Value*, 2> arguments;
    for (unsigned i = 0; i + 1 < call.arg_size(); ++i)
      arguments.push_back(
          build.CreateSelect(is_on, build.CreateExtractElement(call.getArgOperand(i), lane),
                             llvm::Constant::getNullValue(type->getElementType())));
    llvm::CallInst* one = build.CreateCall(scalar, arguments);
    one->setAttributes(
        call.getAttributes().removeFnAttribute(module.getContext(), "vector-function-abi-variant"));
    result = build.CreateInsertElement(result, one, lane);
  }
  build.SetInsertPoint(&call);
  llvm::PHINode* merged = build.CreatePHI(type, 2);
  merged->addIncoming(llvm::Constant::getNullValue(type), before);
  merged->addIncoming(result, end->getParent());
  call.replaceAllUsesWith(merged);
  call.eraseFromParent();
}

}  // namespace

llvm::ArrayRef<const char*> rare_functions() {
  static constexpr const char* names[] = {"cosf64", "sinf64", "tanf64"};
  return names;
}

void add_rare_functions(llvm::TargetLibraryInfoImpl& library) {
  static const auto* const names = [] {
    auto* all = new std::vector<std::string>;
    for (const char* name : rare_functions())
      for (const unsigned lanes : {2, 4, 8, 16}) {
        all->push_back((lanes_prefix + llvm::Twine(lanes) + "." + name).str());
        all->push_back(("_ZGV_LLVM_M" + llvm::Twine(lanes) + "v").str());
      }
    return all;
  }();
  std::vector<llvm::VecDesc> functions;
  std::size_t at = 0;
  for (const char* name : rare_functions())
    for (const unsigned lanes : {2, 4, 8, 16}) {
      functions.emplace_back(name, (*names)[at], llvm::ElementCount::getFixed(lanes), true,
                             (*names)[at + 1]);
      at += 2;
    }
  library.addVectorizableFunctions(functions);
}

llvm::PreservedAnalyses LaneCalls::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  llvm::SmallVector<llvm::CallInst*, 4> calls;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
    if (callee && callee->getName().starts_with(lanes_prefix)) calls.push_back(call);
  }
  for (llvm::CallInst* call : calls) call_by_lane(*call);
  return calls.empty() ? llvm::PreservedAnalyses::all() : llvm::PreservedAnalyses::none();
}

}  // namespace treadle::cuda_cpu

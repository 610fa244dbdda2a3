// SPDX-License-Identifier: MIT
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>

#include "cuda_cpu/compiler/frontend.hpp"

extern "C" __attribute__((visibility("default"))) int treadle_clang_try(const char* source) {
  llvm::LLVMContext context;
  treadle::cuda_cpu::FrontendRequest request;
  request.name = "kernel.cu";
  request.source = source;
  treadle::cuda_cpu::FrontendResult result;
  auto module = parse(request, context, result);
  llvm::errs() << result.log;
  if (module) module->print(llvm::errs(), nullptr);
  return 0;
}

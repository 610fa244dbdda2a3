// SPDX-License-Identifier: MIT
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>

#include "cuda_cpu/compiler/crash_guard.hpp"
#include "cuda_cpu/compiler/frontend.hpp"
#include "cuda_cpu/compiler/precompiled_prelude.hpp"

extern "C" __attribute__((visibility("default"))) int treadle_clang_try(const char* source,
                                                                        const char* name,
                                                                        int verbose) {
  const std::string reason = treadle::cuda_cpu::run_guarded([&] {
    llvm::LLVMContext context;
    treadle::cuda_cpu::FrontendRequest request;
    request.name = "kernel.cu";
    request.source = source;
    if (name) request.name_expressions.push_back(name);
    treadle::cuda_cpu::FrontendResult result;
    auto module = parse(request, context, result);
    llvm::errs() << result.log;
    for (auto& [a, b] : result.lowered_names) llvm::errs() << a << " -> " << b << "\n";
    if (module && verbose) module->print(llvm::errs(), nullptr);
  });
  if (!reason.empty()) llvm::errs() << "abandoned: " << reason << "\n";
  return 0;
}
extern "C" __attribute__((visibility("default"))) int treadle_clang_write_preludes(
    const char* folder) {
  return treadle::cuda_cpu::write_common_preludes(folder) ? 0 : 1;
}

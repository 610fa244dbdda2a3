// SPDX-License-Identifier: MIT
// A module written as IR text, and what a pass made of it as text again.
#pragma once

#include <gtest/gtest.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

#include <memory>
#include <string>

namespace treadle::cuda_cpu {

/// Markers and the target of modules as the front end makes them.
inline constexpr const char* device_declarations = R"(
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spirv64"
declare spir_func i32 @__treadle_thread_index(i32) #0
declare spir_func i32 @__treadle_block_index(i32) #0
declare spir_func i32 @__treadle_block_size(i32) #0
declare spir_func i32 @__treadle_grid_size(i32) #0
declare spir_func void @__treadle_barrier(i32) #1
declare spir_func i32 @__treadle_print(ptr addrspace(4), ...) #1
attributes #0 = { convergent nounwind willreturn memory(none) }
attributes #1 = { convergent nounwind }
)";

inline unsigned count(const std::string& text, const std::string& part) {
  unsigned found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

class IrModule {
 public:
  explicit IrModule(const std::string& text) {
    llvm::SMDiagnostic error;
    module_ = llvm::parseAssemblyString(device_declarations + text, error, context_);
    if (!module_) ADD_FAILURE() << error.getMessage().str() << " in line " << error.getLineNo();
  }

  llvm::Module& operator*() { return *module_; }
  llvm::Module* operator->() { return module_.get(); }
  llvm::Function& function(const std::string& name) { return *module_->getFunction(name); }
  /// Functions with a body whose names begin with `prefix`.
  unsigned function_count(const std::string& prefix) const {
    unsigned count = 0;
    for (const llvm::Function& function : *module_)
      count += !function.isDeclaration() && function.getName().starts_with(prefix);
    return count;
  }
  std::unique_ptr<llvm::Module> take() { return std::move(module_); }

  std::string text() const {
    EXPECT_FALSE(llvm::verifyModule(*module_, &llvm::errs()));
    return print(*module_);
  }
  static std::string text_of(const llvm::Function& function) { return print(function); }

 private:
  template <typename Printed>
  static std::string print(const Printed& printed) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    printed.print(stream, nullptr);
    return text;
  }

  llvm::LLVMContext context_;
  std::unique_ptr<llvm::Module> module_;
};

}  // namespace treadle::cuda_cpu

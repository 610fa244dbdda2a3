// SPDX-License-Identifier: MIT
// CUDA C++ text to LLVM IR: clang, in process, on headers held in memory.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cuda_cpu/compiler/language_options.hpp"

namespace llvm {
class LLVMContext;
class Module;
}  // namespace llvm

namespace treadle::cuda_cpu {

/// A header handed over with the program: found by `#include "name"` and `#include <name>`.
struct HeaderText {
  std::string name;
  std::string text;
};

struct FrontendRequest {
  std::string name;    ///< how diagnostics call the source, for example "kernel.cu"
  std::string source;  ///< CUDA C++
  std::vector<HeaderText> headers;
  LanguageOptions language;
  std::vector<std::string>
      name_expressions;  ///< C++ names to instantiate and look up: "scale<float, 4>"
};

struct FrontendResult {
  std::string log;  ///< clang's diagnostics, warnings included: "kernel.cu:3:14: error: ..." and a
                    ///< caret line
  std::map<std::string, std::string> lowered_names;  ///< name expression -> symbol in the module
};

/// Parses `request` and generates its IR: target spirv64, kernels of calling convention
/// SPIR_KERNEL, nothing optimised or lowered yet, the markers of kernels/cuda_cpu unresolved. Null
/// when the source is wrong: `result.log` says why. Thread-safe: shares only constant data between
/// calls. Run it under CrashGuard; clang recurses deeply.
std::unique_ptr<llvm::Module> parse(const FrontendRequest& request, llvm::LLVMContext& context,
                                    FrontendResult& result);

}  // namespace treadle::cuda_cpu

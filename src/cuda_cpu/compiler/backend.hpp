// SPDX-License-Identifier: MIT
// LLVM IR as the front end emits it, to a module image the run-time loads.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cuda_cpu/compiler/passes/pass_table.hpp"
#include "treadle/base/error.hpp"
#include "treadle/process/settings.hpp"

namespace llvm {
class Module;
}  // namespace llvm

namespace treadle::cuda_cpu {

struct BackendOptions {
  bool fast_math = false;
  bool fp_contract = true;  ///< informative: the IR's own `contract` flags decide
  unsigned optimization = 3;
  Checks checks = {};  ///< what kernels ask the run-time while they run
  bool fibers =
      false;  ///< kernels can run a thread at a time as well (passes/lowering/thread_function.hpp)
  PassOptions passes = {};
  std::string arguments = {};  ///< as join_arguments (kernel_part.hpp) has them
  std::string only = {};       ///< this kernel, of a module that was compiled before
  std::string target = "cpu";
};

struct CompileOptions;
BackendOptions backend_options(const CompileOptions& given);

/// The program asks for something this device does not have. `what()` is a finished diagnostic,
/// "kernel.cu:12:5: error: ...", without a location where none is known.
class BackendError : public Error {
 public:
  explicit BackendError(std::string text) : Error(std::move(text)) {}
};

/// Lowers, optimises, assembles and links `module`. The same module and options give the same
/// bytes on the same kind of processor. Appends to `log`, unless it is null, the modules that
/// options.passes.printed asks for. Throws BackendError. Thread-safe on separate LLVMContexts.
std::vector<char> build_module_image(std::unique_ptr<llvm::Module> module,
                                     const BackendOptions& options, std::string* log = nullptr);

}  // namespace treadle::cuda_cpu

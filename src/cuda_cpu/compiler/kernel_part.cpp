// SPDX-License-Identifier: MIT
// One kernel of a module that holds many of them uncompiled (kernels_on_demand.cpp).
#include "cuda_cpu/compiler/kernel_part.hpp"

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/Error.h>
#include <llvm/Support/MemoryBuffer.h>

#include <exception>

#include "cuda_cpu/compiler/backend.hpp"
#include "cuda_cpu/compiler/crash_guard.hpp"
#include "cuda_cpu/compiler/options.hpp"

namespace treadle::cuda_cpu {
namespace {

std::vector<char> compile(std::string_view bitcode, const BackendOptions& options) {
  llvm::LLVMContext context;
  auto module = llvm::parseBitcodeFile(
      {llvm::StringRef(bitcode.data(), bitcode.size()), "kernels on demand"}, context);
  if (!module) throw BackendError("error: " + llvm::toString(module.takeError()));
  return build_module_image(std::move(*module), options);
}

}  // namespace

std::string join_arguments(const std::vector<std::string_view>& arguments) {
  std::string text;
  for (const std::string_view argument : arguments) text.append(argument) += '\0';
  return text;
}

std::vector<std::string_view> split_arguments(std::string_view text) {
  std::vector<std::string_view> list;
  for (std::size_t end = 0; (end = text.find('\0')) != std::string_view::npos;
       text.remove_prefix(end + 1))
    list.push_back(text.substr(0, end));
  return list;
}

KernelPart compile_kernel(std::string_view bitcode, const std::string& kernel,
                          std::string_view arguments) {
  const CompileOptions given = parse_options(split_arguments(arguments));
  BackendOptions options = backend_options(given);
  options.only = kernel;
  KernelPart part;
  const std::string abandoned = run_guarded([&] {
    try {
      part.image = compile(bitcode, options);
    } catch (const std::exception& error) {
      part.error = error.what();
    }
  });
  if (!abandoned.empty()) part = {{}, "error: the compiler could not finish: " + abandoned};
  return part;
}

}  // namespace treadle::cuda_cpu

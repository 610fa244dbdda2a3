// SPDX-License-Identifier: MIT
#include "cuda_cpu/compiler/compilation.hpp"

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <exception>
#include <utility>

#include "cuda_cpu/compiler/backend.hpp"
#include "cuda_cpu/compiler/crash_guard.hpp"
#include "cuda_cpu/compiler/kernel_part.hpp"
#include "cuda_cpu/compiler/object.hpp"
#include "cuda_cpu/compiler/options.hpp"

namespace treadle::cuda_cpu {

Compilation::Compilation(std::string source, std::string name, std::vector<HeaderText> headers) {
  request_.source = std::move(source);
  request_.name = name.empty() ? "default_program" : std::move(name);
  request_.headers = std::move(headers);
}

void Compilation::add_name_expression(std::string expression) {
  request_.name_expressions.push_back(std::move(expression));
}

const std::string* Compilation::lowered_name(const std::string& expression) const {
  const auto found = lowered_names_.find(expression);
  return found == lowered_names_.end() ? nullptr : &found->second;
}

CompileStatus Compilation::compile(const std::vector<std::string_view>& arguments) {
  compiled_ = true;
  log_.clear();
  image_.clear();
  lowered_names_.clear();
  const CompileOptions options = parse_options(arguments);
  if (!options.error.empty()) {
    log_ = "error: " + options.error + "\n";
    return CompileStatus::invalid_option;
  }
  FrontendRequest request = request_;
  request.language = options.language;
  const std::string kept = join_arguments(arguments);
  const std::string abandoned = run_guarded([&] { build(std::move(request), options, kept); });
  if (!abandoned.empty()) {
    log_ += request_.name + ": error: the compiler could not finish: " + abandoned + "\n";
    image_.clear();
  }
  return image_.empty() ? CompileStatus::failed : CompileStatus::success;
}

void Compilation::build(FrontendRequest request, const CompileOptions& given,
                        const std::string& arguments) {
  FrontendResult result;
  try {
    llvm::LLVMContext context;
    BackendOptions options = backend_options(given);
    options.arguments = arguments;
    std::unique_ptr<llvm::Module> module = parse(request, context, result);
    if (module && given.relocatable)
      image_ = write_object(*module, arguments);
    else if (module)
      image_ = build_module_image(std::move(module), options, &result.log);
  } catch (const BackendError& error) {
    result.log += std::string(error.what()) + "\n";
  } catch (const std::exception& error) {
    result.log += request.name + ": error: " + error.what() + "\n";
  }
  log_ = std::move(result.log);
  lowered_names_ = std::move(result.lowered_names);
}

}  // namespace treadle::cuda_cpu

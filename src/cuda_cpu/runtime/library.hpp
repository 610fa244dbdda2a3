// SPDX-License-Identifier: MIT
// Code that belongs to no context. A library keeps its image; each context that asks for a kernel
// or a variable loads it as a module of its own, with variables of its own.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string_view>
#include <vector>

#include "cuda_cpu/runtime/module.hpp"

namespace treadle::cuda_cpu {

class Library : public std::enable_shared_from_this<Library> {
 public:
  /// `code` is that of `image`, for questions that need no context.
  Library(std::vector<char> image, std::unique_ptr<LoadedCode> code)
      : image_(std::move(image)), code_(std::move(code)), parts_(*code_) {}
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  CUlibrary handle = nullptr;
  const ModuleDescriptor& descriptor() const { return code_->descriptor(); }
  const Kernel* kernel(std::string_view name) const;
  /// The handle of a kernel, made when first asked for.
  CUkernel kernel_handle(const Kernel& kernel);
  /// A kernel that was left for later, with its code.
  const Kernel* complete(const Kernel& kernel, LoadFailure& failure) {
    return parts_.complete(kernel, failure);
  }
  /// The library as a module of a context, loaded if it was not.
  CUresult module_in(const std::shared_ptr<Context>& context, std::shared_ptr<Module>& module);
  /// Unloads its modules and forgets its kernels.
  void unload();

 private:
  const std::vector<char> image_;
  const std::unique_ptr<LoadedCode> code_;
  KernelParts parts_;
  std::mutex mutex_;
  std::map<std::uint64_t, CUmodule> modules_;  ///< by the context's number
  std::map<const Kernel*, CUkernel> kernels_;
};

/// A kernel of a library, with what a program set for it in all contexts.
class LibraryKernel {
 public:
  LibraryKernel(std::shared_ptr<Library> owner, const Kernel& code)
      : library(std::move(owner)), kernel(code) {}

  const std::shared_ptr<Library> library;
  const Kernel& kernel;  ///< of the library's own code

  CUresult function_in(const std::shared_ptr<Context>& context, CUfunction& found);
  CUresult attribute(CUfunction_attribute attribute, int& value);
  CUresult set_attribute(CUfunction_attribute attribute, int value);

 private:
  CUresult find_model();

  std::mutex mutex_;
  /// Belongs to no module: holds what was set, and answers.
  std::unique_ptr<Function> model_;
  std::map<CUfunction_attribute, int> settings_;
  std::set<CUfunction> functions_;  ///< those that have the settings
};

using LibraryHandles = HandleRegistry<Library, CUlibrary, HandleKind::library>;
using LibraryKernelHandles = HandleRegistry<LibraryKernel, CUkernel, HandleKind::library_kernel>;
LibraryHandles& library_handles();
LibraryKernelHandles& library_kernel_handles();

/// The function of the current context that a library's kernel stands for where a function is
/// wanted, as drivers take it; null for any other handle.
CUfunction library_function(CUfunction handle);

}  // namespace treadle::cuda_cpu

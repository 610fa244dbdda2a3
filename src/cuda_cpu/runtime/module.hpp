// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cuda_cpu/runtime/context.hpp"
#include "cuda_cpu/runtime/device.hpp"
#include "cuda_cpu/runtime/kernel_parts.hpp"
#include "cuda_cpu/runtime/module_image.hpp"
#include "cuda_cpu/runtime/region_scheduler.hpp"

namespace treadle::cuda_cpu {

/// A loaded module. Functions and queued launches hold it, so its code stays mapped until the last
/// one is done.
class Module {
 public:
  Module(std::shared_ptr<Context> owner, std::unique_ptr<LoadedCode> loaded);
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;
  ~Module();

  CUmodule handle = nullptr;
  const std::shared_ptr<Context> context;
  const ModuleDescriptor& descriptor() const { return code_->descriptor(); }
  const Kernel* kernel(std::string_view name) const;
  /// Whether the address lies in what the module was loaded to: its constants, for instance.
  bool holds_constant(std::uintptr_t address) const;
  const Global* global(std::string_view name) const;
  /// Texture and surface references of the module that hold no object now, as error texts name
  /// them: "image, other". Empty if there are none.
  std::string unbound_references() const;
  /// A kernel of this module that was left for later, with its code; see KernelParts.
  const Kernel* complete(const Kernel& kernel, LoadFailure& failure) {
    return parts_.complete(kernel, failure);
  }

  std::mutex functions_mutex;
  std::map<const Kernel*, CUfunction>
      functions;  ///< handles given out, one for each kernel asked for

 private:
  std::unique_ptr<LoadedCode> code_;
  KernelParts parts_;
  std::vector<std::uintptr_t> known_globals_;
};

/// A kernel as a handle, with the attributes a program can set on it.
class Function {
 public:
  Function(std::shared_ptr<Module> owner, const Kernel& code);

  CUfunction handle = nullptr;
  const std::shared_ptr<Module> module;
  const Kernel& kernel;
  const BarrierKinds barriers;
  std::atomic<std::size_t> max_dynamic_shared;
  std::atomic<int> shared_carveout{-1};
  /// Launches of at most this many threads took no time when they ran last.
  std::atomic<std::uint64_t> quick_threads{0};
  /// Of a kernel_time_by_arguments: the call (LaunchCommand::call_) that took no time, or 0.
  std::atomic<std::uint64_t> quick_call{0};

  unsigned max_threads() const {
    return kernel.max_threads != 0 ? kernel.max_threads : max_threads_per_block;
  }
};

/// What cuFuncGetAttribute and cuFuncSetAttribute do.
CUresult attribute_of(const Function& function, CUfunction_attribute attribute, int& value);
CUresult set_attribute_of(Function& function, CUfunction_attribute attribute, int value);

/// Blocks of this shape that one worker can hold at a time, as CUDA counts them for a
/// multiprocessor.
int blocks_per_multiprocessor(const Function& function, int block_size, std::size_t dynamic_shared);

using ModuleHandles = HandleRegistry<Module, CUmodule, HandleKind::module>;
using FunctionHandles = HandleRegistry<Function, CUfunction, HandleKind::function>;
ModuleHandles& module_handles();
FunctionHandles& function_handles();

/// The handle of a kernel of the module, made when first asked for.
CUfunction function_handle(const std::shared_ptr<Module>& module, const Kernel& kernel);
/// Waits for the module's context, and takes the module and its functions out of the registries.
void unload_module(const std::shared_ptr<Module>& module);
/// The function behind a handle, or behind that of a library's kernel in the current context. A
/// kernel that was left for later may have no code. Null for anything else.
std::shared_ptr<Function> named_function(CUfunction handle);
/// The function behind a handle, with its code: a kernel that was left for later is compiled here.
CUresult find_function(CUfunction handle, std::shared_ptr<Function>& function);

}  // namespace treadle::cuda_cpu

// SPDX-License-Identifier: MIT
#include "cuda_cpu/runtime/module.hpp"

#include <algorithm>
#include <cstring>

#include "cuda_cpu/runtime/global_accesses.hpp"
#include "cuda_cpu/runtime/kernel_checks.hpp"
#include "cuda_cpu/runtime/library.hpp"
#include "cuda_cpu/runtime/memory.hpp"
#include "cuda_cpu/runtime/process.hpp"
#include "cuda_cpu/runtime/stream_order.hpp"
#include "treadle/process/warning.hpp"

namespace treadle::cuda_cpu {

Module::Module(std::shared_ptr<Context> owner, std::unique_ptr<LoadedCode> loaded)
    : context(std::move(owner)), code_(std::move(loaded)), parts_(*code_) {
  for (const Global& global : std::span(descriptor().globals, descriptor().global_count)) {
    const auto base = reinterpret_cast<std::uintptr_t>(global.address);
    const bool added = global.size > 0 && add_memory({.base = base,
                                                      .size = global.size,
                                                      .kind = MemoryKind::global,
                                                      .flags = 0,
                                                      .id = 0,
                                                      .context = context,
                                                      .site = {}});
    if (added) known_globals_.push_back(base);  // not a second name of the same variable
  }
  for (const Kernel& kernel : std::span(descriptor().kernels, descriptor().kernel_count)) {
    note_loaded_kernel(*context, (kernel.flags & kernel_notes_writes) != 0);
    if ((kernel.flags & kernel_checks_races) != 0) track_stream_order();
  }
}

Module::~Module() {
  if (kernels_are_checked())
    forget_accesses_at([this](const CheckedAccess* access) {
      return holds_constant(reinterpret_cast<std::uintptr_t>(access));
    });
  for (const std::uintptr_t base : known_globals_) remove_memory(base, {MemoryKind::global});
}

const Kernel* Module::kernel(std::string_view name) const {
  const auto all = std::span(descriptor().kernels, descriptor().kernel_count);
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Kernel& k) { return name == k.name; });
  return found == all.end() ? nullptr : &*found;
}

bool Module::holds_constant(std::uintptr_t address) const {
  return code_->holds(address) || parts_.hold(address);
}

const Global* Module::global(std::string_view name) const {
  const auto all = std::span(descriptor().globals, descriptor().global_count);
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Global& g) { return name == g.name; });
  return found == all.end() ? nullptr : &*found;
}

std::string Module::unbound_references() const {
  /// As kernels/cuda/treadle/texture_references.h begins one.
  struct Reference {
    std::uint64_t object;
    std::uint32_t mark;
    std::uint8_t more[12];
  };
  static_assert(sizeof(Reference) == 24);
  constexpr std::uint32_t expected_mark = 0x66657274;  // "tref"
  std::string names;
  for (const Global& global : std::span(descriptor().globals, descriptor().global_count)) {
    if (global.size != sizeof(Reference)) continue;
    Reference reference{};
    std::memcpy(&reference, global.address, sizeof reference);
    if (reference.mark != expected_mark || reference.object != 0) continue;
    names += (names.empty() ? "" : ", ") + std::string(global.name);
  }
  return names;
}

Function::Function(std::shared_ptr<Module> owner, const Kernel& code)
    : module(std::move(owner)),
      kernel(code),
      barriers(barrier_kinds(code)),
      max_dynamic_shared(shared_per_block -
                         std::min<std::size_t>(shared_per_block, code.static_shared)) {}

ModuleHandles& module_handles() {
  static ModuleHandles* const handles = new ModuleHandles;
  return *handles;
}

FunctionHandles& function_handles() {
  static FunctionHandles* const handles = new FunctionHandles;
  return *handles;
}

CUfunction function_handle(const std::shared_ptr<Module>& module, const Kernel& kernel) {
  const std::lock_guard lock(module->functions_mutex);
  CUfunction& handle = module->functions[&kernel];
  if (handle == nullptr) {
    auto function = std::make_shared<Function>(module, kernel);
    handle = function_handles().insert(function);
    function->handle = handle;
  }
  return handle;
}

std::shared_ptr<Function> named_function(CUfunction handle) {
  if (auto function = function_handles().find(handle)) return function;
  return function_handles().find(library_function(handle));
}

CUresult find_function(CUfunction handle, std::shared_ptr<Function>& function) {
  function = named_function(handle);
  if (!function) return CUDA_ERROR_INVALID_HANDLE;
  if ((function->kernel.flags & kernel_is_deferred) == 0) return CUDA_SUCCESS;
  const std::shared_ptr<Module> module = function->module;
  LoadFailure failure;
  const Kernel* const complete = module->complete(function->kernel, failure);
  if (complete == nullptr) {
    warn(std::string("kernel ") + function->kernel.name +
         " could not be compiled: " + failure.text);
    return failure.code;
  }
  const std::lock_guard lock(module->functions_mutex);
  handle = function->handle;
  function = function_handles().find(handle);  // another thread may have come first
  if (!function) return CUDA_ERROR_INVALID_HANDLE;
  if ((function->kernel.flags & kernel_is_deferred) == 0) return CUDA_SUCCESS;
  function = std::make_shared<Function>(module, *complete);
  function->handle = handle;
  function_handles().replace(handle, function);
  return CUDA_SUCCESS;
}

}  // namespace treadle::cuda_cpu

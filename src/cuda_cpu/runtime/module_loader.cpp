// SPDX-License-Identifier: MIT
// Entry points for modules and what is in them.
#include <optional>
#include <span>

#include "cuda_cpu/runtime/entry.hpp"
#include "cuda_cpu/runtime/jit_log.hpp"
#include "cuda_cpu/runtime/module.hpp"
#include "cuda_cpu/runtime/module_source.hpp"
#include "cuda_cpu/runtime/printing.hpp"
#include "cuda_cpu/runtime/scheduler.hpp"

using namespace treadle::cuda_cpu;

namespace {

CUresult load(const std::shared_ptr<Context>& context, const void* image,
              std::optional<std::size_t> size, CUmodule* handle, LoadFailure& failure) {
  auto code = load_source(image, size, failure);
  if (!code) return failure.code;
  auto module = std::make_shared<Module>(context, std::move(code));
  module->handle = module_handles().insert(module);
  *handle = module->handle;
  return CUDA_SUCCESS;
}

template <class Body>
CUresult with_module(CUmodule handle, Body&& body) {
  return with_context([&](const auto& context) -> CUresult {
    const auto module = module_handles().find(handle);
    if (!module || module->context != context) return CUDA_ERROR_INVALID_HANDLE;
    return body(module);
  });
}

}  // namespace

void treadle::cuda_cpu::unload_module(const std::shared_ptr<Module>& module) {
  Scheduler::instance().wait_all(*module->context);  // nothing of it may run any more
  flush_printed();
  function_handles().remove_if([&](const Function& function) { return function.module == module; });
  module_handles().remove(module->handle);
}

CUresult cuModuleLoad(CUmodule* handle, const char* path) {
  return with_context([&](const auto& context) -> CUresult {
    if (handle == nullptr || path == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const auto bytes = read_module_file(path);
    if (!bytes) return CUDA_ERROR_FILE_NOT_FOUND;
    LoadFailure failure;
    return load(context, bytes->c_str(), bytes->size(), handle, failure);
  });
}

CUresult cuModuleLoadDataEx(CUmodule* handle, const void* image, unsigned count,
                            CUjit_option* options, void** values) {
  return with_context([&](const auto& context) -> CUresult {
    if (handle == nullptr || image == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const JitOptionList list{count, options, values};
    if (!good_jit_options(list)) return CUDA_ERROR_INVALID_VALUE;
    JitLog errors(list, CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
    JitLog notes(list, CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES);
    LoadFailure failure;
    const CUresult result = load(context, image, std::nullopt, handle, failure);
    errors.write(failure.text);
    notes.write("");
    return result;
  });
}

CUresult cuModuleLoadData(CUmodule* handle, const void* image) {
  return cuModuleLoadDataEx(handle, image, 0, nullptr, nullptr);
}
CUresult cuModuleLoadFatBinary(CUmodule* handle, const void* image) {
  return cuModuleLoadData(handle, image);
}

CUresult cuModuleUnload(CUmodule handle) {
  return with_module(handle, [&](const auto& module) -> CUresult {
    unload_module(module);
    return CUDA_SUCCESS;
  });
}

CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode* mode) {
  return with_process([&]() -> CUresult {
    if (mode == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *mode = CU_MODULE_EAGER_LOADING;
    return CUDA_SUCCESS;
  });
}

CUresult cuModuleGetFunction(CUfunction* function, CUmodule handle, const char* name) {
  return with_module(handle, [&](const auto& module) -> CUresult {
    if (function == nullptr || name == nullptr || *name == '\0') return CUDA_ERROR_INVALID_VALUE;
    const Kernel* kernel = module->kernel(name);
    if (kernel == nullptr) return CUDA_ERROR_NOT_FOUND;
    const CUfunction found = function_handle(module, *kernel);
    std::shared_ptr<Function> complete;
    const CUresult failure = find_function(found, complete);
    if (failure == CUDA_SUCCESS) *function = found;
    return failure;
  });
}

CUresult cuModuleGetFunctionCount(unsigned* count, CUmodule handle) {
  return with_module(handle, [&](const auto& module) -> CUresult {
    if (count == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *count = module->descriptor().kernel_count;
    return CUDA_SUCCESS;
  });
}

CUresult cuModuleEnumerateFunctions(CUfunction* functions, unsigned count, CUmodule handle) {
  return with_module(handle, [&](const auto& module) -> CUresult {
    if (functions == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const auto all = std::span(module->descriptor().kernels, module->descriptor().kernel_count);
    for (std::size_t i = 0; i < all.size() && i < count; ++i)
      functions[i] = function_handle(module, all[i]);
    return CUDA_SUCCESS;
  });
}

CUresult cuModuleGetGlobal(CUdeviceptr* pointer, size_t* bytes, CUmodule handle, const char* name) {
  return with_module(handle, [&](const auto& module) -> CUresult {
    if (name == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const Global* global = module->global(name);
    if (global == nullptr) return CUDA_ERROR_NOT_FOUND;
    if (pointer != nullptr) *pointer = reinterpret_cast<CUdeviceptr>(global->address);
    if (bytes != nullptr) *bytes = global->size;
    return CUDA_SUCCESS;
  });
}

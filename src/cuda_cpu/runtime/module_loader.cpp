// SPDX-License-Identifier: MIT
// Entry points for modules and what is in them.
#include <sys/stat.h>

#include <cstring>
#include <fstream>
#include <iterator>

#include "cuda_cpu/runtime/entry.hpp"
#include "cuda_cpu/runtime/module.hpp"
#include "cuda_cpu/runtime/printing.hpp"
#include "cuda_cpu/runtime/scheduler.hpp"

using namespace treadle::cuda_cpu;

namespace {

CUresult load(const std::shared_ptr<Context>& context, const void* image,
              std::optional<std::size_t> size, CUmodule* handle, LoadFailure& failure) {
  auto code = load_image(image, size, failure);
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

/// The two log buffers a caller may give: text goes in, the size option is set to the bytes
/// written.
class JitLog {
 public:
  JitLog(unsigned count, CUjit_option* options, void** values, CUjit_option buffer,
         CUjit_option size) {
    for (unsigned i = 0; i < count; ++i) {
      if (options[i] == buffer) buffer_ = static_cast<char*>(values[i]);
      if (options[i] == size) size_ = &values[i];
    }
  }
  void write(const std::string& text) {
    if (size_ == nullptr) return;
    const auto room =
        static_cast<std::size_t>(reinterpret_cast<std::uintptr_t>(*size_) & 0xffffffffu);
    const std::size_t copied =
        buffer_ == nullptr || room == 0 ? 0 : std::min(text.size(), room - 1);
    if (buffer_ != nullptr && room > 0) {
      std::memcpy(buffer_, text.data(), copied);
      buffer_[copied] = '\0';
    }
    *size_ = reinterpret_cast<void*>(copied);
  }

 private:
  char* buffer_ = nullptr;
  void** size_ = nullptr;
};

}  // namespace

CUresult cuModuleLoad(CUmodule* handle, const char* path) {
  return with_context([&](const auto& context) -> CUresult {
    if (handle == nullptr || path == nullptr) return CUDA_ERROR_INVALID_VALUE;
    struct stat status{};
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode)) return CUDA_ERROR_FILE_NOT_FOUND;
    std::ifstream file(path, std::ios::binary);
    if (!file) return CUDA_ERROR_FILE_NOT_FOUND;
    std::string bytes(std::istreambuf_iterator<char>(file), {});
    LoadFailure failure;
    return load(context, bytes.c_str(), bytes.size(), handle, failure);
  });
}

CUresult cuModuleLoadDataEx(CUmodule* handle, const void* image, unsigned count,
                            CUjit_option* options, void** values) {
  return with_context([&](const auto& context) -> CUresult {
    if (handle == nullptr || image == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (count > 0 && (options == nullptr || values == nullptr)) return CUDA_ERROR_INVALID_VALUE;
    // Nobody gives more options than there are: a negative count, or none at all.
    if (count > CU_JIT_NUM_OPTIONS) return CUDA_ERROR_INVALID_VALUE;
    JitLog errors(count, options, values, CU_JIT_ERROR_LOG_BUFFER,
                  CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
    JitLog notes(count, options, values, CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES);
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
    Scheduler::instance().wait_all(*module->context);  // nothing of it may run any more
    flush_printed();
    function_handles().remove_if(
        [&](const Function& function) { return function.module == module; });
    module_handles().remove(handle);
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
    *function = function_handle(module, *kernel);
    return CUDA_SUCCESS;
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

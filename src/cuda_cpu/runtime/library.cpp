// SPDX-License-Identifier: MIT
#include "cuda_cpu/runtime/library.hpp"

#include <algorithm>
#include <span>

#include "cuda_cpu/runtime/entry.hpp"
#include "cuda_cpu/runtime/jit_log.hpp"
#include "cuda_cpu/runtime/module_source.hpp"

namespace treadle::cuda_cpu {

LibraryHandles& library_handles() {
  static LibraryHandles* const handles = new LibraryHandles;
  return *handles;
}

LibraryKernelHandles& library_kernel_handles() {
  static LibraryKernelHandles* const handles = new LibraryKernelHandles;
  return *handles;
}

const Kernel* Library::kernel(std::string_view name) const {
  const auto all = std::span(descriptor().kernels, descriptor().kernel_count);
  const auto found = std::ranges::find_if(all, [&](const Kernel& k) { return name == k.name; });
  return found == all.end() ? nullptr : &*found;
}

CUkernel Library::kernel_handle(const Kernel& kernel) {
  const std::lock_guard lock(mutex_);
  CUkernel& known = kernels_[&kernel];
  if (known == nullptr)
    known = library_kernel_handles().insert(
        std::make_shared<LibraryKernel>(shared_from_this(), kernel));
  return known;
}

CUresult Library::module_in(const std::shared_ptr<Context>& context,
                            std::shared_ptr<Module>& module) {
  const std::lock_guard lock(mutex_);
  CUmodule& known = modules_[context->id];
  // The context may have been destroyed meanwhile, or the module unloaded by its handle.
  module = module_handles().find(known);
  if (module) return CUDA_SUCCESS;
  LoadFailure failure;
  auto code = load_image(image_.data(), image_.size(), failure);
  if (!code) return failure.code;
  module = std::make_shared<Module>(context, std::move(code));
  known = module->handle = module_handles().insert(module);
  return CUDA_SUCCESS;
}

void Library::unload() {
  std::map<std::uint64_t, CUmodule> modules;
  {
    const std::lock_guard lock(mutex_);
    modules.swap(modules_);
  }
  for (const auto& [context, loaded] : modules)
    if (const auto module = module_handles().find(loaded)) unload_module(module);
  library_kernel_handles().remove_if(
      [this](const LibraryKernel& kernel) { return kernel.library.get() == this; });
}

CUresult LibraryKernel::function_in(const std::shared_ptr<Context>& context, CUfunction& found) {
  std::shared_ptr<Module> module;
  if (const CUresult failure = library->module_in(context, module); failure != CUDA_SUCCESS)
    return failure;
  const CUfunction handle = function_handle(module, *module->kernel(kernel.name));
  std::shared_ptr<Function> function;
  if (const CUresult failure = find_function(handle, function); failure != CUDA_SUCCESS)
    return failure;
  const std::lock_guard lock(mutex_);
  if (functions_.insert(handle).second)
    for (const auto& [attribute, value] : settings_) set_attribute_of(*function, attribute, value);
  found = handle;
  return CUDA_SUCCESS;
}

/// Makes model_. The caller holds the mutex.
CUresult LibraryKernel::find_model() {
  if (model_) return CUDA_SUCCESS;
  const Kernel* complete = &kernel;
  LoadFailure failure;
  if ((kernel.flags & kernel_is_deferred) != 0) complete = library->complete(kernel, failure);
  if (complete == nullptr) return failure.code;
  model_ = std::make_unique<Function>(nullptr, *complete);
  return CUDA_SUCCESS;
}

CUresult LibraryKernel::attribute(CUfunction_attribute attribute, int& value) {
  const std::lock_guard lock(mutex_);
  const CUresult failure = find_model();
  return failure != CUDA_SUCCESS ? failure : attribute_of(*model_, attribute, value);
}

CUresult LibraryKernel::set_attribute(CUfunction_attribute attribute, int value) {
  const std::lock_guard lock(mutex_);
  if (const CUresult failure = find_model(); failure != CUDA_SUCCESS) return failure;
  if (const CUresult failure = set_attribute_of(*model_, attribute, value); failure != CUDA_SUCCESS)
    return failure;
  settings_[attribute] = value;
  for (const CUfunction handle : functions_)
    if (const auto function = function_handles().find(handle))
      set_attribute_of(*function, attribute, value);
  return CUDA_SUCCESS;
}

CUfunction library_function(CUfunction handle) {
  const auto kernel = library_kernel_handles().find(reinterpret_cast<CUkernel>(handle));
  std::shared_ptr<Context> context;
  if (!kernel || enter(context) != CUDA_SUCCESS) return nullptr;
  CUfunction found = nullptr;
  return kernel->function_in(context, found) == CUDA_SUCCESS ? found : nullptr;
}

namespace {

CUresult load_library(CUlibrary* handle, const void* source, std::optional<std::size_t> size,
                      LoadFailure& failure) {
  std::vector<char> image;
  auto code = load_source(source, size, failure, &image);
  if (!code) return failure.code;
  auto library = std::make_shared<Library>(std::move(image), std::move(code));
  library->handle = library_handles().insert(library);
  *handle = library->handle;
  return CUDA_SUCCESS;
}

/// Options that say when and how to load change nothing here; an array that cannot be read does.
bool good_library_options(unsigned count, const CUlibraryOption* options) {
  return count <= CU_LIBRARY_NUM_OPTIONS && (count == 0 || options != nullptr);
}

template <class Body>
CUresult with_library(CUlibrary handle, Body&& body) {
  return with_process([&]() -> CUresult {
    const auto library = library_handles().find(handle);
    return library ? body(*library) : CUDA_ERROR_INVALID_HANDLE;
  });
}

template <class Body>
CUresult with_kernel(CUkernel handle, Body&& body) {
  return with_process([&]() -> CUresult {
    const auto kernel = library_kernel_handles().find(handle);
    return kernel ? body(*kernel) : CUDA_ERROR_INVALID_HANDLE;
  });
}

CUresult find_variable(const std::shared_ptr<Context>& context, Library& library, const char* name,
                       CUdeviceptr* pointer, std::size_t* bytes) {
  if (name == nullptr) return CUDA_ERROR_INVALID_VALUE;
  std::shared_ptr<Module> module;
  if (const CUresult failure = library.module_in(context, module); failure != CUDA_SUCCESS)
    return failure;
  const Global* const global = module->global(name);
  if (global == nullptr) return CUDA_ERROR_NOT_FOUND;
  if (pointer != nullptr) *pointer = reinterpret_cast<CUdeviceptr>(global->address);
  if (bytes != nullptr) *bytes = global->size;
  return CUDA_SUCCESS;
}

}  // namespace
}  // namespace treadle::cuda_cpu

using namespace treadle::cuda_cpu;

CUresult cuLibraryLoadData(CUlibrary* handle, const void* code, CUjit_option* options,
                           void** values, unsigned count, CUlibraryOption* library_options, void**,
                           unsigned library_count) {
  return with_process([&]() -> CUresult {
    if (handle == nullptr || code == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const JitOptionList list{count, options, values};
    if (!good_jit_options(list) || !good_library_options(library_count, library_options))
      return CUDA_ERROR_INVALID_VALUE;
    JitLog errors(list, CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
    JitLog notes(list, CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES);
    LoadFailure failure;
    const CUresult result = load_library(handle, code, std::nullopt, failure);
    errors.write(failure.text);
    notes.write("");
    return result;
  });
}

CUresult cuLibraryLoadFromFile(CUlibrary* handle, const char* path, CUjit_option* options,
                               void** values, unsigned count, CUlibraryOption* library_options,
                               void**, unsigned library_count) {
  return with_process([&]() -> CUresult {
    if (handle == nullptr || path == nullptr || !good_jit_options({count, options, values}) ||
        !good_library_options(library_count, library_options))
      return CUDA_ERROR_INVALID_VALUE;
    const auto bytes = read_module_file(path);
    if (!bytes) return CUDA_ERROR_FILE_NOT_FOUND;
    LoadFailure failure;
    return load_library(handle, bytes->c_str(), bytes->size(), failure);
  });
}

CUresult cuLibraryUnload(CUlibrary handle) {
  return with_process([&]() -> CUresult {
    const auto library = library_handles().remove(handle);
    if (!library) return CUDA_ERROR_INVALID_HANDLE;
    library->unload();
    return CUDA_SUCCESS;
  });
}

CUresult cuLibraryGetKernel(CUkernel* kernel, CUlibrary handle, const char* name) {
  return with_library(handle, [&](Library& library) -> CUresult {
    if (kernel == nullptr || name == nullptr || *name == '\0') return CUDA_ERROR_INVALID_VALUE;
    const Kernel* const found = library.kernel(name);
    if (found == nullptr) return CUDA_ERROR_NOT_FOUND;
    *kernel = library.kernel_handle(*found);
    return CUDA_SUCCESS;
  });
}

CUresult cuLibraryGetKernelCount(unsigned* count, CUlibrary handle) {
  return with_library(handle, [&](const Library& library) -> CUresult {
    if (count == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *count = library.descriptor().kernel_count;
    return CUDA_SUCCESS;
  });
}

CUresult cuLibraryEnumerateKernels(CUkernel* kernels, unsigned count, CUlibrary handle) {
  return with_library(handle, [&](Library& library) -> CUresult {
    if (kernels == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const auto all = std::span(library.descriptor().kernels, library.descriptor().kernel_count);
    for (std::size_t i = 0; i < all.size() && i < count; ++i)
      kernels[i] = library.kernel_handle(all[i]);
    return CUDA_SUCCESS;
  });
}

CUresult cuLibraryGetModule(CUmodule* module, CUlibrary handle) {
  return with_context([&](const auto& context) -> CUresult {
    const auto library = library_handles().find(handle);
    if (!library) return CUDA_ERROR_INVALID_HANDLE;
    if (module == nullptr) return CUDA_ERROR_INVALID_VALUE;
    std::shared_ptr<Module> found;
    const CUresult result = library->module_in(context, found);
    if (result == CUDA_SUCCESS) *module = found->handle;
    return result;
  });
}

CUresult cuLibraryGetGlobal(CUdeviceptr* pointer, size_t* bytes, CUlibrary handle,
                            const char* name) {
  return with_context([&](const auto& context) -> CUresult {
    const auto library = library_handles().find(handle);
    return library ? find_variable(context, *library, name, pointer, bytes)
                   : CUDA_ERROR_INVALID_HANDLE;
  });
}

/// The compiler keeps no note of `__managed__`: every variable is one that the host can read, too.
CUresult cuLibraryGetManaged(CUdeviceptr* pointer, size_t* bytes, CUlibrary handle,
                             const char* name) {
  return cuLibraryGetGlobal(pointer, bytes, handle, name);
}

CUresult cuLibraryGetUnifiedFunction(void** function, CUlibrary handle, const char* name) {
  return with_library(handle, [&](const Library&) -> CUresult {
    if (function == nullptr || name == nullptr) return CUDA_ERROR_INVALID_VALUE;
    return CUDA_ERROR_NOT_FOUND;  // the CPU device's compiler makes none
  });
}

// ---- kernels

CUresult cuKernelGetFunction(CUfunction* function, CUkernel handle) {
  return with_context([&](const auto& context) -> CUresult {
    const auto kernel = library_kernel_handles().find(handle);
    if (!kernel) return CUDA_ERROR_INVALID_HANDLE;
    return function == nullptr ? CUDA_ERROR_INVALID_VALUE : kernel->function_in(context, *function);
  });
}

CUresult cuKernelGetLibrary(CUlibrary* library, CUkernel handle) {
  return with_kernel(handle, [&](const LibraryKernel& kernel) -> CUresult {
    if (library == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *library = kernel.library->handle;
    return CUDA_SUCCESS;
  });
}

CUresult cuKernelGetName(const char** name, CUkernel handle) {
  return with_kernel(handle, [&](const LibraryKernel& kernel) -> CUresult {
    if (name == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *name = kernel.kernel.name;
    return CUDA_SUCCESS;
  });
}

CUresult cuKernelGetParamInfo(CUkernel handle, size_t index, size_t* offset, size_t* size) {
  return with_kernel(handle, [&](const LibraryKernel& kernel) -> CUresult {
    if (offset == nullptr || index >= kernel.kernel.parameter_count)
      return CUDA_ERROR_INVALID_VALUE;
    *offset = kernel.kernel.parameters[index].offset;
    if (size != nullptr) *size = kernel.kernel.parameters[index].size;
    return CUDA_SUCCESS;
  });
}

CUresult cuKernelGetAttribute(int* value, CUfunction_attribute attribute, CUkernel handle,
                              CUdevice device) {
  return with_kernel(handle, [&](LibraryKernel& kernel) -> CUresult {
    if (device != 0) return CUDA_ERROR_INVALID_DEVICE;
    return value == nullptr ? CUDA_ERROR_INVALID_VALUE : kernel.attribute(attribute, *value);
  });
}

CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel handle,
                              CUdevice device) {
  return with_kernel(handle, [&](LibraryKernel& kernel) -> CUresult {
    return device != 0 ? CUDA_ERROR_INVALID_DEVICE : kernel.set_attribute(attribute, value);
  });
}

CUresult cuKernelSetCacheConfig(CUkernel handle, CUfunc_cache config, CUdevice device) {
  return with_kernel(handle, [&](const LibraryKernel&) -> CUresult {
    if (device != 0) return CUDA_ERROR_INVALID_DEVICE;
    return config < CU_FUNC_CACHE_PREFER_NONE || config > CU_FUNC_CACHE_PREFER_EQUAL
               ? CUDA_ERROR_INVALID_VALUE
               : CUDA_SUCCESS;
  });
}

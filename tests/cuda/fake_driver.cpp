// SPDX-License-Identifier: MIT
#include "cuda/fake_driver.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>

#include "treadle/process/warning.hpp"

namespace treadle::cuda::fake {
namespace {

std::mutex guard;

/// The contexts that are current on a thread. Without a destructor: a thread that ends may still
/// ask while its other objects are destroyed, as with a real driver.
struct CurrentStack {
  bool empty() const { return size == 0; }
  RawContext& back() { return entries[size - 1]; }
  void push_back(RawContext raw) { entries[size++] = raw; }
  void pop_back() { --size; }
  void clear() { size = 0; }
  std::array<RawContext, 64> entries;
  std::size_t size;
};
thread_local CurrentStack current_stack;

// Handles are numbers; none is ever followed.
template <class Raw>
Raw handle(std::size_t number) {
  return reinterpret_cast<Raw>(number);
}
constexpr std::size_t primary_number = 100;

/// Records a call and says how it ends.
CUresult enter(const char* name, const std::string& arguments = "") {
  const std::lock_guard lock(guard);
  state().calls.push_back(std::string(name) + "(" + arguments + ")");
  if (++state().entered == state().fail_call) return static_cast<CUresult>(state().fail_code);
  const auto failure = state().fail_next.find(name);
  if (failure == state().fail_next.end()) return CUDA_SUCCESS;
  const auto code = static_cast<CUresult>(failure->second);
  state().fail_next.erase(failure);
  return code;
}

#define ENTER(...) \
  if (const CUresult code = enter(__VA_ARGS__); code != CUDA_SUCCESS) return code

std::string number(const void* raw) {
  return std::to_string(reinterpret_cast<std::uintptr_t>(raw));
}

void add_device_calls(Table& t) {
  t.cuInit = [](unsigned) -> CUresult { return enter("cuInit"); };
  t.cuDriverGetVersion = [](int* version) -> CUresult {
    *version = 12040;
    return CUDA_SUCCESS;
  };
  t.cuDeviceGetCount = [](int* count) -> CUresult {
    *count = 2;
    return enter("cuDeviceGetCount");
  };
  t.cuDeviceGet = [](CUdevice* device, int ordinal) -> CUresult {
    ENTER("cuDeviceGet");
    *device = ordinal;
    return ordinal >= 0 && ordinal < 2 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
  };
  t.cuDeviceGetName = [](char* name, int size, CUdevice) -> CUresult {
    std::strncpy(name, "Fake", static_cast<std::size_t>(size));
    return CUDA_SUCCESS;
  };
  t.cuDeviceGetAttribute = [](int* value, CUdevice_attribute attribute, CUdevice) -> CUresult {
    const std::map<int, int> values = {
        {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024},
        {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, 1024},
        {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, 1024},
        {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, 64},
        {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, 2147483647},
        {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, 65535},
        {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, 65535},
        {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, 65536},
        {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 100},
        {CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT, 512},
        {CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT, 32},
        {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 99000},
        {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 9},
        {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0}};
    const auto found = values.find(attribute);
    if (found == values.end()) return CUDA_ERROR_INVALID_VALUE;
    *value = found->second;
    return CUDA_SUCCESS;
  };
  t.cuGetErrorName = [](CUresult code, const char** name) -> CUresult {
    *name = code == CUDA_ERROR_OUT_OF_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY" : nullptr;
    return *name != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  };
  t.cuGetErrorString = [](CUresult code, const char** text) -> CUresult {
    *text = code == CUDA_ERROR_OUT_OF_MEMORY   ? "out of memory"
            : code == CUDA_ERROR_INVALID_VALUE ? "invalid argument"
                                               : nullptr;
    return *text != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  };
  t.last_fault = [](CUcontext) -> const char* { return state().fault.c_str(); };
}

void add_context_calls(Table& t) {
  t.cuCtxCreate_v2 = [](CUcontext* raw, unsigned, CUdevice) -> CUresult {
    ENTER("cuCtxCreate");
    *raw = handle<RawContext>(static_cast<std::size_t>(++state().contexts_made));
    current_stack.push_back(*raw);
    return CUDA_SUCCESS;
  };
  t.cuCtxDestroy = [](CUcontext raw) -> CUresult { return enter("cuCtxDestroy", number(raw)); };
  t.cuDevicePrimaryCtxRetain = [](CUcontext* raw, CUdevice device) -> CUresult {
    ENTER("cuDevicePrimaryCtxRetain");
    ++state().primary_references;
    *raw = handle<RawContext>(primary_number + static_cast<std::size_t>(device));
    return CUDA_SUCCESS;
  };
  t.cuDevicePrimaryCtxRelease = [](CUdevice) -> CUresult {
    ENTER("cuDevicePrimaryCtxRelease");
    --state().primary_references;
    return CUDA_SUCCESS;
  };
  t.cuDevicePrimaryCtxGetState = [](CUdevice, unsigned* flags, int* active) -> CUresult {
    *flags = 0;
    *active = 1;
    return CUDA_SUCCESS;
  };
  t.cuCtxPushCurrent = [](CUcontext raw) -> CUresult {
    ENTER("cuCtxPushCurrent", number(raw));
    current_stack.push_back(raw);
    return CUDA_SUCCESS;
  };
  t.cuCtxPopCurrent = [](CUcontext* raw) -> CUresult {
    ENTER("cuCtxPopCurrent");
    if (current_stack.empty()) return CUDA_ERROR_INVALID_CONTEXT;
    *raw = current_stack.back();
    current_stack.pop_back();
    return CUDA_SUCCESS;
  };
  t.cuCtxGetCurrent = [](CUcontext* raw) -> CUresult {
    *raw = current_stack.empty() ? nullptr : current_stack.back();
    return CUDA_SUCCESS;
  };
  t.cuCtxGetDevice = [](CUdevice* device) -> CUresult {
    *device = 0;
    return CUDA_SUCCESS;
  };
  t.cuCtxSynchronize = []() -> CUresult { return enter("cuCtxSynchronize"); };
}

void add_stream_calls(Table& t) {
  t.cuStreamCreate = [](CUstream* raw, unsigned) -> CUresult {
    *raw = handle<RawStream>(7 + static_cast<std::size_t>(state().streams_made++));
    return enter("cuStreamCreate");
  };
  t.cuStreamDestroy = [](CUstream) -> CUresult { return enter("cuStreamDestroy"); };
  t.cuStreamSynchronize = [](CUstream) -> CUresult { return enter("cuStreamSynchronize"); };
  t.cuStreamIsCapturing = [](CUstream, CUstreamCaptureStatus* status) -> CUresult {
    *status = CU_STREAM_CAPTURE_STATUS_NONE;
    return CUDA_SUCCESS;
  };
  t.cuStreamQuery = [](CUstream) -> CUresult { return enter("cuStreamQuery"); };
  t.cuThreadExchangeStreamCaptureMode = [](CUstreamCaptureMode*) -> CUresult {
    return CUDA_SUCCESS;
  };
  t.cuStreamWaitEvent = [](CUstream stream, CUevent, unsigned) -> CUresult {
    return enter("cuStreamWaitEvent", number(stream));
  };
  t.cuEventCreate = [](CUevent* raw, unsigned) -> CUresult {
    *raw = handle<RawEvent>(8);
    return enter("cuEventCreate");
  };
  t.cuEventDestroy = [](CUevent) -> CUresult { return enter("cuEventDestroy"); };
  t.cuEventRecord = [](CUevent, CUstream stream) -> CUresult {
    return enter("cuEventRecord", number(stream));
  };
  t.cuEventSynchronize = [](CUevent) -> CUresult { return enter("cuEventSynchronize"); };
  t.cuEventQuery = [](CUevent) -> CUresult { return enter("cuEventQuery"); };
  t.cuEventElapsedTime_v1 = [](float* milliseconds, CUevent, CUevent) -> CUresult {
    *milliseconds = 1.5f;
    return enter("cuEventElapsedTime");
  };
}

void* allocate(std::size_t size) {
  auto bytes = std::make_unique<std::byte[]>(size);
  void* const address = bytes.get();
  const std::lock_guard lock(guard);
  state().allocations.emplace(address, std::move(bytes));
  return address;
}

void release(const void* address) {
  const std::lock_guard lock(guard);
  state().allocations.erase(address);
}

void add_memory_calls(Table& t) {
  t.cuMemAlloc = [](CUdeviceptr* address, std::size_t size) -> CUresult {
    ENTER("cuMemAlloc");
    if (size == 0) return CUDA_ERROR_INVALID_VALUE;
    if (size > std::size_t{1} << 40) return CUDA_ERROR_OUT_OF_MEMORY;
    *address = reinterpret_cast<CUdeviceptr>(allocate(size));
    return CUDA_SUCCESS;
  };
  t.cuMemAllocManaged = [](CUdeviceptr* address, std::size_t size, unsigned) -> CUresult {
    ENTER("cuMemAllocManaged");
    *address = reinterpret_cast<CUdeviceptr>(allocate(size));
    return CUDA_SUCCESS;
  };
  t.cuMemFree = [](CUdeviceptr address) -> CUresult {
    release(reinterpret_cast<const void*>(address));
    return enter("cuMemFree", current_stack.empty() ? "none" : number(current_stack.back()));
  };
  t.cuMemcpyHtoD = [](CUdeviceptr to, const void* from, std::size_t size) -> CUresult {
    ENTER("cuMemcpyHtoD");
    if (size > 0) std::memcpy(reinterpret_cast<void*>(to), from, size);
    return CUDA_SUCCESS;
  };
  t.cuMemcpyDtoH = [](void* to, CUdeviceptr from, std::size_t size) -> CUresult {
    ENTER("cuMemcpyDtoH");
    if (size > 0) std::memcpy(to, reinterpret_cast<const void*>(from), size);
    return CUDA_SUCCESS;
  };
  t.cuMemcpyHtoDAsync = [](CUdeviceptr to, const void* from, std::size_t size,
                           CUstream stream) -> CUresult {
    ENTER("cuMemcpyHtoDAsync", number(stream));
    std::memcpy(reinterpret_cast<void*>(to), from, size);
    return CUDA_SUCCESS;
  };
  t.cuMemHostAlloc = [](void** data, std::size_t size, unsigned) -> CUresult {
    ENTER("cuMemHostAlloc");
    *data = allocate(size);
    return CUDA_SUCCESS;
  };
  t.cuMemFreeHost = [](void* data) -> CUresult {
    release(data);
    return enter("cuMemFreeHost");
  };
  t.cuMemHostRegister = [](void*, std::size_t, unsigned) -> CUresult {
    return enter("cuMemHostRegister");
  };
  t.cuMemHostUnregister = [](void*) -> CUresult { return enter("cuMemHostUnregister"); };
}

/// An array is its descriptor, a texture or surface a number.
void add_array_calls(Table& t) {
  t.cuArray3DCreate = [](CUarray* raw, const CUDA_ARRAY3D_DESCRIPTOR* descriptor) -> CUresult {
    ENTER("cuArray3DCreate");
    void* const made = allocate(sizeof *descriptor);
    std::memcpy(made, descriptor, sizeof *descriptor);
    *raw = static_cast<CUarray>(made);
    return CUDA_SUCCESS;
  };
  t.cuArray3DGetDescriptor = [](CUDA_ARRAY3D_DESCRIPTOR* descriptor, CUarray raw) -> CUresult {
    std::memcpy(descriptor, raw, sizeof *descriptor);
    return enter("cuArray3DGetDescriptor");
  };
  t.cuArrayDestroy = [](CUarray raw) -> CUresult {
    release(raw);
    return enter("cuArrayDestroy");
  };
  t.cuTexObjectCreate = [](CUtexObject* raw, const CUDA_RESOURCE_DESC*, const CUDA_TEXTURE_DESC*,
                           const CUDA_RESOURCE_VIEW_DESC*) -> CUresult {
    *raw = ++state().textures_made;
    return enter("cuTexObjectCreate");
  };
  t.cuTexObjectDestroy = [](CUtexObject raw) -> CUresult {
    return enter("cuTexObjectDestroy", std::to_string(raw));
  };
  t.cuSurfObjectCreate = [](CUsurfObject* raw, const CUDA_RESOURCE_DESC*) -> CUresult {
    *raw = ++state().textures_made;
    return enter("cuSurfObjectCreate");
  };
  t.cuSurfObjectDestroy = [](CUsurfObject raw) -> CUresult {
    return enter("cuSurfObjectDestroy", std::to_string(raw));
  };
}

const Kernel* kernel_of(RawFunction raw) {
  const auto index = reinterpret_cast<std::size_t>(raw) - 1;
  return index < state().kernels.size() ? &state().kernels[index] : nullptr;
}

template <class Bytes>
std::vector<std::byte> copy_bytes(const Bytes* data, std::size_t size) {
  const auto* bytes = reinterpret_cast<const std::byte*>(data);
  return {bytes, bytes + size};
}

void add_module_calls(Table& t) {
  t.cuModuleLoadDataEx = [](CUmodule* raw, const void*, unsigned, CUjit_option*,
                            void**) -> CUresult {
    *raw = handle<RawModule>(9);
    return enter("cuModuleLoadDataEx");
  };
  t.cuModuleUnload = [](CUmodule) -> CUresult { return enter("cuModuleUnload"); };
  t.cuModuleGetFunction = [](CUfunction* raw, CUmodule, const char* name) -> CUresult {
    ENTER("cuModuleGetFunction", name);
    for (std::size_t i = 0; i < state().kernels.size(); ++i) {
      if (state().kernels[i].symbol != name) continue;
      *raw = handle<RawFunction>(i + 1);
      return CUDA_SUCCESS;
    }
    return CUDA_ERROR_NOT_FOUND;
  };
  t.cuModuleGetGlobal = [](CUdeviceptr* address, std::size_t* size, CUmodule,
                           const char* name) -> CUresult {
    if (const auto found = state().variables.find(name); found != state().variables.end()) {
      *address = reinterpret_cast<CUdeviceptr>(found->second.data());
      *size = found->second.size();
      return CUDA_SUCCESS;
    }
    *address = 64;
    *size = 4;
    return std::string(name) == "table" ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
  };
  t.cuModuleGetFunctionCount = [](unsigned* count, CUmodule) -> CUresult {
    *count = static_cast<unsigned>(state().kernels.size());
    return CUDA_SUCCESS;
  };
  t.cuModuleEnumerateFunctions = [](CUfunction* functions, unsigned count, CUmodule) -> CUresult {
    for (unsigned i = 0; i < count; ++i) functions[i] = handle<RawFunction>(i + 1);
    return CUDA_SUCCESS;
  };
  t.cuFuncGetName = [](const char** name, CUfunction raw) -> CUresult {
    *name = kernel_of(raw)->symbol.c_str();
    return CUDA_SUCCESS;
  };
  t.cuFuncGetParamInfo = [](CUfunction raw, std::size_t index, std::size_t* offset,
                            std::size_t* size) -> CUresult {
    const Kernel* kernel = kernel_of(raw);
    if (index >= kernel->parameters.size()) return CUDA_ERROR_INVALID_VALUE;
    std::tie(*offset, *size) = kernel->parameters[index];
    return CUDA_SUCCESS;
  };
  t.parameter_info = [](CUfunction raw, std::size_t index, const char** name, const char** type,
                        unsigned* kind) -> CUresult {
    const Kernel* kernel = kernel_of(raw);
    if (index >= kernel->parameter_names.size()) return CUDA_ERROR_INVALID_VALUE;
    *name = kernel->parameter_names[index].c_str();
    *type = "int";
    *kind = 0;
    return CUDA_SUCCESS;
  };
  t.cuFuncGetAttribute = [](int* value, CUfunction_attribute attribute, CUfunction) -> CUresult {
    *value = attribute == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK           ? 512
             : attribute == CU_FUNC_ATTRIBUTE_NUM_REGS                      ? 128
             : attribute == CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES             ? 1000
             : attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES ? 48000
                                                                            : 0;
    return CUDA_SUCCESS;
  };
}

void note_launch(Launch launch, RawFunction raw, void** arguments, void** extra) {
  const Kernel* kernel = kernel_of(raw);
  for (std::size_t i = 0; arguments != nullptr && i < kernel->parameters.size(); ++i)
    launch.arguments.push_back(
        copy_bytes(static_cast<const std::byte*>(arguments[i]), kernel->parameters[i].second));
  if (extra != nullptr)
    launch.packed = copy_bytes(static_cast<const std::byte*>(extra[1]),
                               *static_cast<const std::size_t*>(extra[3]));
  state().launches.push_back(std::move(launch));
}

void add_launch_calls(Table& t) {
  t.cuLaunchKernel = [](CUfunction raw, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                        unsigned by, unsigned bz, unsigned shared, CUstream stream,
                        void** arguments, void** extra) -> CUresult {
    ENTER("cuLaunchKernel", current_stack.empty() ? "none" : number(current_stack.back()));
    note_launch({kernel_of(raw)->symbol, {gx, gy, gz}, {bx, by, bz}, shared, stream, {}, {}}, raw,
                arguments, extra);
    return CUDA_SUCCESS;
  };
  t.cuLaunchKernelEx = [](const CUlaunchConfig* c, CUfunction raw, void** arguments,
                          void** extra) -> CUresult {
    ENTER("cuLaunchKernelEx", current_stack.empty() ? "none" : number(current_stack.back()));
    const bool cooperative = c->numAttrs == 1 && c->attrs->id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE &&
                             c->attrs->value.cooperative == 1;
    note_launch({kernel_of(raw)->symbol,
                 {c->gridDimX, c->gridDimY, c->gridDimZ},
                 {c->blockDimX, c->blockDimY, c->blockDimZ},
                 c->sharedMemBytes,
                 c->hStream,
                 {},
                 {},
                 cooperative},
                raw, arguments, extra);
    return CUDA_SUCCESS;
  };
  t.cuOccupancyMaxActiveBlocksPerMultiprocessor = [](int* blocks, CUfunction, int,
                                                     std::size_t) -> CUresult {
    *blocks = 3;
    return CUDA_SUCCESS;
  };
}

}  // namespace

int State::count(const std::string& name) const {
  return static_cast<int>(std::ranges::count_if(
      calls, [&](const std::string& call) { return call.starts_with(name + "("); }));
}

State& state() {
  static State instance;
  return instance;
}

void reset() {
  state() = {};
  current_stack.clear();
}

std::shared_ptr<Table> make_table() {
  auto table = std::make_shared<Table>();
  add_device_calls(*table);
  add_context_calls(*table);
  add_stream_calls(*table);
  add_memory_calls(*table);
  add_array_calls(*table);
  add_module_calls(*table);
  add_launch_calls(*table);
  return table;
}

Driver driver() {
  static const Driver instance(make_table());
  return instance;
}

Device device() { return {driver(), 0}; }

std::vector<int> driver_stack() {
  std::vector<int> numbers;
  for (std::size_t i = 0; i < current_stack.size; ++i)
    numbers.push_back(number_of(current_stack.entries[i]));
  return numbers;
}

void set_current_foreign(RawContext raw) {
  if (current_stack.empty()) current_stack.push_back(raw);
  current_stack.back() = raw;
}

int number_of(RawContext raw) { return static_cast<int>(reinterpret_cast<std::size_t>(raw)); }

struct Warnings::Store {
  std::mutex mutex;
  std::vector<std::string> texts;
  WarningHandler before;
};

Warnings::Warnings() : store_(std::make_shared<Store>()) {
  store_->before = set_warning_handler([store = store_.get()](std::string_view text) {
    const std::lock_guard lock(store->mutex);
    store->texts.emplace_back(text);
  });
}
Warnings::~Warnings() { set_warning_handler(store_->before); }
std::vector<std::string> Warnings::texts() const {
  const std::lock_guard lock(store_->mutex);
  return store_->texts;
}

}  // namespace treadle::cuda::fake

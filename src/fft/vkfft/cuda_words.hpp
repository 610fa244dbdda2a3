// SPDX-License-Identifier: MIT
// The functions of CUDA that VkFFT calls, each done by the Session of the thread. Included before
// VkFFT, whose own includes of CUDA's headers are empty files.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

#include "fft/vkfft/session.hpp"
#include "treadle/base/error.hpp"

#define CUDA_VERSION 13000

using CUdevice = int;
using CUdeviceptr = unsigned long long;
using cudaStream_t = void*;
using cudaEvent_t = void*;
enum CUresult { CUDA_SUCCESS = 0, CUDA_ERROR_UNKNOWN = 999 };
enum cudaError_t { cudaSuccess = 0, cudaErrorUnknown = 999 };
enum nvrtcResult { NVRTC_SUCCESS = 0, NVRTC_ERROR_COMPILATION = 6 };
enum cudaMemcpyKind { cudaMemcpyHostToDevice = 1, cudaMemcpyDeviceToHost = 2 };
enum CUfunction_attribute { CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8 };
enum CUdevice_attribute {
  CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
  CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X,
  CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y,
  CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z,
  CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X,
  CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y,
  CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
  CU_DEVICE_ATTRIBUTE_WARP_SIZE,
  CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR
};

namespace treadle::fft::vkfft {
namespace {

/// A text on its way to a kernel: VkFFT's program, "binary" and module are all pointers to it.
struct Text {
  std::string text;
  std::unique_ptr<Kernel> kernel = {};  ///< of a module
};

inline CUresult cuda_result(bool succeeded) {
  return succeeded ? CUDA_SUCCESS : CUDA_ERROR_UNKNOWN;
}
inline cudaError_t runtime_result(bool succeeded) {
  return succeeded ? cudaSuccess : cudaErrorUnknown;
}

}  // namespace
}  // namespace treadle::fft::vkfft

using nvrtcProgram = treadle::fft::vkfft::Text*;
using CUmodule = treadle::fft::vkfft::Text*;
using CUfunction = treadle::fft::vkfft::Kernel*;

namespace {

using treadle::fft::vkfft::cuda_result;
using treadle::fft::vkfft::Memory;
using treadle::fft::vkfft::runtime_result;
using treadle::fft::vkfft::Session;
using treadle::fft::vkfft::Text;

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice) {
  const treadle::device::DeviceInfo& info = Session::current().device().info();
  const auto& limits = info.limits;
  const auto number = [&]() -> std::uint64_t {
    switch (attribute) {
      case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        return limits.max_group_items;
      case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X:
        return limits.max_group_size.x;
      case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y:
        return limits.max_group_size.y;
      case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z:
        return limits.max_group_size.z;
      case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X:
        return limits.max_groups.x;
      case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y:
        return limits.max_groups.y;
      case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z:
        return limits.max_groups.z;
      case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK:
        return std::min<std::uint64_t>(limits.local_memory_bytes, 48 << 10);
      // A compute unit shall have two groups at least.
      case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
        return std::min<std::uint64_t>(limits.opt_in_local_memory_bytes, 96 << 10);
      case CU_DEVICE_ATTRIBUTE_WARP_SIZE:
        return info.traits.sub_group_width == 0 ? 32 : info.traits.sub_group_width;
      case CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO:
        return 2;
      case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
        return 9;
      case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
        return 0;
    }
    return 0;
  }();
  *value = static_cast<int>(std::min<std::uint64_t>(number, 0x7fffffff));
  return CUDA_SUCCESS;
}

cudaError_t cudaMalloc(void** memory, std::size_t size_bytes) {
  Session& session = Session::current();
  return runtime_result(session.attempt([&] { *memory = session.allocate(size_bytes); }));
}
cudaError_t cudaFree(void* memory) {
  delete static_cast<Memory*>(memory);
  return cudaSuccess;
}
cudaError_t cudaMemcpy(void* destination, const void* source, std::size_t size_bytes,
                       cudaMemcpyKind kind) {
  Session& session = Session::current();
  return runtime_result(session.attempt([&] {
    if (kind == cudaMemcpyHostToDevice)
      session.upload(*static_cast<Memory*>(destination), source, size_bytes);
    else
      session.download(destination, *static_cast<Memory*>(const_cast<void*>(source)), size_bytes);
  }));
}
cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }  // one stream has all the work
cudaError_t cudaEventCreate(cudaEvent_t*) { return cudaErrorUnknown; }  // of several streams
cudaError_t cudaEventDestroy(cudaEvent_t) { return cudaSuccess; }
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t) { return cudaErrorUnknown; }
cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaErrorUnknown; }

nvrtcResult nvrtcCreateProgram(nvrtcProgram* program, const char* text, const char*, int,
                               const char* const*, const char* const*) {
  *program = new Text{text};
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcCompileProgram(nvrtcProgram, int, const char* const*) { return NVRTC_SUCCESS; }
nvrtcResult nvrtcDestroyProgram(nvrtcProgram* program) {
  delete *program;
  return NVRTC_SUCCESS;
}
const char* nvrtcGetErrorString(nvrtcResult) { return ""; }
nvrtcResult nvrtcGetProgramLog(nvrtcProgram, char* log) {
  *log = '\0';
  return NVRTC_SUCCESS;
}
/// The text is its own binary.
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, std::uint64_t* size) {
  *size = program->text.size() + 1;
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char* binary) {
  std::memcpy(binary, program->text.c_str(), program->text.size() + 1);
  return NVRTC_SUCCESS;
}

CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned, void*, void*) {
  *module = new Text{static_cast<const char*>(image)};
  return CUDA_SUCCESS;
}
CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  Session& session = Session::current();
  return cuda_result(session.attempt([&] {
    module->kernel.reset(session.build(module->text, name));
    *function = module->kernel.get();
  }));
}
CUresult cuModuleUnload(CUmodule module) {
  delete module;
  return CUDA_SUCCESS;
}
// Streams ask for what a launch needs.
CUresult cuFuncSetAttribute(CUfunction, CUfunction_attribute, int) { return CUDA_SUCCESS; }
CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                        cudaStream_t, void** arguments, void**) {
  Session& session = Session::current();
  return cuda_result(session.attempt([&] {
    session.launch(*function,
                   {.groups = {grid_x, grid_y, grid_z},
                    .group_size = {block_x, block_y, block_z},
                    .local_bytes = shared_bytes},
                   arguments);
  }));
}

}  // namespace

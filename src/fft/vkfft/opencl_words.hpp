// SPDX-License-Identifier: MIT
// The functions of OpenCL that VkFFT calls, each done by the Session of the thread. Included before
// VkFFT, whose own include of OpenCL's header is an empty file.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "fft/vkfft/session.hpp"
#include "treadle/base/error.hpp"

using cl_int = std::int32_t;
using cl_uint = std::uint32_t;
using cl_ulong = std::uint64_t;
using cl_platform_id = void*;
using cl_device_id = void*;
using cl_context = void*;
using cl_command_queue = void*;
using cl_mem = void*;

constexpr cl_int CL_SUCCESS = 0;
constexpr cl_int CL_FAILURE = -9999;
constexpr int CL_TRUE = 1;
constexpr int CL_MEM_READ_WRITE = 1;
constexpr int CL_MEM_READ_ONLY = 4;
constexpr int CL_MEM_COPY_HOST_PTR = 32;
enum cl_device_info {
  CL_DEVICE_VENDOR_ID,
  CL_DEVICE_MAX_WORK_GROUP_SIZE,
  CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS,
  CL_DEVICE_MAX_WORK_ITEM_SIZES,
  CL_DEVICE_LOCAL_MEM_SIZE
};
enum cl_program_build_info { CL_PROGRAM_BUILD_LOG };
enum cl_program_info { CL_PROGRAM_BINARY_SIZES, CL_PROGRAM_BINARIES };

namespace treadle::fft::vkfft {
namespace {

/// A program is its text until a kernel of it is made.
struct Text {
  std::string text;
};
/// A kernel, and the arguments of its next launch, of which VkFFT keeps the values.
struct KernelWithArguments {
  Kernel* kernel;
  std::array<const void*, 12> values = {};
  ~KernelWithArguments() { delete kernel; }
};

}  // namespace
}  // namespace treadle::fft::vkfft

using cl_program = treadle::fft::vkfft::Text*;
using cl_kernel = treadle::fft::vkfft::KernelWithArguments*;

namespace {

using treadle::fft::vkfft::KernelWithArguments;
using treadle::fft::vkfft::Memory;
using treadle::fft::vkfft::Session;
using treadle::fft::vkfft::Text;

cl_int opencl_result(bool succeeded) { return succeeded ? CL_SUCCESS : CL_FAILURE; }

template <class T>
void store(void* value, T number) {
  std::memcpy(value, &number, sizeof number);
}

cl_int clGetDeviceInfo(cl_device_id, cl_device_info what, std::size_t, void* value, std::size_t*) {
  const treadle::device::DeviceInfo& info = Session::current().device().info();
  const auto& limits = info.limits;
  switch (what) {
    case CL_DEVICE_VENDOR_ID: {
      // Of VkFFT's three; others are treated alike.
      cl_uint vendor = 0;
      if (info.name.find("NVIDIA") != std::string::npos) vendor = 0x10DE;
      if (info.name.find("AMD") != std::string::npos &&
          info.kind == treadle::device::DeviceKind::gpu)
        vendor = 0x1002;
      store(value, vendor);
      break;
    }
    case CL_DEVICE_MAX_WORK_GROUP_SIZE:
      // NVIDIA's compiler allows larger groups only to kernels of few registers.
      store(value, std::min<std::size_t>(limits.max_group_items, 256));
      break;
    case CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS:
      store(value, cl_uint{3});
      break;
    case CL_DEVICE_MAX_WORK_ITEM_SIZES: {
      const std::size_t sizes[] = {limits.max_group_size.x, limits.max_group_size.y,
                                   limits.max_group_size.z};
      std::memcpy(value, sizes, sizeof sizes);
      break;
    }
    case CL_DEVICE_LOCAL_MEM_SIZE:
      store(value, std::min<cl_ulong>(limits.local_memory_bytes, 48 << 10));
      break;
  }
  return CL_SUCCESS;
}

cl_mem clCreateBuffer(cl_context, int flags, std::size_t size_bytes, void* source, cl_int* result) {
  Session& session = Session::current();
  Memory* memory = nullptr;
  *result = opencl_result(session.attempt([&] {
    memory = session.allocate(size_bytes);
    if ((flags & CL_MEM_COPY_HOST_PTR) != 0) session.upload(*memory, source, size_bytes);
  }));
  return memory;
}
cl_int clReleaseMemObject(cl_mem memory) {
  delete static_cast<Memory*>(memory);
  return CL_SUCCESS;
}
cl_command_queue clCreateCommandQueue(cl_context, cl_device_id, int, cl_int* result) {
  *result = CL_SUCCESS;
  return &Session::current();
}
cl_int clReleaseCommandQueue(cl_command_queue) { return CL_SUCCESS; }
cl_int clFinish(cl_command_queue) { return CL_SUCCESS; }  // one stream has all the work
cl_int clEnqueueWriteBuffer(cl_command_queue, cl_mem memory, int, std::size_t,
                            std::size_t size_bytes, const void* source, cl_uint, void*, void*) {
  Session& session = Session::current();
  return opencl_result(
      session.attempt([&] { session.upload(*static_cast<Memory*>(memory), source, size_bytes); }));
}
cl_int clEnqueueReadBuffer(cl_command_queue, cl_mem memory, int, std::size_t,
                           std::size_t size_bytes, void* destination, cl_uint, void*, void*) {
  Session& session = Session::current();
  return opencl_result(session.attempt(
      [&] { session.download(destination, *static_cast<Memory*>(memory), size_bytes); }));
}

cl_program clCreateProgramWithSource(cl_context, cl_uint, const char** texts,
                                     const std::size_t* lengths, cl_int* result) {
  *result = CL_SUCCESS;
  return new Text{std::string(texts[0], lengths[0])};
}
cl_program clCreateProgramWithBinary(cl_context, cl_uint, const cl_device_id*, const std::size_t*,
                                     const unsigned char**, cl_int*, cl_int* result) {
  *result = CL_FAILURE;
  return nullptr;
}
cl_int clBuildProgram(cl_program, cl_uint, const cl_device_id*, const char*, void*, void*) {
  return CL_SUCCESS;
}
cl_int clGetProgramBuildInfo(cl_program, cl_device_id, cl_program_build_info, std::size_t, void*,
                             std::size_t*) {
  return CL_FAILURE;
}
cl_int clGetProgramInfo(cl_program, cl_program_info, std::size_t, void*, std::size_t*) {
  return CL_FAILURE;
}
cl_int clReleaseProgram(cl_program program) {
  delete program;
  return CL_SUCCESS;
}
cl_kernel clCreateKernel(cl_program program, const char* name, cl_int* result) {
  Session& session = Session::current();
  cl_kernel kernel = nullptr;
  *result = opencl_result(session.attempt(
      [&] { kernel = new KernelWithArguments{session.build(program->text, name)}; }));
  return kernel;
}
cl_int clReleaseKernel(cl_kernel kernel) {
  delete kernel;
  return CL_SUCCESS;
}
cl_int clSetKernelArg(cl_kernel kernel, cl_uint index, std::size_t, const void* value) {
  kernel->values[index] = value;
  return CL_SUCCESS;
}
cl_int clEnqueueNDRangeKernel(cl_command_queue, cl_kernel kernel, cl_uint, const std::size_t*,
                              const std::size_t* global, const std::size_t* local, cl_uint, void*,
                              void*) {
  Session& session = Session::current();
  const auto size = [&](int k) { return static_cast<unsigned>(local[k]); };
  const auto groups = [&](int k) { return static_cast<unsigned>(global[k] / local[k]); };
  return opencl_result(session.attempt([&] {
    session.launch(
        *kernel->kernel,
        {.groups = {groups(0), groups(1), groups(2)}, .group_size = {size(0), size(1), size(2)}},
        const_cast<void* const*>(kernel->values.data()));
  }));
}

}  // namespace

// SPDX-License-Identifier: MIT
#include "opencl/fake_platform.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>

namespace treadle::opencl::fake {
namespace {

std::mutex guard;

/// Records a call and says how it ends.
cl_int enter(const std::string& name, const std::string& arguments = "") {
  const std::lock_guard lock(guard);
  state().calls.push_back(name + "(" + arguments + ")");
  const auto failure = state().fail.find(name);
  return failure == state().fail.end() ? CL_SUCCESS : failure->second;
}

// Handles are numbers; none is ever followed.
template <class Raw>
Raw object(std::uintptr_t number = 16) {
  return reinterpret_cast<Raw>(number);
}

template <class Raw>
Raw made(const std::string& name, cl_int* code) {
  *code = enter(name);
  return *code == CL_SUCCESS ? object<Raw>() : nullptr;
}

template <class T>
cl_int answer(const T* data, std::size_t bytes, std::size_t size, void* out, std::size_t* needed) {
  if (needed != nullptr) *needed = bytes;
  if (out != nullptr) std::memcpy(out, data, std::min(size, bytes));
  return CL_SUCCESS;
}
cl_int answer_text(const std::string& text, std::size_t size, void* out, std::size_t* needed) {
  return answer(text.c_str(), text.size() + 1, size, out, needed);
}
template <class T>
cl_int answer_value(T value, std::size_t size, void* out, std::size_t* needed) {
  return answer(&value, sizeof value, size, out, needed);
}

void add_platform_calls(Table& t) {
  t.clGetPlatformIDs = [](cl_uint, cl_platform_id* ids, cl_uint* count) -> cl_int {
    if (count != nullptr) *count = 1;
    if (ids != nullptr) *ids = object<cl_platform_id>();
    return enter("clGetPlatformIDs");
  };
  t.clGetPlatformInfo = [](cl_platform_id, cl_platform_info parameter, std::size_t size, void* out,
                           std::size_t* needed) -> cl_int {
    return answer_text(parameter == CL_PLATFORM_VERSION ? state().version : "Fake", size, out,
                       needed);
  };
  t.clGetDeviceIDs = [](cl_platform_id, cl_device_type, cl_uint, cl_device_id* ids,
                        cl_uint* count) -> cl_int {
    if (count != nullptr) *count = 1;
    if (ids != nullptr) *ids = object<cl_device_id>();
    return enter("clGetDeviceIDs");
  };
  t.clGetDeviceInfo = [](cl_device_id, cl_device_info, std::size_t size, void* out,
                         std::size_t* needed) -> cl_int {
    return answer_text("Fake device", size, out, needed);
  };
  t.clUnloadCompiler = []() -> cl_int { return enter("clUnloadCompiler"); };
  t.clUnloadPlatformCompiler = [](cl_platform_id) -> cl_int {
    return enter("clUnloadPlatformCompiler");
  };
  t.clGetExtensionFunctionAddressForPlatform = [](cl_platform_id, const char*) -> void* {
    return nullptr;
  };
  t.clGetExtensionFunctionAddress = [](const char*) -> void* { return nullptr; };
}

void add_context_calls(Table& t) {
  t.clCreateContext = [](const cl_context_properties*, cl_uint, const cl_device_id*, auto, void*,
                         cl_int* code) { return made<cl_context>("clCreateContext", code); };
  t.clReleaseContext = [](cl_context) -> cl_int { return enter("clReleaseContext"); };
  t.clCreateCommandQueue = [](cl_context, cl_device_id, cl_command_queue_properties, cl_int* code) {
    return made<cl_command_queue>("clCreateCommandQueue", code);
  };
  t.clCreateCommandQueueWithProperties = [](cl_context, cl_device_id, const cl_queue_properties*,
                                            cl_int* code) {
    return made<cl_command_queue>("clCreateCommandQueueWithProperties", code);
  };
  t.clReleaseCommandQueue = [](cl_command_queue) -> cl_int { return CL_SUCCESS; };
  t.clRetainCommandQueue = [](cl_command_queue) -> cl_int { return CL_SUCCESS; };
  t.clReleaseEvent = [](cl_event) -> cl_int { return enter("clReleaseEvent"); };
}

void add_ordering_calls(Table& t) {
  t.clEnqueueMarker = [](cl_command_queue, cl_event* event) -> cl_int {
    *event = object<cl_event>();
    return enter("clEnqueueMarker");
  };
  t.clEnqueueBarrier = [](cl_command_queue) -> cl_int { return enter("clEnqueueBarrier"); };
  t.clEnqueueWaitForEvents = [](cl_command_queue, cl_uint count, const cl_event*) -> cl_int {
    return enter("clEnqueueWaitForEvents", std::to_string(count));
  };
}

void add_program_calls(Table& t) {
  t.clCreateProgramWithSource = [](cl_context, cl_uint, const char**, const std::size_t*,
                                   cl_int* code) {
    return made<cl_program>("clCreateProgramWithSource", code);
  };
  t.clCreateProgramWithIL = [](cl_context, const void*, std::size_t bytes, cl_int* code) {
    *code = enter("clCreateProgramWithIL", std::to_string(bytes));
    return *code == CL_SUCCESS ? object<cl_program>() : nullptr;
  };
  t.clCreateProgramWithBuiltInKernels = [](cl_context, cl_uint, const cl_device_id*,
                                           const char* names, cl_int* code) {
    *code = enter("clCreateProgramWithBuiltInKernels", names);
    return *code == CL_SUCCESS ? object<cl_program>() : nullptr;
  };
  t.clSetProgramSpecializationConstant = [](cl_program, cl_uint id, std::size_t bytes,
                                            const void* value) -> cl_int {
    int number = 0;
    std::memcpy(&number, value, std::min(bytes, sizeof number));
    return enter("clSetProgramSpecializationConstant",
                 std::to_string(id) + ", " + std::to_string(number));
  };
  t.clCreateProgramWithILKHR = [](cl_context, const void*, std::size_t, cl_int* code) {
    return made<cl_program>("clCreateProgramWithILKHR", code);
  };
  t.clReleaseProgram = [](cl_program) -> cl_int { return CL_SUCCESS; };
  t.clBuildProgram = [](cl_program, cl_uint, const cl_device_id*, const char* options, auto,
                        void*) -> cl_int { return enter("clBuildProgram", options); };
  t.clGetProgramBuildInfo = [](cl_program, cl_device_id, cl_program_build_info, std::size_t size,
                               void* out, std::size_t* needed) -> cl_int {
    if (const cl_int code = enter("clGetProgramBuildInfo"); code != CL_SUCCESS) return code;
    return answer_text(state().build_log, size, out, needed);
  };
  t.clGetProgramInfo = [](cl_program, cl_program_info, std::size_t size, void* out,
                          std::size_t* needed) -> cl_int {
    if (const cl_int code = enter("clGetProgramInfo"); code != CL_SUCCESS) return code;
    return answer_text(state().source, size, out, needed);
  };
}

void add_kernel_calls(Table& t) {
  t.clCreateKernel = [](cl_program, const char*, cl_int* code) {
    return made<cl_kernel>("clCreateKernel", code);
  };
  t.clReleaseKernel = [](cl_kernel) -> cl_int { return enter("clReleaseKernel"); };
  t.clRetainKernel = [](cl_kernel) -> cl_int { return CL_SUCCESS; };
  t.clGetKernelInfo = [](cl_kernel, cl_kernel_info parameter, std::size_t size, void* out,
                         std::size_t* needed) -> cl_int {
    if (parameter == CL_KERNEL_NUM_ARGS)
      return answer_value(static_cast<cl_uint>(state().argument_count), size, out, needed);
    return answer_text("fake", size, out, needed);
  };
  t.clGetKernelArgInfo = [](auto...) -> cl_int { return CL_KERNEL_ARG_INFO_NOT_AVAILABLE; };
  t.clGetKernelWorkGroupInfo = [](auto...) -> cl_int { return CL_INVALID_VALUE; };
  t.clSetKernelArg = [](cl_kernel, cl_uint index, std::size_t, const void*) -> cl_int {
    return enter("clSetKernelArg", std::to_string(index));
  };
  t.clSetKernelArgSVMPointer = [](cl_kernel, cl_uint index, const void*) -> cl_int {
    return enter("clSetKernelArgSVMPointer", std::to_string(index));
  };
  t.clEnqueueNDRangeKernel = [](cl_command_queue, cl_kernel, cl_uint dimensions, const std::size_t*,
                                const std::size_t*, const std::size_t*, cl_uint, const cl_event*,
                                cl_event* event) -> cl_int {
    if (event != nullptr) *event = object<cl_event>();
    return enter("clEnqueueNDRangeKernel", std::to_string(dimensions));
  };
}

}  // namespace

int State::count(const std::string& name) const {
  return static_cast<int>(std::ranges::count_if(
      calls, [&](const std::string& call) { return call.starts_with(name + "("); }));
}

State& state() {
  static State& instance = *new State;
  return instance;
}
void reset() { state() = State(); }

std::shared_ptr<Table> make_table() {
  auto table = std::make_shared<Table>();
  add_platform_calls(*table);
  add_context_calls(*table);
  add_ordering_calls(*table);
  add_program_calls(*table);
  add_kernel_calls(*table);
  return table;
}

Device device() {
  return {load_platform_table(*make_table(), object<cl_platform_id>()), object<cl_device_id>(),
          Ownership::adopt};
}

}  // namespace treadle::opencl::fake

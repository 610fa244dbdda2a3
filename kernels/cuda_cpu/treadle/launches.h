// SPDX-License-Identifier: MIT
// The device run-time of CUDA: launches from kernels, with streams and events. Read before texts that are compiled
// with -rdc=true, as nvcc asks for it. Calls answer with the numbers that the run-time's errors have.
#pragma once

#ifdef __TREADLE_LAUNCHES
// A kernel that others may name: kernel_launches.hpp of the compiler says why.
#undef __global__
#define __global__ __attribute__((device, annotate("treadle-kernel")))
#endif

enum {
  cudaErrorInvalidValue = 1,
  cudaErrorMemoryAllocation = 2,
  cudaErrorInitializationError = 3,
  cudaErrorInvalidConfiguration = 9,
  cudaErrorLaunchMaxDepthExceeded = 65,
  cudaErrorSyncDepthExceeded = 68,
  cudaErrorLaunchPendingCountExceeded = 69,
  cudaErrorInvalidDeviceFunction = 98,
  cudaErrorInvalidResourceHandle = 400,
  cudaErrorLaunchOutOfResources = 701,
  cudaErrorNotSupported = 801,
  cudaErrorUnknown = 999
};
enum { cudaStreamDefault = 0, cudaStreamNonBlocking = 1 };
enum { cudaEventDefault = 0, cudaEventBlockingSync = 1, cudaEventDisableTiming = 2 };
typedef struct CUevent_st* cudaEvent_t;

#define cudaStreamLegacy ((cudaStream_t)0x1)
#define cudaStreamPerThread ((cudaStream_t)0x2)
#define cudaStreamTailLaunch ((cudaStream_t)0x3)
#define cudaStreamFireAndForget ((cudaStream_t)0x4)

/// What RuntimeCall of module_abi.h numbers.
enum __treadle_call {
  __treadle_call_launch,
  __treadle_call_synchronize,
  __treadle_call_take_error,
  __treadle_call_peek_error,
  __treadle_call_create_stream,
  __treadle_call_destroy_stream,
  __treadle_call_create_event,
  __treadle_call_destroy_event,
  __treadle_call_record_event,
  __treadle_call_wait_event
};

extern "C" __device__ int __treadle_runtime_call(unsigned what, unsigned long long a,
                                                 unsigned long long b, unsigned long long c,
                                                 unsigned long long d, unsigned long long e);

#define __TREADLE_LOW(a, b) ((unsigned long long)(b) << 32 | (unsigned long long)(a))
#define __TREADLE_NUMBER(pointer) ((unsigned long long)(pointer))

/// Behind a call of a kernel, which has only kept its arguments.
__TREADLE_FUNCTION void __treadle_launch(dim3 grid, dim3 block, size_t shared = 0,
                                         cudaStream_t stream = 0) {
  __treadle_runtime_call(__treadle_call_launch, __TREADLE_LOW(grid.x, grid.y),
                         __TREADLE_LOW(grid.z, block.x), __TREADLE_LOW(block.y, block.z), shared,
                         __TREADLE_NUMBER(stream));
}

#undef cudaDeviceSynchronize
__TREADLE_FUNCTION cudaError_t __treadle_device_synchronize() {
  return __treadle_runtime_call(__treadle_call_synchronize, 0, 0, 0, 0, 0);
}
#define cudaDeviceSynchronize __treadle_device_synchronize
__TREADLE_FUNCTION cudaError_t cudaGetLastError() {
  return __treadle_runtime_call(__treadle_call_take_error, 0, 0, 0, 0, 0);
}
__TREADLE_FUNCTION cudaError_t cudaPeekAtLastError() {
  return __treadle_runtime_call(__treadle_call_peek_error, 0, 0, 0, 0, 0);
}
/// A handle goes to memory that the checks do not watch, and from there by a write that they see.
template <class Handle>
__TREADLE_FUNCTION cudaError_t __treadle_create(__treadle_call what, Handle* handle, unsigned flags) {
  Handle made = 0;
  const int error = __treadle_runtime_call(what, __TREADLE_NUMBER(&made), flags, 0, 0, 0);
  if (error == cudaSuccess) *handle = made;
  return error;
}
__TREADLE_FUNCTION cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return __treadle_create(__treadle_call_create_stream, stream, flags);
}
__TREADLE_FUNCTION cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return __treadle_runtime_call(__treadle_call_destroy_stream, __TREADLE_NUMBER(stream), 0, 0, 0,
                                0);
}
__TREADLE_FUNCTION cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return __treadle_create(__treadle_call_create_event, event, flags);
}
__TREADLE_FUNCTION cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return __treadle_runtime_call(__treadle_call_destroy_event, __TREADLE_NUMBER(event), 0, 0, 0, 0);
}
__TREADLE_FUNCTION cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = 0) {
  return __treadle_runtime_call(__treadle_call_record_event, __TREADLE_NUMBER(event),
                                __TREADLE_NUMBER(stream), 0, 0, 0);
}
__TREADLE_FUNCTION cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event,
                                                   unsigned = 0) {
  return __treadle_runtime_call(__treadle_call_wait_event, __TREADLE_NUMBER(stream),
                                __TREADLE_NUMBER(event), 0, 0, 0);
}

/// The memory of kernels' malloc().
template <class T>
__TREADLE_FUNCTION cudaError_t cudaMalloc(T** memory, size_t size) {
  *memory = (T*)malloc(size);
  return *memory == nullptr && size != 0 ? cudaErrorMemoryAllocation : cudaSuccess;
}
template <class T>
__TREADLE_FUNCTION cudaError_t cudaFree(T* memory) {
  free((void*)memory);
  return cudaSuccess;
}
__TREADLE_FUNCTION cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t size, int,
                                               cudaStream_t = 0) {
  memcpy(to, from, size);
  return cudaSuccess;
}
__TREADLE_FUNCTION cudaError_t cudaMemsetAsync(void* to, int value, size_t size, cudaStream_t = 0) {
  memset(to, value, size);
  return cudaSuccess;
}
__TREADLE_FUNCTION cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
__TREADLE_FUNCTION cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}
__TREADLE_FUNCTION const char* cudaGetErrorString(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return "no error";
    case cudaErrorInvalidValue:
      return "invalid argument";
    case cudaErrorMemoryAllocation:
      return "out of memory";
    case cudaErrorInvalidConfiguration:
      return "invalid configuration argument";
    case cudaErrorLaunchMaxDepthExceeded:
      return "launch would exceed maximum depth of nested launches";
    case cudaErrorLaunchPendingCountExceeded:
      return "launch failed because launch would exceed cudaLimitDevRuntimePendingLaunchCount";
    case cudaErrorInvalidDeviceFunction:
      return "invalid device function";
    case cudaErrorInvalidResourceHandle:
      return "invalid resource handle";
    default:
      return "unrecognized error code";
  }
}

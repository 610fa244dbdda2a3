// SPDX-License-Identifier: MIT
// Entry points of the linear copies that have an array at one end. An array has no gaps between its
// rows, so each is a linear copy.
#include "cuda_cpu/runtime/array.hpp"
#include "cuda_cpu/runtime/entry.hpp"

using namespace treadle::cuda_cpu;

namespace {

/// Calls copy(address) with where `size` bytes from `offset` on lie.
template <class CopyCall>
CUresult with_array(CUarray handle, std::size_t offset, std::size_t size, CopyCall&& copy) {
  return with_context([&](const auto&) -> CUresult {
    const auto array = array_handles().find(handle);
    if (!array) return CUDA_ERROR_INVALID_HANDLE;
    if (offset > array->bytes() || size > array->bytes() - offset) return CUDA_ERROR_INVALID_VALUE;
    return copy(CUdeviceptr{array->address() + offset});
  });
}

}  // namespace

CUresult cuMemcpyHtoA(CUarray array, size_t offset, const void* from, size_t size) {
  return with_array(array, offset, size,
                    [&](CUdeviceptr to) { return cuMemcpyHtoD(to, from, size); });
}
CUresult cuMemcpyHtoAAsync(CUarray array, size_t offset, const void* from, size_t size,
                           CUstream stream) {
  return with_array(array, offset, size,
                    [&](CUdeviceptr to) { return cuMemcpyHtoDAsync(to, from, size, stream); });
}
CUresult cuMemcpyAtoH(void* to, CUarray array, size_t offset, size_t size) {
  return with_array(array, offset, size,
                    [&](CUdeviceptr from) { return cuMemcpyDtoH(to, from, size); });
}
CUresult cuMemcpyAtoHAsync(void* to, CUarray array, size_t offset, size_t size, CUstream stream) {
  return with_array(array, offset, size,
                    [&](CUdeviceptr from) { return cuMemcpyDtoHAsync(to, from, size, stream); });
}
CUresult cuMemcpyDtoA(CUarray array, size_t offset, CUdeviceptr from, size_t size) {
  return with_array(array, offset, size,
                    [&](CUdeviceptr to) { return cuMemcpyDtoD(to, from, size); });
}
CUresult cuMemcpyAtoD(CUdeviceptr to, CUarray array, size_t offset, size_t size) {
  return with_array(array, offset, size,
                    [&](CUdeviceptr from) { return cuMemcpyDtoD(to, from, size); });
}
CUresult cuMemcpyAtoA(CUarray to_array, size_t to_offset, CUarray from_array, size_t from_offset,
                      size_t size) {
  return with_array(to_array, to_offset, size, [&](CUdeviceptr to) {
    return with_array(from_array, from_offset, size,
                      [&](CUdeviceptr from) { return cuMemcpyDtoD(to, from, size); });
  });
}

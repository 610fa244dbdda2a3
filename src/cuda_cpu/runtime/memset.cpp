// SPDX-License-Identifier: MIT
// Entry points that fill memory.
#include "cuda_cpu/runtime/entry.hpp"
#include "cuda_cpu/runtime/memory.hpp"
#include "cuda_cpu/runtime/transfer.hpp"

using namespace treadle::cuda_cpu;

namespace {

CUresult fill(CUstream handle, CUdeviceptr to, std::size_t pitch, unsigned element_size,
              std::uint32_t value, std::size_t width, std::size_t height, Blocking blocking) {
  return with_context([&](const auto& context) -> CUresult {
    std::shared_ptr<Stream> stream;
    if (const CUresult failure = resolve_stream(context, handle, stream); failure != CUDA_SUCCESS)
      return failure;
    if (width == 0 || height == 0) return CUDA_SUCCESS;
    std::size_t row = 0, span = 0;
    if (to % element_size != 0 || __builtin_mul_overflow(width, element_size, &row))
      return CUDA_ERROR_INVALID_VALUE;
    if (height > 1 && (pitch < row || pitch % element_size != 0)) return CUDA_ERROR_INVALID_VALUE;
    if (__builtin_mul_overflow(pitch, height - 1, &span) ||
        __builtin_add_overflow(span, row, &span) || !known_memory(to, span))
      return CUDA_ERROR_INVALID_VALUE;
    return submit_fill(stream,
                       {.to = reinterpret_cast<std::byte*>(to),
                        .value = value,
                        .element_size = element_size,
                        .width = width,
                        .height = height,
                        .pitch = pitch},
                       blocking);
  });
}

}  // namespace

CUresult cuMemsetD8(CUdeviceptr to, unsigned char value, size_t count) {
  return fill(nullptr, to, 0, 1, value, count, 1, Blocking::yes);
}
CUresult cuMemsetD16(CUdeviceptr to, unsigned short value, size_t count) {
  return fill(nullptr, to, 0, 2, value, count, 1, Blocking::yes);
}
CUresult cuMemsetD32(CUdeviceptr to, unsigned value, size_t count) {
  return fill(nullptr, to, 0, 4, value, count, 1, Blocking::yes);
}
CUresult cuMemsetD2D8(CUdeviceptr to, size_t pitch, unsigned char value, size_t width,
                      size_t height) {
  return fill(nullptr, to, pitch, 1, value, width, height, Blocking::yes);
}
CUresult cuMemsetD2D16(CUdeviceptr to, size_t pitch, unsigned short value, size_t width,
                       size_t height) {
  return fill(nullptr, to, pitch, 2, value, width, height, Blocking::yes);
}
CUresult cuMemsetD2D32(CUdeviceptr to, size_t pitch, unsigned value, size_t width, size_t height) {
  return fill(nullptr, to, pitch, 4, value, width, height, Blocking::yes);
}
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream stream) {
  return fill(stream, to, 0, 1, value, count, 1, Blocking::no);
}
CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t count, CUstream stream) {
  return fill(stream, to, 0, 2, value, count, 1, Blocking::no);
}
CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count, CUstream stream) {
  return fill(stream, to, 0, 4, value, count, 1, Blocking::no);
}
CUresult cuMemsetD2D8Async(CUdeviceptr to, size_t pitch, unsigned char value, size_t width,
                           size_t height, CUstream stream) {
  return fill(stream, to, pitch, 1, value, width, height, Blocking::no);
}
CUresult cuMemsetD2D16Async(CUdeviceptr to, size_t pitch, unsigned short value, size_t width,
                            size_t height, CUstream stream) {
  return fill(stream, to, pitch, 2, value, width, height, Blocking::no);
}
CUresult cuMemsetD2D32Async(CUdeviceptr to, size_t pitch, unsigned value, size_t width,
                            size_t height, CUstream stream) {
  return fill(stream, to, pitch, 4, value, width, height, Blocking::no);
}

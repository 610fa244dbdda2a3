// SPDX-License-Identifier: MIT
// Entry points that fill memory.
#include <cstring>

#include "cuda_cpu/runtime/entry.hpp"
#include "cuda_cpu/runtime/memory.hpp"
#include "cuda_cpu/runtime/transfer.hpp"

using namespace treadle::cuda_cpu;

namespace {

/// What to write, and the rectangle of elements it goes to.
struct Filling {
  CUdeviceptr to;
  std::uint64_t value;
  unsigned element_size;  ///< bytes
  std::size_t width;      ///< elements
  std::size_t height = 1, pitch = 0;
  std::uint64_t high = 0;  ///< of a value of 16 bytes
};

CUresult fill(const Filling& filling, CUstream handle, Blocking blocking) {
  return with_context([&](const auto& context) -> CUresult {
    std::shared_ptr<Stream> stream;
    if (const CUresult failure = resolve_stream(context, handle, stream); failure != CUDA_SUCCESS)
      return failure;
    const auto [to, value, element_size, width, height, pitch, high] = filling;
    if (width == 0 || height == 0) return CUDA_SUCCESS;
    std::size_t row = 0, span = 0;
    if (to % element_size != 0 || __builtin_mul_overflow(width, element_size, &row))
      return CUDA_ERROR_INVALID_VALUE;
    // The pitch of a single row means nothing and may be anything.
    if (height > 1 && (pitch < row || pitch % element_size != 0)) return CUDA_ERROR_INVALID_VALUE;
    if (__builtin_mul_overflow(pitch, height - 1, &span) ||
        __builtin_add_overflow(span, row, &span) || !known_memory(to, span))
      return CUDA_ERROR_INVALID_VALUE;
    return submit_fill(stream,
                       {.to = reinterpret_cast<std::byte*>(to),
                        .value = value,
                        .high = high,
                        .element_size = element_size,
                        .width = width,
                        .height = height,
                        .pitch = pitch},
                       blocking);
  });
}

}  // namespace

CUresult cuMemsetD8(CUdeviceptr to, unsigned char value, size_t count) {
  return fill({to, value, 1, count}, nullptr, Blocking::yes);
}
CUresult cuMemsetD16(CUdeviceptr to, unsigned short value, size_t count) {
  return fill({to, value, 2, count}, nullptr, Blocking::yes);
}
CUresult cuMemsetD32(CUdeviceptr to, unsigned value, size_t count) {
  return fill({to, value, 4, count}, nullptr, Blocking::yes);
}
CUresult cuMemsetD2D8(CUdeviceptr to, size_t pitch, unsigned char value, size_t width,
                      size_t height) {
  return fill({to, value, 1, width, height, pitch}, nullptr, Blocking::yes);
}
CUresult cuMemsetD2D16(CUdeviceptr to, size_t pitch, unsigned short value, size_t width,
                       size_t height) {
  return fill({to, value, 2, width, height, pitch}, nullptr, Blocking::yes);
}
CUresult cuMemsetD2D32(CUdeviceptr to, size_t pitch, unsigned value, size_t width, size_t height) {
  return fill({to, value, 4, width, height, pitch}, nullptr, Blocking::yes);
}
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream stream) {
  return fill({to, value, 1, count}, stream, Blocking::no);
}
CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t count, CUstream stream) {
  return fill({to, value, 2, count}, stream, Blocking::no);
}
CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count, CUstream stream) {
  return fill({to, value, 4, count}, stream, Blocking::no);
}
CUresult cuMemsetD2D8Async(CUdeviceptr to, size_t pitch, unsigned char value, size_t width,
                           size_t height, CUstream stream) {
  return fill({to, value, 1, width, height, pitch}, stream, Blocking::no);
}
CUresult cuMemsetD2D16Async(CUdeviceptr to, size_t pitch, unsigned short value, size_t width,
                            size_t height, CUstream stream) {
  return fill({to, value, 2, width, height, pitch}, stream, Blocking::no);
}
CUresult cuMemsetD2D32Async(CUdeviceptr to, size_t pitch, unsigned value, size_t width,
                            size_t height, CUstream stream) {
  return fill({to, value, 4, width, height, pitch}, stream, Blocking::no);
}

/// As cuMemsetD32Async for patterns of 8 and 16 bytes, which the driver's own calls do not know.
TREADLE_CPU_EXPORT CUresult treadle_cpu_fill_pattern(CUdeviceptr to, const void* pattern,
                                                     size_t pattern_bytes, size_t count,
                                                     CUstream stream) {
  if (pattern == nullptr || (pattern_bytes != 8 && pattern_bytes != 16))
    return CUDA_ERROR_INVALID_VALUE;
  std::uint64_t words[2] = {};
  std::memcpy(words, pattern, pattern_bytes);
  return fill({.to = to,
               .value = words[0],
               .element_size = static_cast<unsigned>(pattern_bytes),
               .width = count,
               .high = words[1]},
              stream, Blocking::no);
}

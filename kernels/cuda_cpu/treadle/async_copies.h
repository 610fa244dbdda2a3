// SPDX-License-Identifier: MIT
// CUDA's asynchronous copies. Here they are done when the call returns: one thread runs the whole
// block, and no other one could copy meanwhile.
#pragma once

extern "C++" {
namespace cuda {

/// A number of bytes and what it and the addresses are aligned to.
template <size_t alignment>
struct aligned_size_t {
  static constexpr size_t align = alignment;
  size_t value;
  __host__ __device__ explicit aligned_size_t(size_t bytes) : value(bytes) {}
  __host__ __device__ operator size_t() const { return value; }
};

/// The part of thread `rank` of `count`.
__TREADLE_FUNCTION void __treadle_copy_by(size_t rank, size_t count, void* to, const void* from,
                                          size_t bytes) {
  char* target = static_cast<char*>(to);
  const char* source = static_cast<const char*>(from);
  for (size_t i = rank; i < bytes; i += count) target[i] = source[i];
}

}  // namespace cuda
}

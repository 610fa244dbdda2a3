// SPDX-License-Identifier: MIT
// Copies by a whole group. Asynchrony would gain nothing here: they are done when the group waits.
#pragma once

#include <cooperative_groups.h>

extern "C++" {
#ifndef __TREADLE_ALIGNED_SIZE
#define __TREADLE_ALIGNED_SIZE
namespace cuda {
/// A number of bytes and what it and the addresses are aligned to.
template <size_t alignment>
struct aligned_size_t {
  static constexpr size_t align = alignment;
  size_t value;
  __host__ __device__ explicit aligned_size_t(size_t bytes) : value(bytes) {}
  __host__ __device__ operator size_t() const { return value; }
};
}  // namespace cuda
#endif

namespace cooperative_groups {

/// `bytes` is a number or a cuda::aligned_size_t.
template <class Group, class T, class Bytes>
__TREADLE_FUNCTION void memcpy_async(const Group& group, T* to, const T* from, const Bytes& bytes) {
  const size_t end = static_cast<size_t>(bytes), step = group.size();
  char* target = reinterpret_cast<char*>(to);
  const char* source = reinterpret_cast<const char*>(from);
  for (size_t i = group.thread_rank(); i < end; i += step) target[i] = source[i];
}
/// As many elements as both sides have.
template <class Group, class T, class ToCount, class FromCount>
__TREADLE_FUNCTION void memcpy_async(const Group& group, T* to, const ToCount& to_count,
                                     const T* from, const FromCount& from_count) {
  const size_t a = static_cast<size_t>(to_count), b = static_cast<size_t>(from_count);
  memcpy_async(group, to, from, (a < b ? a : b) * sizeof(T));
}
template <class Group>
__TREADLE_FUNCTION void wait(const Group& group) {
  group.sync();
}
template <unsigned stages, class Group>
__TREADLE_FUNCTION void wait_prior(const Group& group) {
  group.sync();
}

}  // namespace cooperative_groups
}

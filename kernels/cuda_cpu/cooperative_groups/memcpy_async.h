// SPDX-License-Identifier: MIT
// Copies by a whole group. Asynchrony would gain nothing here: they are done when the group waits.
#pragma once

#include <cooperative_groups.h>
//
#include "../treadle/async_copies.h"

extern "C++" {
namespace cooperative_groups {

/// `bytes` is a number or a cuda::aligned_size_t.
template <class Group, class T, class Bytes>
__TREADLE_FUNCTION void memcpy_async(const Group& group, T* to, const T* from, const Bytes& bytes) {
  cuda::__treadle_copy_by(group.thread_rank(), group.size(), to, from, static_cast<size_t>(bytes));
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

// SPDX-License-Identifier: MIT
// One value of all values of a tile, or of threads that came together, for each of them.
#pragma once

#include <cooperative_groups.h>
//
#include "../treadle/group_operators.h"

extern "C++" {
namespace cooperative_groups {

template <class Group, class T, class Operator>
__TREADLE_FUNCTION auto reduce(const Group& group, T&& value, Operator&& op)
    -> decltype(op(value, value)) {
  typedef decltype(op(value, value)) Result;
  return __treadle_total(group, static_cast<Result>(value), op);
}

/// Puts the group's result into a cuda::atomic or cuda::atomic_ref: on top of what it holds. Seen
/// by the others once the group has synchronized.
template <class Group, class Atomic, class T, class Operator>
__TREADLE_FUNCTION void reduce_update_async(const Group& group, Atomic& target, T&& value,
                                            Operator&& op) {
  const typename Atomic::value_type result = reduce(group, value, op);
  if (group.thread_rank() == 0) __treadle_update(target, result, op);
}
/// The same in the place of what it holds.
template <class Group, class Atomic, class T, class Operator>
__TREADLE_FUNCTION void reduce_store_async(const Group& group, Atomic& target, T&& value,
                                           Operator&& op) {
  const typename Atomic::value_type result = reduce(group, value, op);
  if (group.thread_rank() == 0) target.store(result);
}

}  // namespace cooperative_groups
}

// SPDX-License-Identifier: MIT
// Running results over the ranks of a tile, or of threads that came together.
#pragma once

#include <cooperative_groups.h>
//
#include "../treadle/group_operators.h"

extern "C++" {
namespace cooperative_groups {

template <class Group, class T, class Operator>
__TREADLE_FUNCTION auto inclusive_scan(const Group& group, T&& value, Operator&& op)
    -> decltype(op(value, value)) {
  typedef decltype(op(value, value)) Result;
  return __treadle_scan(group, static_cast<Result>(value), op);
}
template <class Group, class T>
__TREADLE_FUNCTION typename __treadle_value<T>::type inclusive_scan(const Group& group, T&& value) {
  return inclusive_scan(group, value, plus<typename __treadle_value<T>::type>());
}

/// Of the ranks below this thread's; a value of zeros for the first.
template <class Group, class T, class Operator>
__TREADLE_FUNCTION auto exclusive_scan(const Group& group, T&& value, Operator&& op)
    -> decltype(op(value, value)) {
  typedef decltype(op(value, value)) Result;
  const Result before = __treadle_value_before(group, inclusive_scan(group, value, op));
  return group.thread_rank() == 0 ? Result{} : before;
}
template <class Group, class T>
__TREADLE_FUNCTION typename __treadle_value<T>::type exclusive_scan(const Group& group, T&& value) {
  return exclusive_scan(group, value, plus<typename __treadle_value<T>::type>());
}

/// What an atomic object held before the group's result was put on top of it, for every thread.
template <class Group, class Atomic, class T, class Operator>
__TREADLE_FUNCTION T __treadle_update_by(const Group& group, Atomic& target, T own, Operator&& op) {
  const unsigned last = group.size() - 1u;
  T before{};
  if (group.thread_rank() == last) before = __treadle_update(target, own, op);
  return group.shfl(before, static_cast<int>(last));
}

/// The same on top of what a cuda::atomic or cuda::atomic_ref held, which takes the group's result:
/// groups that do this one after the other make one scan.
template <class Group, class Atomic, class T, class Operator>
__TREADLE_FUNCTION auto inclusive_scan_update(const Group& group, Atomic& target, T&& value,
                                              Operator&& op) -> decltype(op(value, value)) {
  const auto own = inclusive_scan(group, value, op);
  return op(own, __treadle_update_by(group, target, own, op));
}
template <class Group, class Atomic, class T>
__TREADLE_FUNCTION typename __treadle_value<T>::type inclusive_scan_update(const Group& group,
                                                                           Atomic& target,
                                                                           T&& value) {
  return inclusive_scan_update(group, target, value, plus<typename __treadle_value<T>::type>());
}
/// The first thread gets what was there.
template <class Group, class Atomic, class T, class Operator>
__TREADLE_FUNCTION auto exclusive_scan_update(const Group& group, Atomic& target, T&& value,
                                              Operator&& op) -> decltype(op(value, value)) {
  const auto own = inclusive_scan(group, value, op);
  const auto before = __treadle_update_by(group, target, own, op);
  const auto below = __treadle_value_before(group, own);
  return group.thread_rank() == 0 ? before : op(below, before);
}
template <class Group, class Atomic, class T>
__TREADLE_FUNCTION typename __treadle_value<T>::type exclusive_scan_update(const Group& group,
                                                                           Atomic& target,
                                                                           T&& value) {
  return exclusive_scan_update(group, target, value, plus<typename __treadle_value<T>::type>());
}

}  // namespace cooperative_groups
}

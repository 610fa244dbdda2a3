// SPDX-License-Identifier: MIT
// The operators of cooperative_groups::reduce and scans.
#pragma once

extern "C++" {
namespace cooperative_groups {

#define __TREADLE_OPERATOR(name, expression)                         \
  template <class T>                                                 \
  struct name {                                                      \
    __device__ T operator()(T a, T b) const { return (expression); } \
  };
__TREADLE_OPERATOR(plus, a + b)
__TREADLE_OPERATOR(less, b < a ? b : a)
__TREADLE_OPERATOR(greater, a < b ? b : a)
__TREADLE_OPERATOR(bit_and, a& b)
__TREADLE_OPERATOR(bit_or, a | b)
__TREADLE_OPERATOR(bit_xor, a ^ b)
#undef __TREADLE_OPERATOR

template <class T>
struct __treadle_value {
  typedef T type;
};
template <class T>
struct __treadle_value<T&> {
  typedef T type;
};
template <class T>
struct __treadle_value<const T> {
  typedef T type;
};
template <class T>
struct __treadle_value<const T&> {
  typedef T type;
};

/// The values of ranks 0 to this thread's, put together.
template <class Group, class T, class Operator>
__TREADLE_FUNCTION T __treadle_scan(const Group& group, T value, Operator&& op) {
  const unsigned rank = group.thread_rank(), count = group.size();
  for (unsigned step = 1; step < count; step *= 2) {
    const T before = group.shfl_up(value, step);
    if (rank >= step) value = op(before, value);
  }
  return value;
}

/// Puts `value` into what an atomic object holds, by any operator, in one step; returns what was
/// there before.
template <class Atomic, class T, class Operator>
__TREADLE_FUNCTION T __treadle_update(Atomic& target, T value, Operator&& op) {
  T old = target.load();
  while (!target.compare_exchange_weak(old, static_cast<T>(op(old, value)))) {
  }
  return old;
}

}  // namespace cooperative_groups
}

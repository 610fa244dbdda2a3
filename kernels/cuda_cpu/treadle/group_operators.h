// SPDX-License-Identifier: MIT
// The operators of cooperative_groups::reduce and scans.
#pragma once

extern "C++" {
namespace cooperative_groups {

#define __TREADLE_OPERATOR(name, expression, update)                           \
  template <class T>                                                           \
  struct name {                                                                \
    __device__ T operator()(T a, T b) const { return (expression); }           \
    /* What an atomic object does of the same kind; returns what was there. */ \
    template <class Atomic>                                                    \
    __device__ static T __treadle_update(Atomic& target, T value) {            \
      return target.update(value);                                             \
    }                                                                          \
  };
__TREADLE_OPERATOR(plus, a + b, fetch_add)
__TREADLE_OPERATOR(less, b < a ? b : a, fetch_min)
__TREADLE_OPERATOR(greater, a < b ? b : a, fetch_max)
__TREADLE_OPERATOR(bit_and, a& b, fetch_and)
__TREADLE_OPERATOR(bit_or, a | b, fetch_or)
__TREADLE_OPERATOR(bit_xor, a ^ b, fetch_xor)
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

}  // namespace cooperative_groups
}

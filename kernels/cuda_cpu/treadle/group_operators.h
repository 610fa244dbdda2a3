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

template <class Group>
struct __treadle_spans_warps {
  static constexpr bool value = false;
};
template <unsigned count, class Parent>
struct __treadle_spans_warps<thread_block_tile<count, Parent>> {
  static constexpr bool value = count > 32;
};

/// The values of ranks 0 to this thread's, put together. Of several warps each scans its own first.
template <class Group, class T, class Operator>
__TREADLE_FUNCTION T __treadle_scan(const Group& group, T value, Operator&& op) {
  const unsigned rank = group.thread_rank();
  if constexpr (__treadle_spans_warps<Group>::value) {
    const thread_block_tile<32> warp;
    const T own = __treadle_scan(warp, value, op);
    return group.__treadle_meet_with(own, [&](auto value_of) {
      if (rank < 32) return own;
      T before = value_of(31);
      for (unsigned last = 63; last < rank; last += 32) before = op(before, value_of(last));
      return static_cast<T>(op(before, own));
    });
  } else {
    const unsigned count = group.size();
    for (unsigned step = 1; step < count; step *= 2) {
      const T before = group.shfl_up(value, step);
      if (rank >= step) value = op(before, value);
    }
    return value;
  }
}
/// The values of all ranks, put together.
template <class Group, class T, class Operator>
__TREADLE_FUNCTION T __treadle_total(const Group& group, T value, Operator&& op) {
  if constexpr (__treadle_spans_warps<Group>::value) {
    const thread_block_tile<32> warp;
    return group.__treadle_meet_with(__treadle_scan(warp, value, op), [&](auto value_of) {
      T total = value_of(31);
      for (unsigned last = 63; last < group.size(); last += 32) total = op(total, value_of(last));
      return total;
    });
  } else {
    return group.shfl(__treadle_scan(group, value, op), static_cast<int>(group.size()) - 1);
  }
}
/// The value of the rank below this thread's; rank 0 gets its own.
template <class Group, class T>
__TREADLE_FUNCTION T __treadle_value_before(const Group& group, T value) {
  if constexpr (__treadle_spans_warps<Group>::value) {
    const unsigned rank = group.thread_rank();
    return group.__treadle_meet_with(
        value, [=](auto value_of) { return value_of(rank == 0 ? 0 : rank - 1); });
  } else {
    return group.shfl_up(value, 1);
  }
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

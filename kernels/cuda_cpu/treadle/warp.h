// SPDX-License-Identifier: MIT
// Shuffles, votes and matches among the 32 threads of a warp.
//
// Threads exchange through hidden shared memory, one 8-byte slot each:
//   slot[lane] = value;  warp barrier;  result = slot[source];  warp barrier (before the next exchange writes)
// Example, __shfl_down_sync(mask, v, 1): lane 3 reads slot 4; lane 31 keeps its own value.
// `mask` is taken as the promise it is: the lanes named do take part.
#pragma once

__TREADLE_FUNCTION unsigned __treadle_lane() { return __treadle_linear_thread() & 31u; }
__TREADLE_FUNCTION unsigned __laneid() { return __treadle_lane(); }
/// The 32 slots of this thread's warp.
__TREADLE_FUNCTION unsigned long long* __treadle_warp_slots() {
  __shared__ unsigned long long __treadle_exchange[1024];
  return __treadle_exchange + (__treadle_linear_thread() & ~31u);
}

/// The value of lane `source`, or this thread's own where `inside` is false.
template <class T>
__TREADLE_FUNCTION T __treadle_exchange_with(T value, unsigned source, bool inside) {
  static_assert(sizeof(T) <= 8, "a shuffle moves values of 8 bytes at most");
  unsigned long long own = 0;
  __builtin_memcpy(&own, &value, sizeof(T));
  unsigned long long* slots = __treadle_warp_slots();
  slots[__treadle_lane()] = own;
  __syncwarp();
  const unsigned long long other = slots[inside ? source & 31u : __treadle_lane()];
  __syncwarp();
  T result;
  __builtin_memcpy(&result, &other, sizeof(T));
  return result;
}

template <class T>
__TREADLE_FUNCTION T __shfl_sync(unsigned, T value, int source, int width = 32) {
  const unsigned mask = static_cast<unsigned>(width) - 1u;
  const unsigned lane = __treadle_lane();
  return __treadle_exchange_with(value, (lane & ~mask) | (static_cast<unsigned>(source) & mask), true);
}
template <class T>
__TREADLE_FUNCTION T __shfl_up_sync(unsigned, T value, unsigned delta, int width = 32) {
  const unsigned lane = __treadle_lane();
  const unsigned place = lane & (static_cast<unsigned>(width) - 1u);
  return __treadle_exchange_with(value, lane - delta, place >= delta);
}
template <class T>
__TREADLE_FUNCTION T __shfl_down_sync(unsigned, T value, unsigned delta, int width = 32) {
  const unsigned lane = __treadle_lane();
  const unsigned place = lane & (static_cast<unsigned>(width) - 1u);
  return __treadle_exchange_with(value, lane + delta, place + delta < static_cast<unsigned>(width));
}
template <class T>
__TREADLE_FUNCTION T __shfl_xor_sync(unsigned, T value, int lane_mask, int width = 32) {
  const unsigned lane = __treadle_lane();
  const unsigned source = lane ^ static_cast<unsigned>(lane_mask);
  // A later segment is out of reach, an earlier one may be read.
  const unsigned segment_end = (lane | (static_cast<unsigned>(width) - 1u)) + 1u;
  return __treadle_exchange_with(value, source, source < segment_end);
}

/// The lanes whose `predicate` holds.
__TREADLE_FUNCTION unsigned __ballot_sync(unsigned mask, int predicate) {
  __shared__ unsigned __treadle_votes[32];
  const unsigned lane = __treadle_lane();
  unsigned* votes = &__treadle_votes[__treadle_linear_thread() >> 5];
  __syncwarp();
  *votes = 0;
  __syncwarp();
  if (predicate) __sync_fetch_and_or(votes, 1u << lane);
  __syncwarp();
  const unsigned result = *votes & mask;
  __syncwarp();
  return result;
}
__TREADLE_FUNCTION unsigned __activemask() { return __ballot_sync(0xffffffffu, 1); }
__TREADLE_FUNCTION int __any_sync(unsigned mask, int predicate) {
  return __ballot_sync(mask, predicate) != 0;
}
__TREADLE_FUNCTION int __all_sync(unsigned mask, int predicate) {
  return __ballot_sync(mask, !predicate) == 0;
}
__TREADLE_FUNCTION int __uni_sync(unsigned mask, int predicate) {
  const unsigned votes = __ballot_sync(mask, predicate);
  return votes == 0 || votes == (__activemask() & mask);
}

/// The lanes of `mask` that hold the same value.
template <class T>
__TREADLE_FUNCTION unsigned __match_any_sync(unsigned mask, T value) {
  unsigned long long own = 0;
  __builtin_memcpy(&own, &value, sizeof(T));
  unsigned long long* slots = __treadle_warp_slots();
  slots[__treadle_lane()] = own;
  __syncwarp();
  unsigned same = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (mask >> lane & 1u && slots[lane] == own) same |= 1u << lane;
  }
  __syncwarp();
  return same;
}
template <class T>
__TREADLE_FUNCTION unsigned __match_all_sync(unsigned mask, T value, int* all) {
  *all = __match_any_sync(mask, value) == mask;
  return *all ? mask : 0u;
}

/// Reductions over the lanes of `mask`, in the order of the lanes.
#define __TREADLE_WARP_REDUCTION(name, type, step)                                  \
  __TREADLE_FUNCTION type name(unsigned mask, type value) {                         \
    unsigned long long* slots = __treadle_warp_slots();                             \
    slots[__treadle_lane()] = static_cast<unsigned long long>(value);               \
    __syncwarp();                                                                   \
    type sum = value;                                                               \
    for (unsigned lane = 0; lane < 32; ++lane) {                                    \
      if (!(mask >> lane & 1u) || lane == __treadle_lane()) continue;               \
      const type next = static_cast<type>(slots[lane]);                             \
      sum = (step);                                                                 \
    }                                                                               \
    __syncwarp();                                                                   \
    return sum;                                                                     \
  }
__TREADLE_WARP_REDUCTION(__reduce_add_sync, int, sum + next)
__TREADLE_WARP_REDUCTION(__reduce_add_sync, unsigned, sum + next)
__TREADLE_WARP_REDUCTION(__reduce_min_sync, int, next < sum ? next : sum)
__TREADLE_WARP_REDUCTION(__reduce_min_sync, unsigned, next < sum ? next : sum)
__TREADLE_WARP_REDUCTION(__reduce_max_sync, int, next > sum ? next : sum)
__TREADLE_WARP_REDUCTION(__reduce_max_sync, unsigned, next > sum ? next : sum)
__TREADLE_WARP_REDUCTION(__reduce_and_sync, unsigned, sum & next)
__TREADLE_WARP_REDUCTION(__reduce_or_sync, unsigned, sum | next)
__TREADLE_WARP_REDUCTION(__reduce_xor_sync, unsigned, sum ^ next)
#undef __TREADLE_WARP_REDUCTION

// The forms without a mask, from before CUDA 9: sources for PyCUDA still use them.
template <class T>
__TREADLE_FUNCTION T __shfl(T value, int source, int width = 32) {
  return __shfl_sync(0xffffffffu, value, source, width);
}
template <class T>
__TREADLE_FUNCTION T __shfl_up(T value, unsigned delta, int width = 32) {
  return __shfl_up_sync(0xffffffffu, value, delta, width);
}
template <class T>
__TREADLE_FUNCTION T __shfl_down(T value, unsigned delta, int width = 32) {
  return __shfl_down_sync(0xffffffffu, value, delta, width);
}
template <class T>
__TREADLE_FUNCTION T __shfl_xor(T value, int lane_mask, int width = 32) {
  return __shfl_xor_sync(0xffffffffu, value, lane_mask, width);
}
__TREADLE_FUNCTION unsigned __ballot(int predicate) { return __ballot_sync(0xffffffffu, predicate); }
__TREADLE_FUNCTION int __any(int predicate) { return __any_sync(0xffffffffu, predicate); }
__TREADLE_FUNCTION int __all(int predicate) { return __all_sync(0xffffffffu, predicate); }

// SPDX-License-Identifier: MIT
// Shuffles, votes and matches among the 32 threads of a warp.
//
// Threads exchange through hidden shared memory, one 8-byte slot each:
//   slot[lane] = value;  warp barrier;  result = slot[source];  warp barrier;  slot[lane] = 0
// Example, __shfl_down_sync(mask, v, 1): lane 3 reads slot 4; lane 31 keeps its own value.
// Outside of exchanges every slot is zero, also at the start of a block (block_space.cpp): a lane
// that does not take part contributes 0, as on a GPU. Between two exchanges in a row the compiler
// removes the store of zero.
// The barriers wait for the lanes of `mask` only: the two sides of a branch may each have their
// own.
#pragma once

__TREADLE_FUNCTION unsigned __laneid() { return __treadle_lane(); }
/// The 32 slots of this thread's warp.
__TREADLE_FUNCTION unsigned long long* __treadle_warp_slots() {
  __shared__ unsigned long long __treadle_exchange[1024];
  return __treadle_exchange + (__treadle_linear_thread() & ~31u);
}

/// The value of lane `source`, 0 if `mask` does not name it; this thread's own where `inside` is
/// false. Values of more than 8 bytes, which cooperative groups move, go piece by piece.
template <class T>
__TREADLE_FUNCTION T __treadle_exchange_with(unsigned mask, T value, unsigned source, bool inside) {
  unsigned long long* slots = __treadle_warp_slots();
  const unsigned lane = __treadle_lane(), other = inside ? source & 31u : lane;
  T result;
  if constexpr (sizeof(T) <= 8) {
    const unsigned named = (__treadle_is_whole(mask) ? 0xffffffffu : mask) | 1u << lane;
    unsigned long long own = 0;
    __builtin_memcpy(&own, &value, sizeof(T));
    slots[lane] = own;
    __treadle_meet(mask);
    const unsigned long long found = named >> other & 1u ? slots[other] : 0ull;
    __treadle_meet(mask);
    slots[lane] = 0;
    __builtin_memcpy(&result, &found, sizeof(T));
  } else {
    unsigned long long pieces[(sizeof(T) + 7) / 8] = {};
    __builtin_memcpy(pieces, &value, sizeof(T));
    for (unsigned long long& piece : pieces)
      piece = __treadle_exchange_with(mask, piece, source, inside);
    __builtin_memcpy(&result, pieces, sizeof(T));
  }
  return result;
}
/// The same among the lanes that come this way together: they meet, and then know who they are.
template <class T>
__TREADLE_FUNCTION T __treadle_exchange_here(T value, unsigned source, bool inside) {
  static_assert(sizeof(T) <= 8, "shuffles without a mask are of 8 bytes at most");
  if (__treadle_all_come()) return __treadle_exchange_with(0xffffffffu, value, source, inside);
  unsigned long long* slots = __treadle_warp_slots();
  const unsigned lane = __treadle_lane(), other = inside ? source & 31u : lane;
  unsigned long long own = 0;
  __builtin_memcpy(&own, &value, sizeof(T));
  slots[lane] = own;
  const unsigned long long found = __treadle_who_comes() >> other & 1u ? slots[other] : 0ull;
  __treadle_barrier(__TREADLE_NAMED_WARP_BARRIER);
  slots[lane] = 0;
  T result;
  __builtin_memcpy(&result, &found, sizeof(T));
  return result;
}

/// Which lane a shuffle reads, and whether that is one it may read.
struct __treadle_source {
  unsigned lane;
  bool inside;
};
__TREADLE_FUNCTION __treadle_source __treadle_source_at(int source, int width) {
  const unsigned mask = static_cast<unsigned>(width) - 1u;
  return {(__treadle_lane() & ~mask) | (static_cast<unsigned>(source) & mask), true};
}
__TREADLE_FUNCTION __treadle_source __treadle_source_below(unsigned delta, int width) {
  const unsigned lane = __treadle_lane();
  return {lane - delta, (lane & (static_cast<unsigned>(width) - 1u)) >= delta};
}
__TREADLE_FUNCTION __treadle_source __treadle_source_above(unsigned delta, int width) {
  const unsigned lane = __treadle_lane();
  const unsigned place = lane & (static_cast<unsigned>(width) - 1u);
  return {lane + delta, place + delta < static_cast<unsigned>(width)};
}
__TREADLE_FUNCTION __treadle_source __treadle_source_across(int lane_mask, int width) {
  const unsigned lane = __treadle_lane();
  const unsigned source = lane ^ static_cast<unsigned>(lane_mask);
  // A later segment is out of reach, an earlier one may be read.
  const unsigned segment_end = (lane | (static_cast<unsigned>(width) - 1u)) + 1u;
  return {source, source < segment_end};
}

// The forms without a mask are from before CUDA 9: sources for PyCUDA still use them.
#define __TREADLE_SHUFFLE(name, type, source_of)                                          \
  template <class T>                                                                      \
  __TREADLE_FUNCTION T name##_sync(unsigned mask, T value, type which, int width = 32) {  \
    const __treadle_source source = source_of(which, width);                              \
    return __treadle_exchange_with(mask, value, source.lane, source.inside);              \
  }                                                                                       \
  template <class T>                                                                      \
  __TREADLE_FUNCTION T name(T value, type which, int width = 32) {                        \
    const __treadle_source source = source_of(which, width);                              \
    return __treadle_exchange_here(value, source.lane, source.inside);                    \
  }
__TREADLE_SHUFFLE(__shfl, int, __treadle_source_at)
__TREADLE_SHUFFLE(__shfl_up, unsigned, __treadle_source_below)
__TREADLE_SHUFFLE(__shfl_down, unsigned, __treadle_source_above)
__TREADLE_SHUFFLE(__shfl_xor, int, __treadle_source_across)
#undef __TREADLE_SHUFFLE

struct __treadle_vote {
  unsigned came, yes;  ///< lanes
};
/// One byte a lane; eight of them become eight bits by one multiplication. `gather` waits for the
/// lanes and says who came.
template <class Gather>
__TREADLE_FUNCTION __treadle_vote __treadle_votes_by(int predicate, Gather&& gather) {
  __shared__ unsigned char __treadle_votes[1024];
  __treadle_votes[__treadle_linear_thread()] = predicate != 0;
  const unsigned came = gather();
  const unsigned char* first = __treadle_votes + (__treadle_linear_thread() & ~31u);
  unsigned yes = 0;
  for (unsigned part = 0; part < 4; ++part) {
    unsigned long long eight;
    __builtin_memcpy(&eight, first + 8 * part, 8);
    const unsigned long long bits = (eight & 0x0101010101010101ull) * 0x0102040810204080ull;
    yes |= static_cast<unsigned>(bits >> 56) << (8 * part);
  }
  __treadle_barrier(__TREADLE_NAMED_WARP_BARRIER);
  return {came, yes & came};
}

__TREADLE_FUNCTION __treadle_vote __treadle_votes_of(unsigned mask, int predicate) {
  return __treadle_votes_by(predicate, [=] { return __treadle_gather(mask); });
}

/// The lanes whose `predicate` holds.
__TREADLE_FUNCTION unsigned __ballot_sync(unsigned mask, int predicate) {
  return __treadle_votes_of(mask, predicate).yes;
}
__TREADLE_FUNCTION int __any_sync(unsigned mask, int predicate) {
  return __ballot_sync(mask, predicate) != 0;
}
__TREADLE_FUNCTION int __all_sync(unsigned mask, int predicate) {
  return __ballot_sync(mask, !predicate) == 0;
}
__TREADLE_FUNCTION int __uni_sync(unsigned mask, int predicate) {
  const __treadle_vote vote = __treadle_votes_of(mask, predicate);
  return vote.yes == 0 || vote.yes == vote.came;
}

/// The lanes of `mask` that hold the same value, and with `came` all that take part.
template <class T>
__TREADLE_FUNCTION unsigned __treadle_same_value(unsigned mask, T value, unsigned& came) {
  static_assert(sizeof(T) <= 8, "values of 8 bytes at most can be matched");
  unsigned long long own = 0;
  __builtin_memcpy(&own, &value, sizeof(T));
  unsigned long long* slots = __treadle_warp_slots();
  slots[__treadle_lane()] = own;
  came = __treadle_gather(mask);
  unsigned same = 0;
  for (unsigned lane = 0; lane < 32; ++lane) same |= (slots[lane] == own ? 1u : 0u) << lane;
  __treadle_barrier(__TREADLE_NAMED_WARP_BARRIER);
  slots[__treadle_lane()] = 0;
  return same & came;
}
template <class T>
__TREADLE_FUNCTION unsigned __match_any_sync(unsigned mask, T value) {
  unsigned came;
  return __treadle_same_value(mask, value, came);
}
template <class T>
__TREADLE_FUNCTION unsigned __match_all_sync(unsigned mask, T value, int* all) {
  unsigned came;
  *all = __treadle_same_value(mask, value, came) == came;
  return *all ? mask : 0u;
}

/// Reductions over the lanes of `mask`, in the order of the lanes.
#define __TREADLE_WARP_REDUCTION(name, type, step)                    \
  __TREADLE_FUNCTION type name(unsigned mask, type value) {           \
    unsigned long long* slots = __treadle_warp_slots();               \
    slots[__treadle_lane()] = static_cast<unsigned long long>(value); \
    const unsigned came = __treadle_gather(mask);                     \
    type sum = value;                                                 \
    for (unsigned lane = 0; lane < 32; ++lane) {                      \
      if (!(came >> lane & 1u) || lane == __treadle_lane()) continue; \
      const type next = static_cast<type>(slots[lane]);               \
      sum = (step);                                                   \
    }                                                                 \
    __treadle_barrier(__TREADLE_NAMED_WARP_BARRIER);                  \
    slots[__treadle_lane()] = 0;                                      \
    return sum;                                                       \
  }
__TREADLE_WARP_REDUCTION(__reduce_add_sync, int, sum + next)
__TREADLE_WARP_REDUCTION(__reduce_add_sync, unsigned, sum + next)
__TREADLE_WARP_REDUCTION(__reduce_min_sync, int, next < sum ? next : sum)
__TREADLE_WARP_REDUCTION(__reduce_min_sync, unsigned, next < sum ? next : sum)
__TREADLE_WARP_REDUCTION(__reduce_max_sync, int, next > sum ? next : sum)
__TREADLE_WARP_REDUCTION(__reduce_max_sync, unsigned, next > sum ? next : sum)
__TREADLE_WARP_REDUCTION(__reduce_and_sync, unsigned, sum& next)
__TREADLE_WARP_REDUCTION(__reduce_or_sync, unsigned, sum | next)
__TREADLE_WARP_REDUCTION(__reduce_xor_sync, unsigned, sum ^ next)
#undef __TREADLE_WARP_REDUCTION

__TREADLE_FUNCTION unsigned __ballot(int predicate) {
  return __treadle_votes_by(predicate, [] {
           return __treadle_all_come() ? __treadle_gather(0xffffffffu) : __treadle_who_comes();
         }).yes;
}
__TREADLE_FUNCTION int __any(int predicate) { return __ballot(predicate) != 0; }
__TREADLE_FUNCTION int __all(int predicate) { return __ballot(!predicate) == 0; }

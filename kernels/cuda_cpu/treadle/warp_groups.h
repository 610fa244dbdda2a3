// SPDX-License-Identifier: MIT
// cooperative_groups within a warp: a set of lanes, and what each lane's rank in it is.
//
//   lanes of the warp     0  1  2  3  4  5  6  7     tile of 4, second:  mask 0xf0, ranks 0..3
//   `if (lane % 3 == 0)`  0        1        2        coalesced:          mask 0x49, ranks 0..2
#pragma once

extern "C++" {
namespace cooperative_groups {

/// The lanes below this one.
__TREADLE_FUNCTION unsigned __treadle_lanes_below() { return (1u << __treadle_lane()) - 1u; }
/// The bits of `lanes` that are in `mask`, close together.
__TREADLE_FUNCTION unsigned __treadle_ranks_of(unsigned lanes, unsigned mask) {
  unsigned ranks = 0;
  for (unsigned place = 0, left = mask; left != 0; left &= left - 1u, ++place)
    ranks |= (lanes >> (__ffs(static_cast<int>(left)) - 1) & 1u) << place;
  return ranks;
}

/// Threads that are active together; also what partitions of tiles are.
class coalesced_group {
 public:
  __device__ explicit coalesced_group(unsigned mask, unsigned meta_rank = 0, unsigned meta_size = 1)
      : mask_(mask), meta_rank_(meta_rank), meta_size_(meta_size) {}
  __device__ void sync() const { __syncwarp(mask_); }
  __device__ unsigned size() const { return static_cast<unsigned>(__popc(mask_)); }
  __device__ unsigned num_threads() const { return size(); }
  __device__ unsigned thread_rank() const {
    return static_cast<unsigned>(__popc(mask_ & __treadle_lanes_below()));
  }
  __device__ unsigned meta_group_rank() const { return meta_rank_; }
  __device__ unsigned meta_group_size() const { return meta_size_; }

  template <class T>
  __device__ T shfl(T value, int rank) const {
    return __treadle_exchange_with(mask_, value, lane_of(static_cast<unsigned>(rank) % size()),
                                   true);
  }
  template <class T>
  __device__ T shfl_up(T value, unsigned delta) const {
    const unsigned rank = thread_rank();
    return __treadle_exchange_with(mask_, value, lane_of(rank - delta), rank >= delta);
  }
  template <class T>
  __device__ T shfl_down(T value, unsigned delta) const {
    const unsigned rank = thread_rank();
    return __treadle_exchange_with(mask_, value, lane_of(rank + delta), rank + delta < size());
  }
  __device__ int any(int predicate) const { return __any_sync(mask_, predicate); }
  __device__ int all(int predicate) const { return __all_sync(mask_, predicate); }
  __device__ unsigned ballot(int predicate) const {
    return __treadle_ranks_of(__ballot_sync(mask_, predicate), mask_);
  }
  template <class T>
  __device__ unsigned match_any(T value) const {
    return __treadle_ranks_of(__match_any_sync(mask_, value), mask_);
  }
  template <class T>
  __device__ unsigned match_all(T value, int& all) const {
    return __treadle_ranks_of(__match_all_sync(mask_, value, &all), mask_);
  }
  __device__ operator thread_group() const {
    return thread_group({__treadle_group::lanes, mask_, size(), thread_rank()});
  }
  __device__ unsigned __treadle_mask() const { return mask_; }

 private:
  __device__ unsigned lane_of(unsigned rank) const {
    return __fns(mask_, 0, static_cast<int>(rank) + 1);
  }
  unsigned mask_, meta_rank_, meta_size_;
};
__TREADLE_FUNCTION coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

/// 1, 2, 4 ... 32 neighbouring threads: what they do together. Tiles of several warps:
/// block_tiles.h.
template <unsigned count, bool in_one_warp = (count <= 32)>
class __treadle_tile {
 public:
  __device__ static void sync() { __syncwarp(__treadle_mask()); }
  template <class T>
  __device__ T shfl(T value, int rank) const {
    return __shfl_sync(__treadle_mask(), value, rank, count);
  }
  template <class T>
  __device__ T shfl_up(T value, unsigned delta) const {
    return __shfl_up_sync(__treadle_mask(), value, delta, count);
  }
  template <class T>
  __device__ T shfl_down(T value, unsigned delta) const {
    return __shfl_down_sync(__treadle_mask(), value, delta, count);
  }
  template <class T>
  __device__ T shfl_xor(T value, unsigned lanes) const {
    return __shfl_xor_sync(__treadle_mask(), value, static_cast<int>(lanes), count);
  }
  __device__ int any(int predicate) const { return __any_sync(__treadle_mask(), predicate); }
  __device__ int all(int predicate) const { return __all_sync(__treadle_mask(), predicate); }
  __device__ unsigned ballot(int predicate) const {
    return __ballot_sync(__treadle_mask(), predicate) >> first_lane();
  }
  template <class T>
  __device__ unsigned match_any(T value) const {
    return __match_any_sync(__treadle_mask(), value) >> first_lane();
  }
  template <class T>
  __device__ unsigned match_all(T value, int& all) const {
    return __match_all_sync(__treadle_mask(), value, &all) >> first_lane();
  }
  __device__ static unsigned thread_rank() { return __treadle_linear_thread() & (count - 1u); }
  __device__ operator thread_group() const {
    return thread_group({__treadle_group::lanes, __treadle_mask(), count, thread_rank()});
  }
  __device__ static unsigned __treadle_mask() {
    if constexpr (count == 32)
      return 0xffffffffu;
    else
      return ((1u << (count & 31u)) - 1u) << first_lane();
  }

 private:
  __device__ static unsigned first_lane() { return __treadle_lane() & ~(count - 1u); }
};

/// The lanes of `mask` whose rank divided by `count` is this thread's.
__TREADLE_FUNCTION unsigned __treadle_tile_of(unsigned mask, unsigned count) {
  const unsigned own = static_cast<unsigned>(__popc(mask & __treadle_lanes_below())) / count;
  unsigned tile = 0, rank = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if ((mask >> lane & 1u) == 0) continue;
    tile |= (rank / count == own ? 1u : 0u) << lane;
    ++rank;
  }
  return tile;
}
__TREADLE_FUNCTION coalesced_group tiled_partition(const coalesced_group& parent, unsigned count) {
  return coalesced_group(__treadle_tile_of(parent.__treadle_mask(), count),
                         parent.thread_rank() / count, (parent.size() + count - 1u) / count);
}
__TREADLE_FUNCTION thread_group tiled_partition(const thread_group& parent, unsigned count) {
  const __treadle_group& parts = parent.__treadle_parts();
  const unsigned lanes = parts.kind == __treadle_group::lanes ? parts.mask : __treadle_warp_lanes();
  return coalesced_group(__treadle_tile_of(lanes, count));
}
__TREADLE_FUNCTION thread_group tiled_partition(const thread_block& parent, unsigned count) {
  return tiled_partition(static_cast<thread_group>(parent), count);
}

/// The threads of a warp group that hold the same label.
template <class Group, class Label>
__TREADLE_FUNCTION coalesced_group labeled_partition(const Group& group, Label label) {
  const unsigned mask = group.__treadle_mask(), same = __match_any_sync(mask, label);
  const unsigned leader = static_cast<unsigned>(__ffs(static_cast<int>(same))) - 1u;
  const unsigned leaders = __ballot_sync(mask, leader == __treadle_lane());
  return coalesced_group(same, static_cast<unsigned>(__popc(leaders & ((1u << leader) - 1u))),
                         static_cast<unsigned>(__popc(leaders)));
}
template <class Group>
__TREADLE_FUNCTION coalesced_group binary_partition(const Group& group, bool predicate) {
  const unsigned mask = group.__treadle_mask(), yes = __ballot_sync(mask, predicate);
  return coalesced_group(predicate ? yes : mask & ~yes, predicate, 2);
}

}  // namespace cooperative_groups
}

// SPDX-License-Identifier: MIT
// cooperative_groups: tiles of a block. Those of several warps exchange through the slots of
// warp.h, where each thread writes its own only: the other warps of the tile may still be at work
// in theirs.
//
//   reduce, tile of 64    slot 0 = result of warp 0, slot 32 = result of warp 1; tile barrier;
//                         each thread: op(slot 0, slot 32); tile barrier
#pragma once

extern "C++" {
namespace cooperative_groups {

template <unsigned count>
class __treadle_tile<count, false> {
 public:
  /// Waits for the threads of this tile that have not exited; other tiles may do something else.
  __device__ static void sync() {
    __treadle_warp_masks()[__treadle_linear_thread()] = count;
    __treadle_barrier(__TREADLE_TILE_BARRIER);
  }
  __device__ static unsigned thread_rank() { return __treadle_linear_thread() & (count - 1u); }

  /// The value of one thread, the same one for all.
  template <class T>
  __device__ T shfl(T value, int rank) const {
    return __treadle_meet_with(
        value, [=](auto value_of) { return value_of(static_cast<unsigned>(rank) & (count - 1u)); });
  }
  __device__ int any(int predicate) const {
    return __treadle_meet_with(__any_sync(0xffffffffu, predicate), [](auto value_of) {
      int found = 0;
      for (unsigned first = 0; first < count; first += 32) found |= value_of(first);
      return found;
    });
  }
  __device__ int all(int predicate) const { return !any(!predicate); }

  /// What `read` makes of the values of all threads. It runs between the two barriers: an array of
  /// them would have to be kept across the second.
  template <class T, class Read>
  __device__ T __treadle_meet_with(T value, Read&& read) const {
    static_assert(sizeof(T) <= 8, "tiles of several warps exchange values of 8 bytes at most");
    unsigned long long* const own = __treadle_warp_slots() + __treadle_lane();
    const unsigned long long* const slots = own - thread_rank();
    __builtin_memcpy(own, &value, sizeof(T));
    sync();
    const T result = read([slots](unsigned rank) {
      T other;
      __builtin_memcpy(&other, slots + rank, sizeof(T));
      return other;
    });
    sync();
    *own = 0;
    return result;
  }
};

/// 1, 2, 4 ... 1024 neighbouring threads.
template <unsigned count, class Parent = void>
class thread_block_tile : public __treadle_tile<count> {
 public:
  static_assert(count != 0 && count <= 1024 && (count & (count - 1)) == 0,
                "tiles have 1, 2, 4 ... 1024 threads");
  __device__ explicit thread_block_tile(unsigned meta_rank = 0, unsigned meta_size = 1)
      : meta_rank_(meta_rank), meta_size_(meta_size) {}
  /// A tile of the same size, whatever it was cut from.
  template <class Other>
  __device__ thread_block_tile(const thread_block_tile<count, Other>& other)
      : meta_rank_(other.meta_group_rank()), meta_size_(other.meta_group_size()) {}

  __device__ static constexpr unsigned size() { return count; }
  __device__ static constexpr unsigned num_threads() { return count; }
  __device__ unsigned meta_group_rank() const { return meta_rank_; }
  __device__ unsigned meta_group_size() const { return meta_size_; }
  __device__ operator coalesced_group() const {
    return coalesced_group(this->__treadle_mask(), meta_rank_, meta_size_);
  }

 private:
  unsigned meta_rank_, meta_size_;
};
__TREADLE_FUNCTION thread_block_tile<1> this_thread() { return thread_block_tile<1>(); }

/// Cuts a block, or a tile, into tiles of `count` threads.
template <unsigned count, class Parent>
__TREADLE_FUNCTION thread_block_tile<count, Parent> tiled_partition(const Parent& parent) {
  return thread_block_tile<count, Parent>(
      static_cast<unsigned>(parent.thread_rank()) / count,
      (static_cast<unsigned>(parent.size()) + count - 1u) / count);
}

}  // namespace cooperative_groups
}

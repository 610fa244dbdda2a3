// SPDX-License-Identifier: MIT
// cooperative_groups: the block, the grid of a cooperative launch, and the group that can be any of
// them.
#pragma once

extern "C++" {
namespace cooperative_groups {

/// What a thread_group stands for; `lanes` is for warp groups.
struct __treadle_group {
  enum kind_type { block, lanes, grid } kind;
  unsigned mask;
  unsigned long long count, rank;
};

/// Any group, known at run time only.
class thread_group {
 public:
  __device__ explicit thread_group(const __treadle_group& group) : group_(group) {}
  __device__ unsigned long long size() const { return group_.count; }
  __device__ unsigned long long num_threads() const { return group_.count; }
  __device__ unsigned long long thread_rank() const { return group_.rank; }
  __device__ void sync() const {
    if (group_.kind == __treadle_group::block)
      __syncthreads();
    else if (group_.kind == __treadle_group::grid)
      __treadle_barrier(__TREADLE_GRID_BARRIER);
    else
      __syncwarp(group_.mask);
  }
  __device__ const __treadle_group& __treadle_parts() const { return group_; }

 private:
  __treadle_group group_;
};

class thread_block {
 public:
  struct arrival_token {};
  __device__ static void sync() { __syncthreads(); }
  __device__ static arrival_token barrier_arrive() { return {}; }
  __device__ static void barrier_wait(arrival_token&&) { __syncthreads(); }
  __device__ static unsigned thread_rank() { return __treadle_linear_thread(); }
  __device__ static dim3 group_index() { return blockIdx; }
  __device__ static dim3 thread_index() { return threadIdx; }
  __device__ static dim3 group_dim() { return blockDim; }
  __device__ static dim3 dim_threads() { return blockDim; }
  __device__ static unsigned size() { return blockDim.x * blockDim.y * blockDim.z; }
  __device__ static unsigned num_threads() { return size(); }
  __device__ operator thread_group() const {
    return thread_group({__treadle_group::block, 0, size(), thread_rank()});
  }
};
__TREADLE_FUNCTION thread_block this_thread_block() { return {}; }
/// Memory that older GPUs need for tiles of several warps; here for sources that declare it.
template <unsigned threads = 1024>
struct block_tile_memory {};
template <unsigned threads>
__TREADLE_FUNCTION thread_block this_thread_block(block_tile_memory<threads>&) {
  return {};
}

/// All threads of a cooperative launch.
class grid_group {
 public:
  struct arrival_token {};
  __device__ static bool is_valid() { return __treadle_is_cooperative() != 0; }
  __device__ static void sync() { __treadle_barrier(__TREADLE_GRID_BARRIER); }
  __device__ static arrival_token barrier_arrive() { return {}; }
  __device__ static void barrier_wait(arrival_token&&) { sync(); }
  __device__ static unsigned long long num_blocks() {
    return static_cast<unsigned long long>(gridDim.x) * gridDim.y * gridDim.z;
  }
  __device__ static unsigned long long block_rank() {
    return blockIdx.x + static_cast<unsigned long long>(gridDim.x) *
                            (blockIdx.y + static_cast<unsigned long long>(gridDim.y) * blockIdx.z);
  }
  __device__ static unsigned long long size() { return num_blocks() * thread_block::size(); }
  __device__ static unsigned long long num_threads() { return size(); }
  __device__ static unsigned long long thread_rank() {
    return block_rank() * thread_block::size() + thread_block::thread_rank();
  }
  __device__ static dim3 group_dim() { return gridDim; }
  __device__ static dim3 dim_blocks() { return gridDim; }
  __device__ static dim3 block_index() { return blockIdx; }
  __device__ static unsigned long long num_clusters() { return num_blocks(); }
  __device__ static unsigned long long cluster_rank() { return block_rank(); }
  __device__ static dim3 dim_clusters() { return gridDim; }
  __device__ static dim3 cluster_index() { return blockIdx; }
  __device__ operator thread_group() const {
    return thread_group({__treadle_group::grid, 0, size(), thread_rank()});
  }
};
__TREADLE_FUNCTION grid_group this_grid() { return {}; }

/// One block, as on a GPU where the launch names no clusters.
class cluster_group : public thread_block {
 public:
  __device__ static dim3 block_index() { return dim3(0, 0, 0); }
  __device__ static unsigned block_rank() { return 0; }
  __device__ static dim3 dim_blocks() { return dim3(1, 1, 1); }
  __device__ static unsigned num_blocks() { return 1; }
  __device__ static unsigned query_shared_rank(const void*) { return 0; }
  template <class T>
  __device__ static T* map_shared_rank(T* address, int) {
    return address;
  }
};
__TREADLE_FUNCTION cluster_group this_cluster() { return {}; }

template <class Group>
__TREADLE_FUNCTION void sync(const Group& group) {
  group.sync();
}
template <class Group>
__TREADLE_FUNCTION auto thread_rank(const Group& group) -> decltype(group.thread_rank()) {
  return group.thread_rank();
}
template <class Group>
__TREADLE_FUNCTION auto group_size(const Group& group) -> decltype(group.size()) {
  return group.size();
}

/// Calls the function in one thread of the group.
template <class Group, class Function, class... Arguments>
__TREADLE_FUNCTION void invoke_one(const Group& group, Function&& function,
                                   Arguments&&... arguments) {
  if (group.thread_rank() == 0) function(static_cast<Arguments&&>(arguments)...);
}
/// And gives the result to all.
template <class Group, class Function, class... Arguments>
__TREADLE_FUNCTION auto invoke_one_broadcast(const Group& group, Function&& function,
                                             Arguments&&... arguments)
    -> decltype(function(static_cast<Arguments&&>(arguments)...)) {
  decltype(function(static_cast<Arguments&&>(arguments)...)) result{};
  if (group.thread_rank() == 0) result = function(static_cast<Arguments&&>(arguments)...);
  return group.shfl(result, 0);
}

}  // namespace cooperative_groups
}

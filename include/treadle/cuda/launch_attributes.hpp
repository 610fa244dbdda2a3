// SPDX-License-Identifier: MIT
// What a launch may ask for beside its shape: clusters of blocks, its priority, how it overlaps
// with the work around it, what stays in the cache.
//
//   const LaunchAttributes attributes{.cluster = Dim3{4}};
//   k.launch({.grid = {64}, .block = {256}, .attributes = &attributes}, memory, n);
#pragma once

#include <optional>

#include "treadle/cuda/event.hpp"
#include "treadle/cuda/launch.hpp"

namespace treadle::cuda {

/// CUclusterSchedulingPolicy: where blocks of a cluster run.
enum class ClusterScheduling : int {
  standard = 0,        ///< as the driver likes
  spread = 1,          ///< on as many multiprocessors as there are blocks
  load_balancing = 2,  ///< where there is room
};

/// CUaccessProperty: how long a line stays in the cache of the device.
enum class CacheLines : int { normal = 0, streaming = 1, persisting = 2 };

/// CUaccessPolicyWindow: how the device's cache treats a range of memory. Lines persist only as far
/// as Limit::persisting_l2_cache_size allows.
struct AccessWindow {
  DevicePointer address = 0;   ///< where the range begins
  std::size_t size_bytes = 0;  ///< at most DeviceAttribute::max_access_policy_window_size
  float hit_ratio = 1;         ///< the share of its lines that are `hits`, 0 to 1
  CacheLines hits = CacheLines::persisting;  ///< what becomes of these
  CacheLines misses = CacheLines::normal;    ///< and of the others: not persisting
};

/// CUlaunchMemSyncDomain: fences of kernels in one domain do not wait for writes of the other.
enum class MemoryDomain : int { standard = 0, remote = 1 };

/// What is not given is as in a plain launch. Events must live as long as the launch, and
/// are not for nodes of graphs. A driver refuses what it does not know; the CPU device has no
/// clusters, records both events at the end, and takes the rest as hints.
struct LaunchAttributes {
  /// Blocks that run at once, next to each other, and reach each other's shared memory. The grid is
  /// a multiple of it in each direction; at most 8 blocks, or what the kernel was allowed by
  /// FunctionAttribute::non_portable_cluster_size_allowed.
  std::optional<Dim3> cluster = {};
  /// Larger clusters, multiples of `cluster`, where there is room for them. Since CUDA 12.8.
  std::optional<Dim3> preferred_cluster = {};
  /// Where blocks of a cluster run.
  std::optional<ClusterScheduling> cluster_scheduling = {};
  /// In place of the stream's; lower is more urgent.
  std::optional<int> priority = {};
  /// Blocks may start before the kernel that the stream has queued before has ended, once that one
  /// allows it; they wait for its results by `griddepcontrol.wait`.
  bool overlaps_previous = false;
  /// Recorded when all blocks have asked for it by `griddepcontrol.launch_dependents`, or have
  /// ended. Without timing.
  const Event* triggered = nullptr;
  /// Recorded once all blocks have started. Without timing. Since CUDA 12.3.
  const Event* started = nullptr;
  /// In place of the stream's.
  std::optional<AccessWindow> access_window = {};
  /// In place of the stream's.
  std::optional<MemoryDomain> memory_domain = {};
  /// Percent of what the first cache and shared memory share that is to be shared memory; -1: as
  /// the driver likes. Since CUDA 12.5.
  std::optional<int> shared_memory_percent = {};
};

/// Gives later work of `stream` a window; size_bytes = 0 takes it away. Throws InvalidArgument for
/// a ratio outside 0 to 1, and for misses that persist.
void set_access_window(StreamRef stream, const AccessWindow& window);
/// What it was given; size_bytes = 0: none.
AccessWindow access_window(StreamRef stream);
/// In which domain later work of `stream` is; kernels may say otherwise.
MemoryDomain memory_domain(StreamRef stream);
/// Changes it. Throws DeviceError where the device has no domains (before sm_90).
void set_memory_domain(StreamRef stream, MemoryDomain domain);
/// Gives `to` all attributes of `from`, a stream of the same context.
void copy_attributes(StreamRef to, StreamRef from);
/// Lets no line persist any more, for all of the current context's device.
void reset_persisting_lines();

}  // namespace treadle::cuda

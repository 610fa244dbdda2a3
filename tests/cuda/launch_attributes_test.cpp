// SPDX-License-Identifier: MIT
#include "treadle/cuda/launch_attributes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <string>
#include <vector>

#include "cuda/graph_kernels.hpp"
#include "treadle/cuda/graph.hpp"
#include "treadle/cuda/stream_operations.hpp"

namespace treadle::cuda {
namespace {

using testing::HasSubstr;

class OnLaunchAttributes : public OnGraphKernels {
 protected:
  /// Adds 1 to four numbers by a launch with `attributes`.
  void add_one(const DeviceMemory& memory, const LaunchAttributes& attributes, Dim3 grid = {}) {
    add(memory, 1, {.grid = grid, .stream = stream(), .attributes = &attributes});
  }
  /// The text of the Failure that a launch with `attributes` ends in.
  template <class Failure = InvalidArgument>
  std::string refusal(const LaunchAttributes& attributes, Dim3 grid = {}) {
    const DeviceMemory memory = on_device({1, 2, 3, 4});
    try {
      add_one(memory, attributes, grid);
    } catch (const Failure& error) {
      stream().synchronize();
      EXPECT_EQ(on_host(memory)[0], 1);
      return error.message();
    }
    ADD_FAILURE() << "nothing was thrown";
    return {};
  }
};

TEST_P(OnLaunchAttributes, HintsLeaveTheResultAsItIs) {
  const DeviceMemory memory = on_device({1, 2, 3, 4});
  add_one(memory, {.overlaps_previous = true});  // nothing is before it
  add_one(memory, {.priority = context().stream_priorities().greatest});
  add_one(memory, {.memory_domain = MemoryDomain::remote});
  add_one(memory, {.access_window = AccessWindow{memory.address(), 16, 0.5f}});
  add_one(memory, {.shared_memory_percent = 50});
  stream().synchronize();
  EXPECT_EQ(on_host(memory), (std::vector{6, 7, 8, 9}));
}

TEST_P(OnLaunchAttributes, EventsAreRecordedByTheLaunch) {
  const DeviceMemory memory = on_device({1, 2, 3, 4}), later = on_device({5, 6, 7, 8});
  const Event triggered(EventFlags::disable_timing), started(EventFlags::disable_timing);
  const Stream other(StreamFlags::non_blocking);
  const HostMemory flag(4, HostMemoryFlags::device_map);
  flag.as<std::uint32_t>()[0] = 0;
  wait_value32(stream(), flag.device_pointer(), 1);
  add_one(memory, {.triggered = &triggered});
  other.wait(triggered);
  add(later, 10, {.stream = other});
  add_one(memory, {.started = &started});
  EXPECT_FALSE(triggered.is_done());
  EXPECT_FALSE(started.is_done());
  EXPECT_FALSE(other.is_done());
  std::atomic_ref(flag.as<std::uint32_t>()[0]).store(1);
  started.synchronize();
  other.synchronize();
  stream().synchronize();
  EXPECT_EQ(on_host(memory), (std::vector{3, 4, 5, 6}));
  EXPECT_EQ(on_host(later), (std::vector{15, 16, 17, 18}));
}

TEST_P(OnLaunchAttributes, AStreamHasAWindowOfItsOwn) {
  const DeviceMemory memory = on_device({1, 2, 3, 4});
  set_access_window(stream(), {memory.address(), 16});
  add(memory, 1, {.stream = stream()});
  set_access_window(stream(), {});
  reset_persisting_lines();
  stream().synchronize();
  EXPECT_EQ(on_host(memory)[3], 5);
  EXPECT_THROW(set_access_window(stream(), {0, 16}), InvalidArgument);
}

/// Each block reads what the next one of its cluster has in shared memory.
TEST_P(OnLaunchAttributes, BlocksOfAClusterReadEachOthersSharedMemory) {
  const LaunchAttributes pairs{.cluster = Dim3{2}, .cluster_scheduling = ClusterScheduling::spread};
  if (device().attribute(DeviceAttribute::cluster_launch) == 0) {
    EXPECT_THAT(refusal<NotSupported>(pairs, {2}), HasSubstr("\"add\" is launched in clusters"));
    return;
  }
  const Module module = compiled(R"(
extern "C" __global__ void pass_on(int *out)
{
    __shared__ int own;
    if (threadIdx.x == 0) own = 100 + blockIdx.x;
    unsigned rank, size, remote;
    int seen;
    asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
    asm("mapa.shared::cluster.u32 %0, %1, %2;"
        : "=r"(remote) : "r"((unsigned)__cvta_generic_to_shared(&own)), "r"((rank + 1) % size));
    asm volatile("ld.shared::cluster.s32 %0, [%1];" : "=r"(seen) : "r"(remote) : "memory");
    asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
    out[blockIdx.x] = seen;
}
)");
  const DeviceMemory out = on_device({0, 0, 0, 0});
  const Function pass_on = module.function("pass_on");
  pass_on.launch({.grid = {4}, .block = {32}, .stream = stream(), .attributes = &pairs}, out);
  stream().synchronize();
  EXPECT_EQ(on_host(out), (std::vector{101, 100, 103, 102}));

  const Graph graph;
  const LaunchAttributes four{.cluster = Dim3{4}};
  graph.add_kernel({}, pass_on, {.grid = {4}, .block = {32}, .attributes = &four}, out);
  graph.instantiate().launch(stream());
  stream().synchronize();
  EXPECT_EQ(on_host(out), (std::vector{101, 102, 103, 100}));
  const LaunchAttributes sixteen{.cluster = Dim3{16}};
  try {
    pass_on.launch({.grid = {16}, .block = {32}, .stream = stream(), .attributes = &sixteen}, out);
    FAIL();
  } catch (const DeviceError& error) {
    EXPECT_THAT(error.message(), HasSubstr("a cluster of 16x1x1 = 16 blocks"));
  }
}

TEST_P(OnLaunchAttributes, WhatCannotBeIsRefusedByName) {
  EXPECT_THAT(refusal({.cluster = Dim3{2}}, {3}),
              HasSubstr("grid is 3x1x1, and a multiple of cluster = 2x1x1"));
  EXPECT_THAT(refusal({.cluster = Dim3{0}}, {3}), HasSubstr("cluster = 0x1x1"));
  EXPECT_THAT(refusal({.cluster = Dim3{2}, .preferred_cluster = Dim3{3}}, {6}),
              HasSubstr("preferred_cluster is 3x1x1, and a multiple of cluster = 2x1x1"));
  EXPECT_THAT(refusal({.access_window = AccessWindow{64, 16, NAN}}), HasSubstr("hit_ratio is nan"));
  EXPECT_THAT(refusal({.access_window = AccessWindow{64, 16, 1.5f}}),
              HasSubstr("hit_ratio is 1.5"));
  EXPECT_THAT(refusal({.access_window =
                           AccessWindow{
                               .address = 64, .size_bytes = 16, .misses = CacheLines::persisting}}),
              HasSubstr("misses is persisting"));
  EXPECT_THAT(refusal({.shared_memory_percent = 101}), HasSubstr("shared_memory_percent is 101"));
}

INSTANTIATE_TEST_SUITE_P(Providers, OnLaunchAttributes, each_provider, provider_name);

}  // namespace
}  // namespace treadle::cuda

// SPDX-License-Identifier: MIT
#include "treadle/cuda/green_context.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "cuda/providers.hpp"
#include "treadle/base/error.hpp"
#include "treadle/compile/compile.hpp"
#include "treadle/cuda/memory.hpp"
#include "treadle/cuda/module.hpp"
#include "treadle/cuda/table.hpp"

namespace treadle::cuda {
namespace {

// Blocks last long enough for each multiprocessor to get some.
const char* const whereabouts = R"(
extern "C" __global__ void where(unsigned* seen)
{
    unsigned number;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(number));
    long long start = clock64();
    while (clock64() - start < 100000) {}
    if (threadIdx.x == 0) seen[blockIdx.x] = number;
})";

class Green : public OnEachProvider {
 protected:
  void SetUp() override {
    OnEachProvider::SetUp();
    if (IsSkipped()) return;
    if (!is_present(device().driver().table().cuGreenCtxCreate) ||
        !is_present(device().driver().table().cuGreenCtxStreamCreate))
      GTEST_SKIP() << "the driver has no green contexts";
  }
  std::set<unsigned> multiprocessors_used(StreamRef stream) {
    constexpr unsigned blocks = 2000;
    const Module module(
        compile::compile_cuda(whereabouts, compile::Target::parse(device().target()), {}).image);
    DeviceMemory seen(blocks * sizeof(unsigned));
    module.function("where").launch({.grid = {blocks}, .block = {32}, .stream = stream}, seen);
    synchronize(stream);
    std::vector<unsigned> numbers(blocks);
    seen.copy_to(numbers);
    return {numbers.begin(), numbers.end()};
  }
};
INSTANTIATE_TEST_SUITE_P(Providers, Green, each_provider, provider_name);

TEST_P(Green, WorkRunsOnItsMultiprocessorsOnly) {
  const DeviceResource all = DeviceResource::multiprocessors_of(device());
  ASSERT_EQ(all.multiprocessors(),
            static_cast<unsigned>(device().attribute(DeviceAttribute::multiprocessor_count)));
  if (all.multiprocessors() < 16) GTEST_SKIP() << "too small to be split";
  const ResourceSplit split = all.split(1, 8);
  ASSERT_EQ(split.groups.size(), 1u);
  const unsigned part = split.groups[0].multiprocessors();
  EXPECT_GE(part, 8u);
  if (device().driver().version() >= 13000) {
    EXPECT_GE(all.smallest_part(), 1u);
  }
  EXPECT_LE(all.smallest_part(), part);
  EXPECT_EQ(part + split.rest.multiprocessors(), all.multiprocessors());
  const GreenContext few(device(), split.groups), most(device(), {&split.rest, 1});
  EXPECT_NE(few.id(), most.id());
  EXPECT_EQ(few.resource().multiprocessors(), part);
  const Stream quick = few.make_stream(), bulk = most.make_stream();
  const std::set<unsigned> used = multiprocessors_used(quick), others = multiprocessors_used(bulk);
  EXPECT_LE(used.size(), part);
  EXPECT_LE(others.size(), split.rest.multiprocessors());
  for (unsigned number : used) EXPECT_FALSE(others.contains(number)) << number;
}

TEST_P(Green, EventsOrderItsStreams) {
  const DeviceResource all = DeviceResource::multiprocessors_of(device());
  if (all.multiprocessors() < 16) GTEST_SKIP() << "too small to be split";
  const ResourceSplit split = all.split(2, 8);
  ASSERT_EQ(split.groups.size(), 2u);
  const GreenContext first(device(), {&split.groups[0], 1}),
      second(device(), {&split.groups[1], 1});
  const auto guard = Context::make_current(first.context());
  EXPECT_EQ(DeviceResource::multiprocessors_of(first.context()).multiprocessors(),
            split.groups[0].multiprocessors());
  const Event done(first.context(), EventFlags::disable_timing);
  const Stream stream = first.make_stream();
  first.record(done);
  second.wait(done);
  done.synchronize();
  EXPECT_TRUE(done.is_done());
}

TEST_P(Green, WhatIsWrongIsNamed) {
  const DeviceResource all = DeviceResource::multiprocessors_of(device());
  EXPECT_THROW(all.split(0, 8), InvalidArgument);
  EXPECT_THROW(all.split(1, all.multiprocessors() + 1), InvalidArgument);
  EXPECT_THROW(all.count_groups(all.multiprocessors() + 1), InvalidArgument);
  EXPECT_GE(all.count_groups(8), 1u);
  EXPECT_THROW(GreenContext(device(), {}), InvalidArgument);
}

class GreenElsewhere : public OnEachProvider {};
INSTANTIATE_TEST_SUITE_P(Providers, GreenElsewhere, each_provider, provider_name);

TEST_P(GreenElsewhere, TheCpuDeviceSaysThatItHasNone) {
  if (GetParam() != Provider::cpu) GTEST_SKIP() << "a GPU";
  EXPECT_THROW(DeviceResource::multiprocessors_of(device()), NotSupported);
  EXPECT_THROW(DeviceResource::multiprocessors_of(context()), NotSupported);
}

}  // namespace
}  // namespace treadle::cuda

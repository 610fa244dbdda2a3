// SPDX-License-Identifier: MIT
#include "treadle/cuda/function.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <thread>

#include "cuda/fake_driver.hpp"
#include "treadle/cuda/module.hpp"

namespace treadle::cuda {
namespace {

using testing::HasSubstr;

struct Pair {
  float x, y;
};

class KernelLaunch : public testing::Test {
 protected:
  void SetUp() override {
    fake::reset();
    set_default_driver(fake::driver(), "a test");
    fake::state().kernels = {{"k", {{0, 8}, {8, 4}, {16, 8}}, {"out", "n", "pair"}}, {"none", {}}};
    current_.emplace(Context::make_current(fake::device()));
    module_.emplace(ModuleImage{std::vector<std::byte>(16), {}});
  }
  template <class... Arguments>
  std::string refusal(const LaunchConfig& config, const Arguments&... arguments) {
    try {
      module_->function("k").launch(config, arguments...);
    } catch (const Error& error) {
      return error.message();
    }
    return "launched";
  }
  std::optional<CurrentContext> current_;
  std::optional<Module> module_;
};

template <class T>
T as(const std::vector<std::byte>& bytes) {
  T value;
  EXPECT_EQ(bytes.size(), sizeof value);
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

TEST_F(KernelLaunch, PassesShapeStreamAndArguments) {
  const Function k = module_->function("k");
  const DeviceMemory memory(64);
  const Stream stream;
  k.launch({.grid = {2, 3}, .block = {4, 5, 6}, .shared_bytes = 7, .stream = stream}, memory, 42,
           Pair{1.0f, 2.0f});
  ASSERT_EQ(fake::state().launches.size(), 1u);
  const fake::Launch& launch = fake::state().launches.front();
  EXPECT_EQ(launch.grid, (Dim3{2, 3, 1}));
  EXPECT_EQ(launch.block, (Dim3{4, 5, 6}));
  EXPECT_EQ(launch.shared_bytes, 7u);
  EXPECT_EQ(launch.stream, stream.raw());
  EXPECT_EQ(as<DevicePointer>(launch.arguments[0]), memory.address());
  EXPECT_EQ(as<int>(launch.arguments[1]), 42);
  EXPECT_EQ(as<Pair>(launch.arguments[2]).y, 2.0f);
}

TEST_F(KernelLaunch, AKernelMayHaveNoParameters) {
  module_->function("none").launch({});
  EXPECT_EQ(fake::state().launches.size(), 1u);
}

TEST_F(KernelLaunch, WrongArgumentsAreRefusedBeforeTheDriverIsAsked) {
  const DevicePointer pointer = 64;
  EXPECT_EQ(refusal({}, pointer, 1.0, Pair{}),
            "kernel \"k\": argument 1 has 8 bytes, parameter 1 (int n) takes 4 bytes");
  EXPECT_EQ(refusal({}, pointer, 1),
            "kernel \"k\": 2 arguments for 3 parameters; the first missing one is parameter 2 "
            "(int pair) of 8 bytes");
  EXPECT_EQ(refusal({}, pointer, 1, Pair{}, 4), "kernel \"k\": 4 arguments for 3 parameters");
  DeviceMemory freed(8);
  freed.free();
  EXPECT_EQ(refusal({}, freed, 1, Pair{}), "device memory passed to a kernel was freed");
  EXPECT_EQ(fake::state().count("cuLaunchKernel"), 0);
}

TEST_F(KernelLaunch, CollectedArgumentsAreTheSame) {
  const Function k = module_->function("k");
  ArgumentBuffer arguments(k.parameters(), k.name());
  arguments.add_pointer(64);
  arguments.add(3);
  arguments.add(Pair{1, 2});
  k.launch({}, arguments);
  EXPECT_EQ(as<int>(fake::state().launches.front().arguments[1]), 3);
}

TEST_F(KernelLaunch, PackedArgumentsMustHaveTheRightLength) {
  const Function k = module_->function("k");
  const std::vector<std::byte> packed(24);
  k.launch_buffer({}, packed.data(), packed.size());
  EXPECT_EQ(fake::state().launches.front().packed.size(), 24u);
  try {
    k.launch_buffer({}, packed.data(), 20);
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_EQ(error.message(),
              "kernel \"k\": the packed arguments have 20 bytes, the parameters take 24");
  }
}

TEST_F(KernelLaunch, ARefusedBlockIsExplainedWithTheNumbers) {
  fake::state().fail_next["cuLaunchKernel"] = 1;
  EXPECT_EQ(refusal({.grid = {1}, .block = {33, 33}}, DevicePointer{}, 1, Pair{}),
            "cuLaunchKernel failed: invalid argument - kernel \"k\", grid 1x1x1, block 33x33x1; a "
            "block of 33x33x1 = 1089 threads, the kernel allows 512 (128 registers x 1089 threads "
            "= 139392 of 65536)");
}

TEST_F(KernelLaunch, ARefusedGridOrSharedMemoryIsExplainedWithTheNumbers) {
  fake::state().fail_next["cuLaunchKernel"] = 1;
  EXPECT_THAT(refusal({.grid = {0, 70000}}, DevicePointer{}, 1, Pair{}),
              HasSubstr("grid.x is 0; grid.y is 70000, the device allows 65535"));
  fake::state().fail_next["cuLaunchKernel"] = 1;
  EXPECT_THAT(refusal({.shared_bytes = 50000}, DevicePointer{}, 1, Pair{}),
              HasSubstr("50000 bytes of dynamic shared memory beside 1000 static ones, the kernel "
                        "allows 48000 (set max_dynamic_shared_size_bytes for up to 98000)"));
}

TEST_F(KernelLaunch, ARefusedShapeIsALaunchErrorWithTheDriversCode) {
  fake::state().fail_next["cuLaunchKernel"] = 1;
  try {
    module_->function("none").launch({.block = {2000}});
    FAIL();
  } catch (const LaunchError& error) {
    EXPECT_EQ(error.code(), 1);
  }
}

TEST_F(KernelLaunch, BlocksThatMayMeetAreStartedByTheCallForThem) {
  const Function k = module_->function("k");
  const Stream stream;
  k.launch(
      {.grid = {2, 3}, .block = {32}, .shared_bytes = 7, .cooperative = true, .stream = stream},
      DevicePointer{64}, 42, Pair{1, 2});
  const std::vector<std::byte> packed(24);
  k.launch_buffer({.cooperative = true}, packed.data(), packed.size());
  EXPECT_EQ(fake::state().count("cuLaunchKernel"), 0);
  ASSERT_EQ(fake::state().count("cuLaunchKernelEx"), 2);
  const fake::Launch& launch = fake::state().launches.front();
  EXPECT_TRUE(launch.cooperative);
  EXPECT_EQ(launch.grid, (Dim3{2, 3, 1}));
  EXPECT_EQ(launch.block, (Dim3{32, 1, 1}));
  EXPECT_EQ(launch.shared_bytes, 7u);
  EXPECT_EQ(launch.stream, stream.raw());
  EXPECT_EQ(as<int>(launch.arguments[1]), 42);
  EXPECT_EQ(fake::state().launches.back().packed.size(), 24u);
}

TEST_F(KernelLaunch, MoreBlocksThanCanMeetAreExplainedWithTheNumbers) {
  fake::state().fail_next["cuLaunchKernelEx"] = CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
  const std::string text =
      refusal({.grid = {500, 7}, .cooperative = true}, DevicePointer{}, 1, Pair{});
  EXPECT_THAT(text, HasSubstr("grid 500x7x1, block 1x1x1, cooperative; 3500 blocks, the device "
                              "holds 300 of this kernel and shape at once (3 on each of 100 "
                              "multiprocessors)"));
}

TEST_F(KernelLaunch, ADriverThatIsTooOldForBlocksThatMeetSaysSo) {
  auto table = std::make_shared<Table>(fake::driver().table());
  table->cuLaunchKernelEx = Table().cuLaunchKernelEx;
  const auto guard = Context::make_current(Device(Driver(table), 1));
  const Module module(ModuleImage{std::vector<std::byte>(16), {}});
  EXPECT_THROW(module.function("none").launch({.cooperative = true}), NotSupported);
}

TEST_F(KernelLaunch, HappensInTheModulesContextOnAnyThread) {
  const Function none = module_->function("none");
  fake::state().calls.clear();
  std::thread([&] { none.launch({}); }).join();
  EXPECT_THAT(
      fake::state().calls,
      testing::ElementsAre("cuCtxPushCurrent(100)", "cuLaunchKernel(100)", "cuCtxPopCurrent()"));
  none.context().detach();
  EXPECT_THROW(none.launch({}), InvalidState);
}

TEST_F(KernelLaunch, WhereTheDriverTellsNoLayoutNothingIsChecked) {
  auto table = std::make_shared<Table>(fake::driver().table());
  table->cuFuncGetParamInfo = Table().cuFuncGetParamInfo;
  const auto guard = Context::make_current(Device(Driver(table), 1));
  const Module module(ModuleImage{std::vector<std::byte>(16), {}});
  const Function k = module.function("k");
  EXPECT_FALSE(k.parameters().known);
  EXPECT_NO_THROW(k.launch({}, DevicePointer{}, 1, Pair{}));
}

TEST_F(KernelLaunch, WithTreadleSyncTheGuiltyKernelIsNamed) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";  // settings are read once in a process
  const auto launch_in_sync_mode = [&] {
    setenv("TREADLE_SYNC", "1", 1);
    fake::state().fail_next["cuStreamSynchronize"] = 719;
    try {
      module_->function("none").launch({.grid = {3}});
    } catch (const LaunchError& error) {
      std::fputs(error.what(), stderr);
      std::exit(0);
    }
    std::exit(1);
  };
  EXPECT_EXIT(launch_in_sync_mode(), testing::ExitedWithCode(0),
              "cuStreamSynchronize failed: .* kernel \"none\", grid 3x1x1, block 1x1x1");
}

TEST_F(KernelLaunch, AttributesAndLayoutAreTheDrivers) {
  const Function k = module_->function("k");
  EXPECT_EQ(k.attribute(FunctionAttribute::num_regs), 128);
  EXPECT_EQ(k.parameters().buffer_bytes, 24u);
  EXPECT_EQ(k.parameters().parameters[1].name, "n");
  EXPECT_EQ(k.parameters().parameters[1].kind, ParameterKind::integer);
  EXPECT_THROW(k.set_cache_config(CacheConfig::prefer_l1), NotSupported);
}

}  // namespace
}  // namespace treadle::cuda

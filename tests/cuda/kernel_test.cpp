// SPDX-License-Identifier: MIT
// Real kernels through the shell, on each provider: compiled text in, results and errors out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <thread>
#include <vector>

#include "cuda/providers.hpp"
#include "treadle/base/error.hpp"
#include "treadle/compile/compile.hpp"
#include "treadle/cuda/copy.hpp"
#include "treadle/cuda/event.hpp"
#include "treadle/cuda/launch_log.hpp"
#include "treadle/cuda/module.hpp"

namespace treadle::cuda {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;

const char* const source = R"(
extern "C" __global__ void twice(float* values, float factor, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) values[i] *= factor;
}

template <class T, int Step>
__global__ void scale(T* values) { values[threadIdx.x] *= T(Step); }

__constant__ int table[4];
__device__ int total;
extern "C" __global__ void look_up(int* out) { out[threadIdx.x] = table[threadIdx.x] + total; }

struct Mixed { char tag; double weight; short count; };
extern "C" __global__ void take(double* out, char before, Mixed mixed, int after)
{
    out[0] = before; out[1] = mixed.tag; out[2] = mixed.weight; out[3] = mixed.count; out[4] = after;
}

extern "C" __global__ void reverse(int* values)
{
    extern __shared__ int copy[];
    copy[threadIdx.x] = values[threadIdx.x];
    __syncthreads();
    values[threadIdx.x] = copy[blockDim.x - 1 - threadIdx.x];
}

extern "C" __global__ void stray(int* address) { *address = 1; }
)";

class OnKernels : public OnEachProvider {
 protected:
  void SetUp() override {
    OnEachProvider::SetUp();
    if (IsSkipped()) return;
    try {
      module_.emplace(compile_cuda(source, compile::Target::parse(device().target()),
                                   {.name_expressions = {"scale<float, 4>", "scale<int, 3>"}})
                          .image);
    } catch (const LibraryNotFound& error) {
      GTEST_SKIP() << "no compiler for " << device().target() << ": " << error.library();
    }
  }
  void TearDown() override {
    module_.reset();
    OnEachProvider::TearDown();
  }
  const Module& module() const { return *module_; }

  template <class T>
  static DeviceMemory on_device(const std::vector<T>& values) {
    DeviceMemory memory(values.size() * sizeof(T));
    memory.copy_from(values);
    return memory;
  }
  template <class T>
  static std::vector<T> on_host(const DeviceMemory& memory) {
    std::vector<T> values(memory.size_bytes() / sizeof(T));
    memory.copy_to(values);
    return values;
  }

 private:
  std::optional<Module> module_;
};

TEST_P(OnKernels, ComputeWhatTheyAreToldTo) {
  std::vector<float> values(1000);
  std::iota(values.begin(), values.end(), 0.0f);
  const DeviceMemory memory = on_device(values);
  module().function("twice").launch({.grid = {4}, .block = {256}}, memory, 2.0f, 999);
  const auto result = on_host<float>(memory);
  EXPECT_EQ(result[998], 1996.0f);
  EXPECT_EQ(result[999], 999.0f);
}

TEST_P(OnKernels, AreFoundByNameExpression) {
  const DeviceMemory memory = on_device(std::vector<float>{1, 2, 3});
  const Function scale = module().function("scale<float,4>");
  EXPECT_EQ(scale.name(), "scale<float, 4>");
  scale.launch({.block = {3}}, memory);
  EXPECT_EQ(on_host<float>(memory), (std::vector<float>{4, 8, 12}));
  EXPECT_THAT(module().function_names(), Contains(HasSubstr("scale<int, 3>")));
}

TEST_P(OnKernels, AnUnknownOneIsRefusedWithTheNearest) {
  try {
    module().function("twise");
    FAIL();
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.code(), 500);
    EXPECT_THAT(error.detail(), HasSubstr("near it: \"twice\""));
  }
}

TEST_P(OnKernels, ReadTheVariablesThatTheHostWrote) {
  const std::vector<int> table = {10, 20, 30, 40};
  const int total = 5;
  const Global in_table = module().global("table"), in_total = module().global("total");
  EXPECT_EQ(in_table.size_bytes, 16u);
  EXPECT_EQ(in_total.size_bytes, 4u);
  copy_to_device(in_table.address, table.data(), 16);
  copy_to_device(in_total.address, &total, 4);
  const DeviceMemory out(16);
  module().function("look_up").launch({.block = {4}}, out);
  EXPECT_EQ(on_host<int>(out), (std::vector<int>{15, 25, 35, 45}));
  EXPECT_THROW(module().global("tabel"), DeviceError);
}

TEST_P(OnKernels, TakeStructuresAtTheirAlignment) {
  struct Mixed {
    char tag;
    double weight;
    short count;
  };
  const Function take = module().function("take");
  const ParameterLayout& layout = take.parameters();
  if (layout.known) {
    ASSERT_EQ(layout.parameters.size(), 4u);
    EXPECT_EQ(layout.parameters[2].offset, 16u);
    EXPECT_EQ(layout.parameters[2].size, sizeof(Mixed));
    EXPECT_EQ(layout.buffer_bytes, 44u);
  }
  const DeviceMemory out(40);
  take.launch({}, out, char{1}, Mixed{2, 3.5, 4}, 5);
  EXPECT_EQ(on_host<double>(out), (std::vector<double>{1, 2, 3.5, 4, 5}));

  std::vector<std::byte> packed(44);
  const DevicePointer address = out.address();
  const Mixed mixed{6, 7.5, 8};
  const int after = 9;
  std::memcpy(&packed[0], &address, 8);
  std::memcpy(&packed[16], &mixed, sizeof mixed);
  std::memcpy(&packed[40], &after, 4);
  take.launch_buffer({}, packed.data(), packed.size());
  EXPECT_EQ(on_host<double>(out), (std::vector<double>{0, 6, 7.5, 8, 9}));
}

TEST_P(OnKernels, WrongArgumentsAreRefusedByIndexAndSizes) {
  const Function twice = module().function("twice");
  if (!twice.parameters().known) GTEST_SKIP() << "this driver tells no parameter layout";
  const auto refusal = [&](auto... arguments) {
    try {
      twice.launch({}, arguments...);
    } catch (const InvalidArgument& error) {
      return error.message();
    }
    return std::string("launched");
  };
  const DevicePointer pointer = 0;
  EXPECT_THAT(refusal(pointer, 2.0, 1), HasSubstr("argument 1 has 8 bytes"));
  EXPECT_THAT(refusal(pointer, 2.0, 1), HasSubstr("takes 4 bytes"));
  EXPECT_THAT(refusal(pointer, 2.0f), HasSubstr("2 arguments for 3 parameters"));
  if (GetParam() == Provider::cpu) {
    EXPECT_THAT(refusal(pointer, 2.0, 1), HasSubstr("factor"));
  }
}

TEST_P(OnKernels, UseDynamicSharedMemory) {
  const DeviceMemory memory = on_device(std::vector<int>{1, 2, 3, 4});
  module().function("reverse").launch({.block = {4}, .shared_bytes = 16}, memory);
  EXPECT_EQ(on_host<int>(memory), (std::vector<int>{4, 3, 2, 1}));
}

TEST_P(OnKernels, AShapeTheDeviceCannotDoIsExplained) {
  const DeviceMemory memory(4096);
  const Function twice = module().function("twice");
  const auto refusal = [&](const LaunchConfig& config) {
    try {
      twice.launch(config, memory, 1.0f, 0);
    } catch (const LaunchError& error) {
      EXPECT_EQ(error.code(), 1);
      return error.detail();
    }
    return std::string("launched");
  };
  EXPECT_THAT(refusal({.block = {33, 33}}),
              HasSubstr("a block of 33x33x1 = 1089 threads, the device allows 1024"));
  EXPECT_THAT(refusal({.grid = {0}}), HasSubstr("grid.x is 0"));
  EXPECT_THAT(refusal({.grid = {1, 70000}}), HasSubstr("grid.y is 70000"));
  EXPECT_THAT(refusal({.block = {1, 1, 65}}), HasSubstr("block.z is 65"));
  EXPECT_THAT(refusal({.shared_bytes = 60000}), HasSubstr("60000 bytes of dynamic shared memory"));
  twice.launch({}, memory, 1.0f, 0);
  context().synchronize();
}

TEST_P(OnKernels, MayOptInToMoreSharedMemory) {
  const Function reverse = module().function("reverse");
  reverse.set_attribute(FunctionAttribute::max_dynamic_shared_size_bytes, 60000);
  EXPECT_EQ(reverse.attribute(FunctionAttribute::max_dynamic_shared_size_bytes), 60000);
  const DeviceMemory memory = on_device(std::vector<int>{1, 2});
  reverse.launch({.block = {2}, .shared_bytes = 60000}, memory);
  EXPECT_EQ(on_host<int>(memory), (std::vector<int>{2, 1}));
}

TEST_P(OnKernels, HaveAttributes) {
  const Function reverse = module().function("reverse");
  EXPECT_EQ(reverse.attribute(FunctionAttribute::max_threads_per_block), 1024);
  EXPECT_EQ(reverse.attribute(FunctionAttribute::shared_size_bytes), 0);
  EXPECT_GE(reverse.attribute(FunctionAttribute::num_regs), 0);
  reverse.set_cache_config(CacheConfig::prefer_l1);
}

TEST_P(OnKernels, LaunchFromThreadsThatHaveNoContext) {
  const DeviceMemory memory = on_device(std::vector<float>(4, 1.0f));
  const Function twice = module().function("twice");
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] { twice.launch({.block = {4}}, memory, 2.0f, 4); });
  for (std::thread& thread : threads) thread.join();
  context().synchronize();
  EXPECT_EQ(on_host<float>(memory), std::vector<float>(4, 256.0f));
}

TEST_P(OnKernels, RunInTheOrderOfTheirStream) {
  const DeviceMemory memory = on_device(std::vector<float>(256, 1.0f));
  const Stream stream(StreamFlags::non_blocking);
  const Event start, end;
  const Function twice = module().function("twice");
  start.record(stream);
  for (int i = 0; i < 10; ++i) twice.launch({.block = {256}, .stream = stream}, memory, 2.0f, 256);
  end.record(stream);
  end.synchronize();
  EXPECT_GE(end.milliseconds_since(start), 0.0f);
  EXPECT_EQ(on_host<float>(memory), std::vector<float>(256, 1024.0f));
}

TEST_P(OnKernels, AFaultIsAnErrorOfItsContextAndTheProcessGoesOn) {
  if (GetParam() == Provider::nvidia)
    GTEST_SKIP() << "on an NVIDIA GPU a fault takes the whole process's CUDA state with it";
  const DeviceMemory survivor = on_device(std::vector<float>(4, 1.0f));
  {
    const Context doomed = Context::create(device());
    const auto guard = Context::make_current(doomed);
    const Module module(compile_cuda(source, compile::Target::parse(device().target()), {}).image);
    module.function("stray").launch({}, DevicePointer{16});
    try {
      doomed.synchronize();
      FAIL();
    } catch (const LaunchError& error) {
      EXPECT_EQ(error.code(), 700);
      EXPECT_THAT(error.detail(), HasSubstr("stray"));
    }
    doomed.detach();
  }
  module().function("twice").launch({.block = {4}}, survivor, 2.0f, 4);
  EXPECT_EQ(on_host<float>(survivor), std::vector<float>(4, 2.0f));
}

/// Ten launches, the fourth of which writes where nothing is; what the error says.
std::string fault_in_the_fourth_of_ten(const Device& device) {
  const Context doomed = Context::create(device);
  const auto guard = Context::make_current(doomed);
  const Module module(compile_cuda(source, compile::Target::parse(device.target()), {}).image);
  const DeviceMemory values = DeviceMemory(32 * sizeof(int));
  std::string said = "(no error)";
  try {
    for (int i = 1; i <= 10; ++i) {
      set_launch_site({"ten.py", i});
      if (i == 4)
        module.function("stray").launch({}, DevicePointer{16});
      else
        module.function("reverse").launch({.block = {32}, .shared_bytes = 128}, values);
    }
    doomed.synchronize();
  } catch (const LaunchError& error) {
    said = error.what();
  }
  set_launch_site({});
  doomed.detach();
  return said;
}

TEST_P(OnKernels, P13_AFaultNamesTheLaunchesItMayHaveBeen) {
  if (GetParam() == Provider::nvidia)
    GTEST_SKIP() << "on an NVIDIA GPU a fault takes the whole process's CUDA state with it";
  const std::string said = fault_in_the_fourth_of_ten(device());
  EXPECT_THAT(said, AllOf(HasSubstr("last launches"), HasSubstr("\"stray\", grid 1x1x1"),
                          HasSubstr("(ten.py:4)"), HasSubstr("the context is lost")));
}

TEST_P(OnKernels, P13_InSyncModeExactlyTheGuiltyOneIsNamed) {
  if (GetParam() == Provider::nvidia)
    GTEST_SKIP() << "on an NVIDIA GPU a fault takes the whole process's CUDA state with it";
  // Settings are read once in a process, so it is another one that has them from its start.
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  setenv("TREADLE_SYNC", "1", 1);
  const auto fail_in_sync_mode = [&] {
    const std::string said = fault_in_the_fourth_of_ten(device());
    std::fputs(said.c_str(), stderr);
    std::exit(said.find("reverse") == std::string::npos ? 0 : 1);
  };
  EXPECT_EXIT(fail_in_sync_mode(), testing::ExitedWithCode(0),
              "cuStreamSynchronize failed: .*kernel \"stray\", grid 1x1x1.*the context is lost");
  unsetenv("TREADLE_SYNC");
}

INSTANTIATE_TEST_SUITE_P(Providers, OnKernels, each_provider, provider_name);

}  // namespace
}  // namespace treadle::cuda

// SPDX-License-Identifier: MIT
// Launches and what is checked before them, on every device.
#include "treadle/device/kernel.hpp"

#include "device/each_device.hpp"
#include "treadle/device/launch_log.hpp"

namespace treadle::device {
namespace {

class KernelTest : public OnEachDevice {
 protected:
  /// The bad launch is refused before anything is queued: the stream stays usable.
  template <class Type, class... Arguments>
  void expect_refused(const std::vector<std::string>& parts, const std::string& name,
                      const LaunchShape& shape, const Arguments&... arguments) {
    const Kernel launched = kernel(name);
    expect_error<Type>([&] { stream().launch(launched, shape, arguments...); }, parts);
    stream().synchronize();
  }
};
INSTANTIATE_TEST_SUITE_P(Devices, KernelTest, each_device(), device_test_name);

TEST_P(KernelTest, ComputesOnItsArguments) {
  std::vector<float> values(1000);
  std::iota(values.begin(), values.end(), 0.0f);
  const Buffer buffer(device(), values);
  stream().launch(kernel("scale"), shape_for(1000), buffer, 2.5f, 1000);
  std::vector<float> scaled(1000);
  buffer.copy_to(scaled, stream());
  stream().synchronize();
  for (std::size_t i = 0; i < 1000; ++i)
    ASSERT_EQ(scaled[i], values[i] * (runs_kernels() ? 2.5f : 1.0f));
}

TEST_P(KernelTest, ValuesOfEachSizeArrive) {
  const Buffer buffer(device(), std::vector<double>{0});
  stream().launch(kernel("store_wide"), {}, buffer, 0.25, std::int64_t{1} << 40, std::int16_t{-3});
  stream().synchronize();
  std::vector<double> values(1);
  buffer.copy_to(values);
  if (runs_kernels()) {
    EXPECT_EQ(values[0], 0.25 + 1099511627776.0 - 3);
  }
}

TEST_P(KernelTest, NoParametersNeedNoArguments) {
  stream().launch(kernel("no_parameters"), {.groups = 2, .group_size = 2});
  stream().synchronize();
}

TEST_P(KernelTest, ParametersAreAsTheSourceHasThem) {
  const Kernel scale = kernel("scale");
  ASSERT_TRUE(scale.parameters_known());
  ASSERT_EQ(scale.parameters().size(), 3u);
  for (const std::size_t i : {0u, 1u, 2u}) {
    const std::size_t size = scale.parameters()[i].size_bytes;
    EXPECT_EQ(size, i == 0 ? 8u : 4u);
  }
  EXPECT_GT(scale.max_group_items(), 0u);
}

TEST_P(KernelTest, LaunchesAreRemembered) {
  const Buffer buffer = buffer_of({1});
  stream().launch(kernel("set_all"), {.groups = {2, 3}, .group_size = 32}, buffer, 5, 1);
  const auto launches = last_launches(*device());
  ASSERT_FALSE(launches.empty());
  EXPECT_EQ(launches[0].kernel, "set_all");
  EXPECT_EQ(launches[0].shape.groups, Extent(2, 3));
  EXPECT_EQ(launches[0].shape.group_size, Extent(32));
}

TEST_P(KernelTest, OffsetsOfMemoryReachTheKernel) {
  const std::size_t step = std::max<std::size_t>(info().limits.offset_alignment, 16);
  const Buffer buffer = buffer_of(std::vector<int>(step, 0));  // step * 4 bytes
  stream().launch(kernel("set_all"), shape_for(2), buffer.location() + 2 * step, 5, 2);
  stream().synchronize();
  const std::vector<int> values = contents(buffer);
  const std::size_t first = 2 * step / sizeof(int);
  for (std::size_t i = 0; i < values.size(); ++i)
    ASSERT_EQ(values[i], runs_kernels() && (i == first || i == first + 1) ? 5 : 0) << i;
}

TEST_P(KernelTest, MisalignedOffsetsAreRefused) {
  if (info().limits.offset_alignment <= 4) GTEST_SKIP() << info().id << " takes any offset";
  const Buffer buffer = buffer_of(std::vector<int>(64, 0));
  expect_refused<InvalidArgument>({"argument 0", "byte 4", "multiples of"}, "set_all", {},
                                  buffer.location() + 4, 5, 2);
}

TEST_P(KernelTest, ArgumentsAsManyAsAKernelMayHave) {
  std::string parameters, sum;
  for (int i = 0; i < 60; ++i) {
    parameters += ", int p" + std::to_string(i);
    sum += " + p" + std::to_string(i);
  }
  const kernel::Program program =
      compile("KERNEL many(GLOBAL int* a" + parameters + ") { a[INDEX] = 0" + sum + "; }");
  const Buffer buffer = buffer_of({0});
  const std::vector<int> values = count_up(60);
  std::vector<Argument> arguments = {buffer};
  for (const int& value : values) arguments.emplace_back(value);
  stream().launch_arguments(program.kernel("many"), {}, arguments);
  stream().synchronize();
  EXPECT_EQ(contents(buffer), std::vector<int>{runs_kernels() ? 60 * 59 / 2 : 0});
}

TEST_P(KernelTest, StructuresArePassedByValue) {
  const kernel::Program program = compile(
      "typedef struct { int a; float b; } pair_t;\n"
      "KERNEL unpack(GLOBAL float* to, pair_t pair) { to[INDEX] = pair.a + pair.b; }");
  const Buffer buffer(device(), std::vector<float>{0});
  struct {
    int a = 3;
    float b = 0.5f;
  } const pair;
  stream().launch(program.kernel("unpack"), {}, buffer, pair);
  stream().synchronize();
  std::vector<float> value(1);
  buffer.copy_to(value);
  if (runs_kernels()) {
    EXPECT_EQ(value[0], 3.5f);
  }
}

TEST_P(KernelTest, LocalMemoryOfTheSizeTheLaunchSays) {
  const bool is_cuda = info().language == Language::cuda_c;
  const kernel::Program program{
      device(), is_cuda ? "extern \"C\" __global__ void turn(int* a) {\n"
                          "  extern __shared__ int tile[];\n"
                          "  tile[threadIdx.x] = a[threadIdx.x]; __syncthreads();\n"
                          "  a[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];\n}"
                        : "__kernel void turn(__global int* a, __local int* tile) {\n"
                          "  int i = get_local_id(0);\n"
                          "  tile[i] = a[i]; barrier(CLK_LOCAL_MEM_FENCE);\n"
                          "  a[i] = tile[get_local_size(0) - 1 - i];\n}"};
  const Buffer buffer = buffer_of(count_up(64));
  const Kernel turn = program.kernel("turn");
  if (info().traits.shape_local_memory) {
    stream().launch(turn, {.group_size = 64, .local_bytes = 256}, buffer);
    EXPECT_THROW(stream().launch(turn, {.group_size = 64}, buffer, Local{256}), InvalidArgument);
    // More than each kernel has without asking; back and forth.
    for (int time = 0; time < 2; ++time)
      if (info().limits.opt_in_local_memory_bytes >= 65536)
        stream().launch(turn, {.group_size = 64, .local_bytes = 65536}, buffer);
  } else {
    stream().launch(turn, {.group_size = 64}, buffer, Local{256});
    EXPECT_THROW(stream().launch(turn, {.group_size = 64, .local_bytes = 256}, buffer, Local{256}),
                 InvalidArgument);
    EXPECT_THROW(stream().launch(turn, {.group_size = 64}, buffer, 256), DTypeError);
  }
  stream().synchronize();
  std::vector<int> turned = count_up(64);
  if (runs_kernels()) std::ranges::reverse(turned);
  EXPECT_EQ(contents(buffer), turned);
}

TEST_P(KernelTest, GroupsOfACooperativeLaunchMeet) {
  const Buffer arrived = buffer_of({0}), seen = buffer_of(std::vector<int>(8));
  if (!info().traits.cooperative_launch) {
    expect_refused<NotSupported>({"set_all", "cooperative", "cannot meet", info().id}, "set_all",
                                 {.group_size = 64, .cooperative = true}, arrived, 5, 1);
    return;
  }
  // A barrier by hand: it needs no header, which NVRTC may lack.
  const kernel::Program program{
      device(),
      "extern \"C\" __global__ void meet(int* arrived, int* seen) {\n"
      "  if (threadIdx.x == 0) atomicAdd(arrived, 1);\n"
      "  if (threadIdx.x == 0) while (*(volatile int*)arrived < gridDim.x);\n"
      "  __syncthreads(); if (threadIdx.x == 31) seen[blockIdx.x] = *arrived;\n}"};
  const Kernel meet = program.kernel("meet");
  stream().launch(meet, {.groups = 8, .group_size = 32, .cooperative = true}, arrived, seen);
  stream().synchronize();
  EXPECT_EQ(contents(seen), std::vector<int>(8, runs_kernels() ? 8 : 0));
  EXPECT_TRUE(last_launches(*device()).at(0).shape.cooperative);
  if (!runs_kernels()) return;
  const LaunchShape too_many{.groups = 10'000'000, .group_size = 32, .cooperative = true};
  EXPECT_THROW(stream().launch(meet, too_many, arrived, seen), LaunchError);
}

// ---- bad input

TEST_P(KernelTest, NoGroupsRunNothing) {
  const Buffer buffer = buffer_of({1});
  stream().launch(kernel("set_all"), {.groups = 0, .group_size = 64}, buffer, 5, 1);
  stream().launch(kernel("set_all"), {.groups = {1, 0, 1}, .group_size = 64}, buffer, 5, 1);
  stream().synchronize();
  EXPECT_EQ(contents(buffer), std::vector<int>{1});
}

TEST_P(KernelTest, EmptyBuffersArePassedAsNoMemory) {
  const Buffer empty(device(), 0);
  stream().launch(kernel("set_all"), shape_for(1), empty, 5, 0);
  stream().synchronize();
}

TEST_P(KernelTest, GroupsWithoutWorkItemsAreRefused) {
  const Buffer buffer = buffer_of({1});
  expect_refused<InvalidArgument>({"set_all", "64x0x1", "no work-items"}, "set_all",
                                  {.group_size = {64, 0}}, buffer, 5, 1);
}

TEST_P(KernelTest, TooLargeGroupsAreRefusedWithTheLimit) {
  const Buffer buffer = buffer_of({1});
  const unsigned limit = kernel("set_all").max_group_items();
  expect_refused<InvalidArgument>({"set_all", std::to_string(limit + 1), std::to_string(limit)},
                                  "set_all", {.group_size = limit + 1}, buffer, 5, 1);
  const unsigned z = info().limits.max_group_size.z;
  if (z + 1 <= limit) {
    expect_refused<InvalidArgument>({"group_size.z", std::to_string(z)}, "set_all",
                                    {.group_size = {1, 1, z + 1}}, buffer, 5, 1);
  }
}

TEST_P(KernelTest, WrongNumberOfArgumentsIsRefused) {
  const Buffer buffer = buffer_of({1});
  expect_refused<InvalidArgument>({"set_all", "2 arguments for 3 parameters", "parameter 2"},
                                  "set_all", shape_for(1), buffer, 5);
  expect_refused<InvalidArgument>({"4 arguments for 3 parameters"}, "set_all", shape_for(1), buffer,
                                  5, 1, 1);
  expect_refused<InvalidArgument>({"0 arguments for 3 parameters"}, "set_all", shape_for(1));
}

TEST_P(KernelTest, WrongSizeOfAnArgumentIsRefused) {
  const Buffer buffer = buffer_of({1});
  expect_refused<InvalidArgument>({"set_all", "argument 1", "8 bytes", "4 bytes"}, "set_all",
                                  shape_for(1), buffer, std::int64_t{5}, 1);
  expect_refused<InvalidArgument>({"argument 2", "2 bytes"}, "set_all", shape_for(1), buffer, 5,
                                  std::int16_t{1});
}

TEST_P(KernelTest, MemoryForAValueAndValuesForMemoryAreRefused) {
  const Buffer buffer = buffer_of({1});
  expect_refused<InvalidArgument>({"argument 1 is device memory"}, "set_all", shape_for(1), buffer,
                                  buffer, 1);
  expect_refused<InvalidArgument>({"argument 0"}, "set_all", shape_for(1), 7, 5, 1);
}

TEST_P(KernelTest, FloatForIntegerIsRefusedWhereTheRuntimeTellsKinds) {
  const Buffer buffer = buffer_of({1});
  if (kernel("set_all").parameters()[1].kind == ParameterKind::unknown)
    GTEST_SKIP() << info().runtime << " tells sizes only";
  expect_refused<DTypeError>({"argument 1", "floating-point", "an integer"}, "set_all",
                             shape_for(1), buffer, 5.0f, 1);
  expect_refused<DTypeError>({"argument 1", "an integer", "floating-point"}, "scale", shape_for(1),
                             buffer, 5, 1);
}

TEST_P(KernelTest, FreedBuffersAreRefused) {
  Buffer buffer = buffer_of({1});
  buffer.free();
  const Kernel set_all = kernel("set_all");
  EXPECT_THROW(stream().launch(set_all, shape_for(1), buffer, 5, 1), InvalidState);
}

TEST_P(KernelTest, ForeignBuffersAreRefused) {
  const Buffer buffer(foreign(), 64);
  expect_refused<InvalidArgument>({"set_all", "argument 0", "null", info().id}, "set_all",
                                  shape_for(1), buffer, 5, 1);
}

TEST_P(KernelTest, ForeignKernelsAreRefused) {
  const kernel::Program program{foreign(), in_language(Language::cuda_c, kernels_text)};
  expect_error<InvalidArgument>(
      [&] { stream().launch(program.kernel("no_parameters"), {.group_size = 1}); },
      {"no_parameters", "null", info().id});
}

// ---- several streams and threads

TEST_P(KernelTest, OneKernelOnTwoStreamsKeepsArgumentsApart) {
  const auto other = device()->make_stream();
  const Kernel set_all = kernel("set_all");
  const Buffer a = buffer_of(std::vector<int>(64, 0)), b = buffer_of(std::vector<int>(64, 0));
  for (int i = 0; i < 50; ++i) {
    stream().launch(set_all, shape_for(64), a, 10, 64);
    other->launch(set_all, shape_for(64), b, 20, 64);
  }
  stream().synchronize();
  other->synchronize();
  EXPECT_EQ(contents(a), std::vector<int>(64, runs_kernels() ? 10 : 0));
  EXPECT_EQ(contents(b), std::vector<int>(64, runs_kernels() ? 20 : 0));
}

TEST_P(KernelTest, OneKernelOnManyThreadsKeepsArgumentsApart) {
  const Kernel set_all = kernel("set_all");
  on_threads(6, [&](int thread) {
    const auto own = device()->make_stream();
    const Buffer buffer = buffer_of(std::vector<int>(64, -1));
    for (int i = 0; i < 40; ++i) {
      const int value = 1000 * thread + i;
      own->launch(set_all, shape_for(64), buffer, value, 64);
      std::vector<int> seen(64);
      buffer.copy_to(seen, *own);
      own->synchronize();
      ASSERT_EQ(seen, std::vector<int>(64, runs_kernels() ? value : -1));
    }
  });
}

}  // namespace
}  // namespace treadle::device

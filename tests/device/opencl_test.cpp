// SPDX-License-Identifier: MIT
// The way from the waist to the OpenCL shell; on each OpenCL device there is.
#include "treadle/device/opencl.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "device/opencl_device.hpp"
#include "treadle/base/error.hpp"
#include "treadle/device/event.hpp"
#include "treadle/device/module.hpp"
#include "treadle/device/null.hpp"
#include "treadle/device/stream.hpp"
#include "treadle/opencl/device.hpp"
#include "treadle/opencl/kernel.hpp"
#include "treadle/opencl/memory.hpp"
#include "treadle/opencl/platform.hpp"
#include "treadle/opencl/program.hpp"
#include "treadle/opencl/table.hpp"
#include "treadle/opencl/transfer.hpp"

namespace treadle::device {
namespace {

using namespace opencl_test;

TEST_F(OpenclDeviceTest, WrappedObjectsCanBeReached) {
  const auto stream = device_->make_stream();
  const auto event = device_->make_event();
  const auto module = device_->build({"__kernel void k(__global int* a) { a[0] = 1; }"}).module;
  EXPECT_EQ(opencl_device(*device_)->name(), device_->info().name);
  EXPECT_EQ(opencl_queue(*stream)->context(), *opencl_context(*device_));
  EXPECT_EQ(opencl_program(*module)->kernel_names().size(), 1u);
  EXPECT_EQ(opencl_kernel(module->kernel("k"))->name(), "k");
  EXPECT_FALSE(opencl_event(*event));
  stream->record(*event);
  EXPECT_TRUE(opencl_event(*event));
  event->synchronize();
}

TEST_F(OpenclDeviceTest, TheEnvironmentChooses) {
  const char* before = std::getenv("PYOPENCL_CTX");
  const std::string kept = before != nullptr ? before : "";
  const std::string platform = opencl_device(*device_)->platform().name();
  setenv("PYOPENCL_CTX", (platform.substr(0, 4) + ":0").c_str(), 1);
  EXPECT_TRUE(requested_opencl_id()->ends_with(":0"));
  setenv("PYOPENCL_CTX", "0:0", 1);
  EXPECT_EQ(requested_opencl_id(), "opencl:0:0");
  setenv("PYOPENCL_CTX", "no such platform", 1);
  EXPECT_THROW(requested_opencl_id(), InvalidArgument);
  unsetenv("PYOPENCL_CTX");
  EXPECT_FALSE(requested_opencl_id());
  if (before != nullptr) setenv("PYOPENCL_CTX", kept.c_str(), 1);
}

TEST_F(OpenclDeviceTest, BuffersOfTheWaistServeTheShell) {
  const Buffer buffer(device_, std::vector<int>{1, 2, 3});
  const opencl::Buffer shell = opencl_buffer(*device_, buffer.location());
  EXPECT_EQ(shell.size_bytes(), 12u);
  std::vector<int> values(3);
  opencl::read(*opencl_queue(*device_->default_stream()), shell, values);
  EXPECT_EQ(values, (std::vector<int>{1, 2, 3}));
  EXPECT_THROW(opencl_buffer(*device_, {1234, 0}), InvalidState);
}

TEST_F(OpenclDeviceTest, BuffersOfTheShellServeTheWaist) {
  const opencl::Buffer shell(*opencl_context(*device_), 64);
  const Location location{reinterpret_cast<std::uint64_t>(shell.raw()), 0};
  device_->adopt(location, 64);
  const auto stream = device_->make_stream();
  const std::vector<int> values = {7, 8};
  std::vector<int> back(2);
  stream->copy_in(location + 8, values.data(), 8);
  stream->copy_out(back.data(), location + 8, 8);
  stream->synchronize();
  EXPECT_EQ(back, values);
  device_->forget(location);
}

TEST_F(OpenclDeviceTest, ModulesTellParametersAlsoWhenLoadedFromABinary) {
  const auto built = device_->build(
      {"__kernel void k(__global float* a, __local int* tile, uint n, float4 v) {}"});
  const auto loaded = device_->load(built.image);
  for (const auto& module : {built.module, loaded}) {
    const auto parameters = module->kernel("k").parameters();
    ASSERT_EQ(parameters.size(), 4u);
    EXPECT_EQ(parameters[0].kind, ParameterKind::memory);
    EXPECT_EQ(parameters[1].kind, ParameterKind::local);
    EXPECT_EQ(parameters[2].kind, ParameterKind::integer);
    EXPECT_EQ(parameters[2].name, "n");
    EXPECT_EQ(parameters[3].size_bytes, 16u);
  }
}

TEST(OpenclDevice, OthersAreNotOfOpencl) {
  const auto null = make_null_device();
  EXPECT_EQ(opencl_device(*null), nullptr);
  EXPECT_EQ(opencl_context(*null), nullptr);
  EXPECT_EQ(opencl_queue(*null->make_stream()), nullptr);
  EXPECT_THROW(opencl_event(*null->make_event()), InvalidArgument);
  EXPECT_THROW(opencl_buffer(*null, {}), InvalidArgument);
  EXPECT_THROW(event_of(*null, opencl::Event()), InvalidArgument);
  const auto module = null->build({"__kernel void k() {}"}).module;
  EXPECT_EQ(opencl_program(*module), nullptr);
  EXPECT_EQ(opencl_kernel(module->kernel("k")), nullptr);
}

/// The system's entry points, but building with argument info fails as NVIDIA's compiler does for
/// kernels without parameters: its assembler refuses the PTX.
namespace nvidia {

bool refused = false;

opencl::Loader loader() {
  static opencl::Table real;
  real = opencl::Loader::system().table();
  auto table = std::make_shared<opencl::Table>(real);
  table->clBuildProgram = [](auto program, auto count, auto devices, const char* options,
                             auto notify, auto user) {
    refused = std::string_view(options).find("-cl-kernel-arg-info") != std::string_view::npos;
    constexpr int build_program_failure = -11;
    return refused ? build_program_failure
                   : real.clBuildProgram(program, count, devices, options, notify, user);
  };
  table->clGetProgramBuildInfo = [](auto program, auto device, auto parameter, std::size_t size,
                                    void* value, std::size_t* needed) {
    constexpr unsigned build_log = 0x1183;
    static constexpr char log[] = "ptxas fatal   : Ptx assembly aborted due to errors";
    if (!refused || parameter != build_log)
      return real.clGetProgramBuildInfo(program, device, parameter, size, value, needed);
    if (needed != nullptr) *needed = sizeof log;
    if (value != nullptr) std::memcpy(value, log, std::min(size, sizeof log));
    return 0;
  };
  return opencl::Loader(table);
}

}  // namespace nvidia

TEST_F(OpenclDeviceTest, TextThatArgumentInfoBreaksIsBuiltWithoutIt) {
  const auto device = opencl_driver(nvidia::loader())->devices().at(0);
  const auto built =
      device->build({"__kernel void nothing(void) {}\n"
                     "__kernel void set(__global int* a, int value) { *a = value; }",
                     {"-DUNUSED"}});
  EXPECT_FALSE(nvidia::refused);
  EXPECT_TRUE(built.module->kernel("nothing").parameters().empty());
  for (const auto& module : {built.module, device->load(built.image)}) {
    const Kernel set = module->kernel("set");
    ASSERT_EQ(set.parameters().size(), 2u);
    EXPECT_EQ(set.parameters()[1].name, "value");
    const Buffer a(device, std::vector<int>{0});
    Stream& stream = *device->default_stream();
    EXPECT_THROW(stream.launch(set, {}, a, 1.5f), DTypeError);
    stream.launch(set, {}, a, 7);
    EXPECT_EQ(contents(a), std::vector<int>{7});
  }
}

// ---- what a device tells

TEST_F(OpenclDeviceTest, InfoIsWhatThePlatformTells) {
  const opencl::Device& shell = *opencl_device(*device_);
  const DeviceInfo& info = device_->info();
  using enum opencl::DeviceInfo;
  EXPECT_EQ(info.limits.max_allocation_bytes, shell.get<max_mem_alloc_size>());
  EXPECT_EQ(info.limits.parameter_bytes, shell.get<max_parameter_size>());
  EXPECT_EQ(info.limits.local_memory_bytes, shell.get<local_mem_size>());
  EXPECT_EQ(info.traits.fp64, shell.has_extension("cl_khr_fp64"));
  EXPECT_EQ(info.traits.exact_division, (shell.get<single_fp_config>() & 0x80) != 0);
  EXPECT_EQ(info.traits.atomics_64, shell.has_extension("cl_khr_int64_base_atomics"));
  EXPECT_EQ(info.performance.compute_units, shell.get<max_compute_units>());
  EXPECT_EQ(info.performance.clock_hz, 1e6 * static_cast<double>(shell.get<max_clock_frequency>()));
  EXPECT_TRUE(info.traits.builds_text);
  EXPECT_FALSE(info.traits.shape_local_memory);
  EXPECT_EQ(info.traits.schedule, info.kind == DeviceKind::cpu ? Schedule::narrow : Schedule::wide);
}

TEST_F(OpenclDeviceTest, KernelsTellWhatTheyNeed) {
  const auto module = device_
                          ->build({R"(
      __kernel void k(__global int* a) {
        __local int tile[256];
        tile[get_local_id(0)] = a[get_global_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
        a[get_global_id(0)] = tile[(get_local_id(0) + 1) % get_local_size(0)];
      })"})
                          .module;
  const Kernel kernel = module->kernel("k");
  // NVIDIA's platform (580.159) and newer ones of PoCL answer 0.
  const std::uint64_t local_bytes = kernel.resources().static_local_bytes;
  EXPECT_TRUE(local_bytes == 0 || local_bytes >= 1024u) << local_bytes;
  EXPECT_GE(kernel.resources().preferred_group_multiple, 1u);
  EXPECT_GE(kernel.max_group_items(), 1u);
  EXPECT_FALSE(kernel.groups_per_compute_unit(1));
  EXPECT_THROW(module->global("tile"), NotSupported);
}

TEST_F(OpenclDeviceTest, AddressesAreHandlesOfKnownBuffers) {
  const Buffer own(device_, 64), host = Buffer::page_locked(device_, 128);
  const auto own_info = device_->address_info(own.location().handle);
  EXPECT_EQ(own_info.kind, AddressInfo::Kind::device);
  EXPECT_EQ(own_info.location, own.location());
  EXPECT_EQ(own_info.size_bytes, 64u);
  EXPECT_TRUE(own_info.is_own);
  EXPECT_EQ(device_->address_info(host.location().handle).kind, AddressInfo::Kind::page_locked);
  const opencl::Buffer shell(*opencl_context(*device_), 32);
  const auto handle = reinterpret_cast<std::uint64_t>(shell.raw());
  EXPECT_EQ(device_->address_info(handle).kind, AddressInfo::Kind::unknown);
  device_->adopt({handle, 0}, 32);
  EXPECT_EQ(device_->address_info(handle).kind, AddressInfo::Kind::device);
  EXPECT_EQ(device_->address_info(handle).size_bytes, 32u);
  device_->forget({handle, 0});
}

}  // namespace
}  // namespace treadle::device

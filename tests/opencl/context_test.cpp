// SPDX-License-Identifier: MIT
#include "treadle/opencl/context.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <future>

#include "opencl/each_platform.hpp"
#include "treadle/opencl/table.hpp"
#include "treadle/process/warning.hpp"

namespace treadle::opencl {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class ContextTest : public OnEachPlatform {};
INSTANTIATE_TEST_SUITE_P(, ContextTest, each_platform, platform_test_name);

TEST_P(ContextTest, KnowsItsDevicesAndPlatform) {
  EXPECT_THAT(context().devices(), ElementsAre(device()));
  EXPECT_EQ(context().platform(), device().platform());
  EXPECT_EQ(context().get<ContextInfo::num_devices>(), 1u);
  EXPECT_THAT(context().get<ContextInfo::devices>(), ElementsAre(device().raw()));
}

TEST_P(ContextTest, CopiesAreOneContextOfOneReference) {
  const Context copy = context();
  EXPECT_EQ(copy, context());
  EXPECT_NE(copy, Context(device()));
  EXPECT_EQ(Context(device()).get<ContextInfo::reference_count>(), 1u);
}

TEST_P(ContextTest, TakesProperties) {
  const std::intptr_t properties[] = {CL_CONTEXT_PLATFORM,
                                      reinterpret_cast<std::intptr_t>(device().platform().raw())};
  const Device devices[] = {device()};
  const Context made(devices, properties);
  EXPECT_THAT(made.get<ContextInfo::properties>(),
              ElementsAre(CL_CONTEXT_PLATFORM, static_cast<std::uint64_t>(properties[1]), 0));
}

TEST_P(ContextTest, WrapsAnotherLibrarysContext) {
  const Context made(device());
  const Context wrapped(Loader::system().shared_table(), made.raw(), Ownership::retain);
  EXPECT_EQ(wrapped, made);
  EXPECT_THAT(wrapped.devices(), ElementsAre(device()));
  EXPECT_EQ(wrapped.platform(), device().platform());
  EXPECT_EQ(wrapped.get<ContextInfo::reference_count>(), 2u);
}

TEST_P(ContextTest, OutlivesItsLastCopyWhileABufferLives) {
  Buffer buffer;
  {
    const Context local(device());
    buffer = Buffer(local, 16);
  }
  const Queue later(buffer.context());
  write(later, buffer, std::vector<int>{1, 2, 3, 4});
  EXPECT_EQ(buffer.context().devices().front(), device());
}

TEST_P(ContextTest, RefusesAPropertyItDoesNotKnow) {
  const std::intptr_t nonsense[] = {12345, 1};
  const Device devices[] = {device()};
  const DeviceError error = device_error_of([&] { Context(devices, nonsense); });
  EXPECT_EQ(error.call(), "clCreateContext");
  EXPECT_THAT(error.what(), HasSubstr(device().name()));
}

TEST_P(ContextTest, SetsADefaultDeviceQueueOrSaysWhyNot) {
  try {
    context().set_default_device_queue(device(), queue());
  } catch (const NotSupported&) {
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.call(), "clSetDefaultDeviceCommandQueue");
  }
}

TEST(OpenCLContext, WithoutDevicesIsRefused) {
  EXPECT_THROW(Context(std::span<const Device>{}), InvalidArgument);
}

TEST(OpenCLContext, AnEmptyOneSaysSo) {
  const Context empty;
  EXPECT_FALSE(empty);
  EXPECT_THROW(empty.raw(), InvalidState);
  EXPECT_THROW(empty.devices(), InvalidState);
  EXPECT_EQ(empty, Context());
}

// A platform of functions: what it was given can be called when the test wants.
struct Given {
  void(CL_CALLBACK* notify)(const char*, const void*, std::size_t, void*) = nullptr;
  void* user = nullptr;
};
Given given;

Device notifying_device() {
  auto table = std::make_shared<Table>();
  table->clCreateContext = [](const cl_context_properties*, cl_uint, const cl_device_id*,
                              decltype(Given::notify) notify, void* user,
                              cl_int* code) -> cl_context {
    given = {notify, user};
    *code = CL_SUCCESS;
    return reinterpret_cast<cl_context>(16);
  };
  table->clReleaseContext = [](cl_context) -> cl_int { return CL_SUCCESS; };
  return {table, reinterpret_cast<RawDevice>(16), Ownership::adopt};
}

TEST(OpenCLContextNotifier, GetsTextAndPrivateInformation) {
  std::string said;
  std::size_t bytes = 0;
  const Device devices[] = {notifying_device()};
  const Context context(devices, {},
                        [&](std::string_view text, std::span<const std::byte> information) {
                          said = text;
                          bytes = information.size();
                        });
  ASSERT_NE(given.notify, nullptr);
  given.notify("it burns", "abc", 3, given.user);
  EXPECT_EQ(said, "it burns");
  EXPECT_EQ(bytes, 3u);
  given.notify(nullptr, nullptr, 3, given.user);
  EXPECT_EQ(said, "");
  EXPECT_EQ(bytes, 0u);
}

TEST(OpenCLContextNotifier, IsSilentOnceTheContextIsGone) {
  int calls = 0;
  {
    const Device devices[] = {notifying_device()};
    const Context context(devices, {}, [&](auto, auto) { ++calls; });
  }
  given.notify("too late", nullptr, 0, given.user);
  EXPECT_EQ(calls, 0);
}

TEST(OpenCLContextNotifier, MayThrow) {
  std::string warning;
  const auto before = set_warning_handler([&](std::string_view text) { warning = text; });
  const Device devices[] = {notifying_device()};
  const Context context(devices, {}, [](auto, auto) { throw InvalidState("no"); });
  given.notify("text", nullptr, 0, given.user);
  set_warning_handler(before);
  EXPECT_THAT(warning, HasSubstr("notifier threw: no"));
}

TEST(OpenCLContextNotifier, IsNotGivenWhereThereIsNone) {
  const Context context(notifying_device());
  EXPECT_EQ(given.notify, nullptr);
}

TEST_P(ContextTest, TellsWhenItEnds) {
  if (context().platform().version() < Version{3, 0}) GTEST_SKIP() << "before OpenCL 3.0";
  std::promise<void> ended;
  {
    const Context other(device());
    other.on_destruction([&] { ended.set_value(); });
    const Buffer buffer(other, 16);
  }
  EXPECT_EQ(ended.get_future().wait_for(std::chrono::seconds(20)), std::future_status::ready);
}

TEST_P(ContextTest, IsTerminatedWherePlatformsCan) {
  if (context().platform().has_extension("cl_khr_terminate_context"))
    GTEST_SKIP() << "the platform ends contexts";
  EXPECT_THROW(context().terminate(), NotSupported);
}

TEST(OpenCLContext, JoinsDevicesOfOnePlatformOnly) {
  auto other = std::make_shared<Table>();
  other->platform = reinterpret_cast<RawPlatform>(32);
  const auto name = [](cl_device_id, cl_device_info, std::size_t size, void* data,
                       std::size_t* size_out) -> cl_int {
    if (size_out != nullptr) *size_out = 2;
    if (size > 0) std::string("D").copy(static_cast<char*>(data), size);
    return CL_SUCCESS;
  };
  other->clGetDeviceInfo = name;
  auto first = std::make_shared<Table>();
  first->clGetDeviceInfo = name;
  const Device devices[] = {{first, reinterpret_cast<RawDevice>(16), Ownership::adopt},
                            {other, reinterpret_cast<RawDevice>(32), Ownership::adopt}};
  EXPECT_THROW(Context{devices}, InvalidArgument);
}

}  // namespace
}  // namespace treadle::opencl

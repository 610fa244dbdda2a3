// SPDX-License-Identifier: MIT
// Devices in contexts that somebody else made, and streams and events of theirs.
#include "device/each_device.hpp"
#include "treadle/cuda/capture.hpp"
#include "treadle/cuda/event.hpp"
#include "treadle/cuda/graph.hpp"

namespace treadle::device {
namespace {

class AdoptionTest : public OnEachDevice {
 protected:
  std::shared_ptr<Device> native() const { return find_device(plain_id(GetParam())); }
};
INSTANTIATE_TEST_SUITE_P(Devices, AdoptionTest, each_device(), device_test_name);

TEST_P(AdoptionTest, OneContextIsOneDevice) {
  const UserContext first(*native()), second(*native());
  EXPECT_NE(first.device(), second.device());
  EXPECT_NE(first.device(), native());
  EXPECT_TRUE(first.device()->is_adopted());
  EXPECT_FALSE(native()->is_adopted());
  EXPECT_EQ(first.device()->info().id, native()->info().id);
  if (const cuda::Context* context = cuda_context(*first.device())) {
    EXPECT_EQ(device_of(*context), first.device());
    EXPECT_EQ(last_device_of(*context), first.device().get());
    EXPECT_EQ(device_of(*cuda_context(*native())), native());
    EXPECT_EQ(last_device_of(*context), nullptr);
  }
  if (const opencl::Context* context = opencl_context(*first.device())) {
    const opencl::Device& shell = *opencl_device(*first.device());
    EXPECT_EQ(device_of(*context, shell), first.device());
    EXPECT_EQ(last_device_of(*context, shell), first.device().get());
    EXPECT_EQ(device_of(*opencl_context(*native()), shell), native());
    EXPECT_EQ(last_device_of(*context, shell), nullptr);
  }
}

TEST_P(AdoptionTest, OneRawStreamIsOneStream) {
  const UserContext user(*native());
  const auto stream = user.stream();
  ASSERT_NE(stream->raw(), 0u);
  EXPECT_EQ(user.device()->adopt_stream(stream->raw()), stream);
  EXPECT_EQ(&stream->device(), user.device().get());
  EXPECT_EQ(user.device()->adopt_stream(0), user.device()->default_stream());
  EXPECT_EQ(user.device()->adopt_stream(user.device()->default_stream()->raw()),
            user.device()->default_stream());
}

TEST_P(AdoptionTest, AskingAStreamThatCapturesLeavesTheGraphWhole) {
  const UserContext user(*native());
  const cuda::Context* const context = cuda_context(*user.device());
  if (context == nullptr) GTEST_SKIP() << "graphs are CUDA's";
  const auto raw = reinterpret_cast<cuda::RawStream>(user.stream()->raw());
  const cuda::CurrentContext current(*context);
  cuda::Capture capture{cuda::StreamRef(raw)};
  EXPECT_FALSE(user.stream()->is_done());
  EXPECT_EQ(capture.status(), cuda::CaptureStatus::active);
  capture.end();
  EXPECT_TRUE(user.stream()->is_done());
}

TEST_P(AdoptionTest, AStreamKeepsItsFirstOwner) {
  std::weak_ptr<int> kept;
  {
    const UserContext user(*native());
    auto owner = std::make_shared<int>(0);
    const auto other = std::make_shared<int>(0);
    kept = owner;
    const std::uint64_t raw = user.stream()->raw();
    const auto stream = user.device()->adopt_stream(raw, std::move(owner));
    EXPECT_EQ(user.device()->adopt_stream(raw, other), stream);
    EXPECT_EQ(other.use_count(), 1);
    EXPECT_FALSE(kept.expired());
  }
  EXPECT_TRUE(kept.expired());
}

TEST_P(AdoptionTest, StreamsOfAnotherContextAreRefused) {
  if (info().kind == DeviceKind::null) GTEST_SKIP() << "null devices know no contexts";
  const UserContext user(*native()), other(*native());
  expect_error<InvalidArgument>([&] { user.device()->adopt_stream(other.stream()->raw()); },
                                {info().id, "context"});
}

TEST_P(AdoptionTest, MemoryOfAnotherContextIsRefused) {
  const UserContext user(*native()), other(*native());
  const Buffer own(user.device(), 64), far(other.device(), 64);
  EXPECT_THROW(user.stream()->copy(own.location(), far.location(), 64), InvalidState);
  expect_error<InvalidArgument>(
      [&] {
        const kernel::Program program(user.device(), in_language(info().language, kernels_text));
        user.stream()->launch(program.kernel("set_all"), shape_for(1), far, 1, 1);
      },
      {"set_all", "argument 0"});
}

TEST_P(AdoptionTest, DefaultStreamIsTheLegacyOne) {
  const cuda::Context* context = cuda_context(*device());
  if (context == nullptr) GTEST_SKIP() << "only CUDA has a legacy default stream";
  EXPECT_EQ(device()->default_stream()->raw(), 0u);
  // Work of a blocking stream, as other libraries make them, comes first without asking.
  const cuda::Stream blocking(*context, cuda::StreamFlags::blocking);
  const auto other = stream_of(blocking);
  const Buffer a = buffer_of({0});
  for (int i = 1; i <= 20; ++i) {
    other->launch(kernel("wait_then_set"), {.groups = 1}, a, 200000, i);
    int seen = 0;
    device()->default_stream()->copy_out(&seen, a.location(), sizeof seen);
    device()->default_stream()->synchronize();
    EXPECT_EQ(seen, i);
  }
}

TEST_P(AdoptionTest, StreamsOfTheShellOutliveTheirOwners) {
  const cuda::Context* context = cuda_context(*device());
  if (context == nullptr) GTEST_SKIP() << "queues of OpenCL are retained";
  std::shared_ptr<Stream> adopted;
  {
    const cuda::Stream shell(*context, cuda::StreamFlags::non_blocking);
    adopted = device()->adopt_stream(reinterpret_cast<std::uint64_t>(shell.raw()));
  }
  const Buffer a = buffer_of({0});
  adopted->launch(kernel("set_all"), shape_for(1), a, 7, 1);
  adopted->synchronize();
  EXPECT_TRUE(adopted->is_done());
  EXPECT_EQ(contents(a), std::vector<int>{7});
}

TEST_P(AdoptionTest, PerThreadDefaultStreamCanBeAdopted) {
  if (cuda_context(*device()) == nullptr) GTEST_SKIP() << "only CUDA has one";
  constexpr std::uint64_t per_thread = 2;
  const auto stream = device()->adopt_stream(per_thread);
  EXPECT_NE(stream, device()->default_stream());
  const Buffer a = buffer_of({0});
  stream->launch(kernel("set_all"), shape_for(1), a, 5, 1);
  stream->synchronize();
  EXPECT_EQ(contents(a), std::vector<int>{5});
}

TEST_P(AdoptionTest, EventsOfTheShellAreWaitedFor) {
  const cuda::Context* context = cuda_context(*device());
  if (context == nullptr) GTEST_SKIP() << "opencl_test.cpp has OpenCL's";
  const cuda::Event shell(*context);
  const auto event = event_of(shell);
  EXPECT_EQ(&event->device(), device().get());
  EXPECT_NE(cuda_event(*event), 0u);
  const Buffer a = buffer_of({0});
  stream().launch(kernel("wait_then_set"), {.groups = 1}, {.done = event.get()}, a, 1000000, 4);
  shell.synchronize();
  EXPECT_EQ(contents(a), std::vector<int>{4});
  EXPECT_TRUE(event->is_done());
  EXPECT_THROW(device()->adopt_event(0), InvalidArgument);
}

TEST_P(AdoptionTest, AddressesTellTheirDevice) {
  const cuda::Context* context = cuda_context(*device());
  if (context == nullptr) GTEST_SKIP() << "only CUDA's addresses tell";
  const Buffer a(device(), 64);
  EXPECT_EQ(device_of_address(context->driver(), a.location().handle + 8), device());
  int on_host = 0;
  EXPECT_EQ(device_of_address(context->driver(), reinterpret_cast<std::uint64_t>(&on_host)),
            nullptr);
}

TEST_P(AdoptionTest, DetachedContextsRefuseWithoutLosingAnything) {
  if (cuda_context(*native()) == nullptr) GTEST_SKIP() << "only CUDA's contexts are detached";
  const cuda::Context context = cuda::Context::create(cuda_context(*native())->device());
  const auto device = device_of(context);
  Buffer buffer(device, 64);
  context.detach();
  EXPECT_THROW(device_of(context), InvalidState);
  EXPECT_THROW(device->allocate(16), InvalidState);
  buffer.free();  // its memory went with the context
}

TEST_P(AdoptionTest, ThreadsFindTheSameDevice) {
  const UserContext user(*native());
  on_threads(4, [&](int) {
    for (int i = 0; i < 100; ++i) {
      if (const cuda::Context* context = cuda_context(*user.device())) {
        EXPECT_EQ(device_of(*context), user.device());
      }
      EXPECT_EQ(user.device()->adopt_stream(user.stream()->raw()), user.stream());
    }
  });
}

}  // namespace
}  // namespace treadle::device

// SPDX-License-Identifier: MIT
// Events, wait lists and callbacks on OpenCL; contexts and queues that somebody else made.
#include <atomic>
#include <chrono>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <thread>

#include "device/opencl_device.hpp"
#include "treadle/device/event.hpp"
#include "treadle/device/module.hpp"
#include "treadle/device/stream.hpp"
#include "treadle/opencl/device.hpp"
#include "treadle/opencl/memory.hpp"
#include "treadle/opencl/queue.hpp"
#include "treadle/process/census.hpp"
#include "treadle/process/warning.hpp"

namespace treadle::device {
namespace {

using namespace opencl_test;

// ---- events and order

TEST_F(OpenclDeviceTest, EndOfALaunchIsTheCommandsOwnEvent) {
  const auto stream = device_->make_stream();
  const auto event = device_->make_event(), start = device_->make_event();
  const auto module = device_->build({slow_text}).module;
  const Buffer a(device_, std::vector<int>{0});
  stream->record(*start);
  stream->launch(module->kernel("wait_then_set"), {}, {.done = event.get()}, a, 100000, 5);
  event->synchronize();
  const opencl::Event shell = opencl_event(*event);
  constexpr std::uint64_t ndrange_kernel = 0x11F0;
  EXPECT_EQ(shell.get<opencl::EventInfo::command_type>(), ndrange_kernel);
  using Time = opencl::ProfilingInfo;
  EXPECT_LT(shell.profiling(Time::start), shell.profiling(Time::end));
  EXPECT_GT(event->seconds_since(*start), 0.0);
}

TEST_F(OpenclDeviceTest, TimeThatNobodyTookIsRefused) {
  const auto context = opencl::Context(*opencl_device(*device_));
  const auto own = device_of(context, *opencl_device(*device_));
  const opencl::Queue plain(context);
  const auto stream = stream_of(plain);
  const auto event = own->make_event(), untimed = own->make_event(Timing::off);
  stream->record(*event);
  stream->record(*untimed);
  stream->synchronize();
  for (const auto& asked : {event, untimed})
    EXPECT_THROW(asked->seconds_since(*asked), InvalidState);
}

TEST_F(OpenclDeviceTest, WorkWaitsForEventsOfTheShell) {
  const auto stream = device_->make_stream();
  const Buffer a(device_, std::vector<int>{1}), b(device_, std::vector<int>{2});
  const auto done = device_->make_event();
  Gate gate(*opencl_context(*device_));
  const auto waited = event_of(*device_, gate.event());
  const Event* const after[] = {waited.get()};
  stream->copy(b.location(), a.location(), 4, {.after = after, .done = done.get()});
  EXPECT_FALSE(done->is_done());
  EXPECT_FALSE(stream->is_done());
  EXPECT_FALSE(waited->is_done());
  gate.open();
  done->synchronize();
  EXPECT_TRUE(done->is_done());
  EXPECT_EQ(contents(b), std::vector<int>{1});
}

TEST_F(OpenclDeviceTest, EventsThatCannotServeAreRefused) {
  const opencl::Context other(*opencl_device(*device_));
  const opencl::Queue queue(other);
  EXPECT_THROW(event_of(*device_, queue.marker()), InvalidArgument);
  EXPECT_THROW(event_of(*device_, {}), InvalidState);
  EXPECT_THROW(device_->adopt_event(0), InvalidArgument);
  queue.finish();
}

TEST_F(OpenclDeviceTest, AnUnflushedEndIsSeenByOtherQueues) {
  const auto stream = device_->make_stream(), other = device_->make_stream();
  const auto event = device_->make_event();
  const Buffer a(device_, std::vector<int>{1}), b(device_, std::vector<int>{2});
  for (int i = 0; i < 20; ++i) {
    stream->copy_in(a.location(), &i, 4, {.done = event.get()});
    other->wait(*event);
    other->copy(b.location(), a.location(), 4, {.done = event.get()});
    while (!event->is_done()) std::this_thread::yield();
    EXPECT_EQ(contents(b), std::vector<int>{i});
  }
}

TEST_F(OpenclDeviceTest, CallbacksComeAfterTheWork) {
  const auto stream = device_->make_stream();
  const Buffer a(device_, std::vector<int>{1});
  std::atomic<int> calls = 0, seen = 0;
  int value = 0;
  Gate gate(*opencl_context(*device_));
  stream->wait(*event_of(*device_, gate.event()));
  stream->copy_out(&value, a.location(), 4);
  stream->call_host([&] { seen = value, ++calls; });
  EXPECT_EQ(calls, 0);
  gate.open();
  while (calls == 0) std::this_thread::yield();
  EXPECT_EQ(seen, 1);
  stream->synchronize();
  EXPECT_EQ(calls, 1);
  std::atomic<int> warnings = 0;
  const auto before = set_warning_handler([&](std::string_view) { ++warnings; });
  stream->call_host([] { throw std::runtime_error("of a callback"); });
  while (warnings == 0) std::this_thread::yield();
  set_warning_handler(before);
}

// ---- contexts and queues of others

class AdoptedOpenclTest : public OpenclDeviceTest {
 protected:
  void SetUp() override {
    OpenclDeviceTest::SetUp();
    if (IsSkipped()) return;
    context_.emplace(*opencl_device(*device_));
    own_ = device_of(*context_, shell());
  }
  const opencl::Device& shell() const { return context_->devices().front(); }
  opencl::Queue queue(opencl::CommandQueueProperties properties) const {
    return {*context_, shell(), properties};
  }

  std::optional<opencl::Context> context_;
  std::shared_ptr<Device> own_;
};

TEST_F(AdoptedOpenclTest, EachContextHasOneDevice) {
  EXPECT_EQ(device_of(*context_, shell()), own_);
  EXPECT_TRUE(own_->is_adopted());
  EXPECT_FALSE(device_->is_adopted());
  EXPECT_EQ(own_->info().id, device_->info().id);
  EXPECT_EQ(own_->info().name, device_->info().name);
  EXPECT_EQ(device_of(*opencl_context(*device_), *opencl_device(*device_)), device_);
  EXPECT_EQ(find_device("opencl"), device_);
  const opencl::Context other(shell());
  EXPECT_NE(device_of(other, shell()), own_);
  EXPECT_NE(device_of(other, shell())->event_domain(), own_->event_domain());
  EXPECT_EQ(device_of(*context_, shell()), own_);
  // A second object for the same context of OpenCL.
  const opencl::Context same(context_->shared_table(), context_->raw(), opencl::Ownership::retain);
  EXPECT_EQ(device_of(same, shell()), own_);
}

TEST_F(AdoptedOpenclTest, ADeviceThatEndedIsMadeAnew) {
  const std::weak_ptr<Device> watched = own_;
  own_.reset();
  EXPECT_TRUE(watched.expired());
  own_ = device_of(*context_, shell());
  EXPECT_EQ(opencl_context(*own_)->raw(), context_->raw());
}

TEST_F(AdoptedOpenclTest, WhatIsOfAnotherContextIsRefused) {
  const opencl::Queue foreign(*opencl_context(*device_));
  const auto raw = reinterpret_cast<std::uint64_t>(foreign.raw());
  EXPECT_THROW(own_->adopt_stream(raw), InvalidArgument);
  EXPECT_EQ(&device_->adopt_stream(raw)->device(), device_.get());
  const Buffer memory(device_, 16);
  int value = 0;
  EXPECT_THROW(own_->default_stream()->copy_in(memory.location(), &value, 4), InvalidState);
}

TEST_F(AdoptedOpenclTest, MemoryModulesAndKernelsWorkThere) {
  const auto stream = stream_of(queue(opencl::CommandQueueProperties{}));
  const auto built = own_->build({slow_text});
  const Buffer a(own_, std::vector<int>{0});
  stream->launch(own_->load(built.image)->kernel("wait_then_set"), {}, a, 10, 5);
  stream->synchronize();
  EXPECT_EQ(contents(a), std::vector<int>{5});
}

TEST_F(AdoptedOpenclTest, QueuesAreRetainedAndLetGo) {
  const auto count = [](const opencl::Queue& queue) {
    return queue.get<opencl::CommandQueueInfo::reference_count>();
  };
  auto census = live_objects();
  {
    const opencl::Queue user = queue(opencl::CommandQueueProperties::profiling_enable);
    const auto before = count(user);
    auto stream = stream_of(user);
    EXPECT_EQ(stream, stream_of(user));
    EXPECT_EQ(stream->raw(), reinterpret_cast<std::uint64_t>(user.raw()));
    EXPECT_EQ(&stream->device(), own_.get());
    EXPECT_EQ(*opencl_queue(*stream), user);
    EXPECT_GT(count(user), before);
    auto event = own_->make_event();
    stream->call_host([] {});
    stream->record(*event);
    stream->synchronize();
    stream.reset(), event.reset();
    // A thread of the platform's may still let go of the last command.
    for (int i = 0; i < 2000 && count(user) != before; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_EQ(count(user), before);
  }
  own_->default_stream()->synchronize();
  auto after = live_objects();  // a kind that nobody has made yet is not in it
  for (const char* kind : {"opencl context", "opencl event", "opencl memory"})
    EXPECT_EQ(after[kind], census[kind]) << kind;
}

TEST_F(AdoptedOpenclTest, WorkThatTheOwnerQueuedCounts) {
  const opencl::Queue user = queue(opencl::CommandQueueProperties{});
  const auto stream = stream_of(user);
  EXPECT_NO_THROW(stream->synchronize());
  Gate gate(*context_);
  user.barrier({.after = gate.event(), .without_event = true});
  EXPECT_FALSE(stream->is_done());
  gate.open();
  while (!stream->is_done()) std::this_thread::yield();
}

TEST_F(AdoptedOpenclTest, WaitListsOrderAnOutOfOrderQueue) {
  const auto stream =
      stream_of(queue(opencl::CommandQueueProperties::out_of_order_exec_mode_enable));
  const Kernel slow = own_->build({slow_text}).module->kernel("wait_then_set");
  const Buffer a(own_, std::vector<int>{0}), b(own_, std::vector<int>{0});
  const auto set = own_->make_event(), copied = own_->make_event(), read = own_->make_event();
  for (int i = 1; i <= 20; ++i) {
    int seen = 0;
    const Event* const after_read[] = {read.get()};
    const Event* const after_set[] = {set.get()};
    const Event* const after_copied[] = {copied.get()};
    stream->launch(slow, {}, {.after = after_read, .done = set.get()}, a, 200000, i);
    stream->copy(b.location(), a.location(), 4, {.after = after_set, .done = copied.get()});
    stream->copy_out(&seen, b.location(), 4, {.after = after_copied, .done = read.get()});
    read->synchronize();
    EXPECT_EQ(seen, i);
  }
}

TEST_F(AdoptedOpenclTest, WithoutAnOrderAnOutOfOrderQueueWaitsForNothing) {
  if (own_->info().name.find("NVIDIA") != std::string::npos)
    GTEST_SKIP() << "NVIDIA's out-of-order queues run in order";
  const auto stream =
      stream_of(queue(opencl::CommandQueueProperties::out_of_order_exec_mode_enable));
  const Buffer a(own_, std::vector<int>{1}), b(own_, std::vector<int>{2});
  const auto held = own_->make_event(), free = own_->make_event();
  Gate gate(*context_);
  const auto waited = event_of(*own_, gate.event());
  const Event* const after[] = {waited.get()};
  int value = 3;
  stream->copy(b.location(), a.location(), 4, {.after = after, .done = held.get()});
  stream->copy_in(a.location(), &value, 4, {.done = free.get()});
  free->synchronize();
  EXPECT_FALSE(held->is_done());
  EXPECT_FALSE(stream->is_done());
  gate.open();
  stream->synchronize();
  EXPECT_TRUE(held->is_done());
  EXPECT_EQ(contents(b), std::vector<int>{3});
}

TEST_F(AdoptedOpenclTest, RecordAndWaitOrderAnOutOfOrderQueue) {
  const auto stream =
      stream_of(queue(opencl::CommandQueueProperties::out_of_order_exec_mode_enable));
  const Kernel slow = own_->build({slow_text}).module->kernel("wait_then_set");
  const Buffer a(own_, std::vector<int>{0}), b(own_, std::vector<int>{0});
  const auto event = own_->make_event();
  for (int i = 1; i <= 20; ++i) {
    stream->launch(slow, {}, a, 200000, i);
    stream->record(*event);
    stream->wait(*event);
    stream->copy(b.location(), a.location(), 4);
    stream->synchronize();
    EXPECT_EQ(contents(b), std::vector<int>{i});
  }
}

TEST_F(AdoptedOpenclTest, PartsOfACopyAreOnePieceOfWork) {
  const auto stream =
      stream_of(queue(opencl::CommandQueueProperties::out_of_order_exec_mode_enable));
  const Strided c{{5, 4, 30}, {8, 37}, {7, 26}, 3, 5};
  const std::vector<int> source = count_up(room), empty(room, -1);
  const Buffer to(own_, empty);
  const auto done = own_->make_event();
  Gate gate(*context_);
  const auto waited = event_of(*own_, gate.event());
  const Event* const after[] = {waited.get()};
  stream->copy_in(to.location() + 4 * c.to, in_bytes(c.destination), source.data() + c.from,
                  in_bytes(c.source), in_bytes(c.box), {.after = after, .done = done.get()});
  EXPECT_FALSE(done->is_done());
  EXPECT_EQ(contents(to), empty);
  gate.open();
  done->synchronize();
  EXPECT_EQ(contents(to), expected(c, source, empty));
}

/// Two devices of one context: the halves of one.
class OpenclPairTest : public OpenclDeviceTest {
 protected:
  /// Made before the first test begins, whose census would count them.
  static void SetUpTestSuite() {
    try {
      parts();
    } catch (const Error&) {
      // SetUp() says why.
    }
  }
  /// Never released: PoCL 3.1 ends a part while a thread of its own still releases the last event
  /// of a queue there.
  static const std::vector<opencl::Device>& parts() {
    static const auto& all =
        *new std::vector<opencl::Device>(halves_of(*opencl_device(*find_device("opencl"))));
    return all;
  }
  void SetUp() override {
    OpenclDeviceTest::SetUp();
    if (IsSkipped()) return;
    try {
      const opencl::Context context(parts());
      for (const auto& part : context.devices()) devices_.push_back(device_of(context, part));
    } catch (const DeviceError& error) {
      GTEST_SKIP() << error.message();
    }
    if (devices_.size() < 2) GTEST_SKIP() << "one part only";
  }
  static std::vector<opencl::Device> halves_of(const opencl::Device& whole) {
    constexpr std::intptr_t equally = 0x1086;
    const auto units = whole.get<opencl::DeviceInfo::max_compute_units>();
    const std::intptr_t halves[] = {equally, static_cast<std::intptr_t>(units / 2)};
    return whole.create_sub_devices(halves);
  }
  std::vector<std::shared_ptr<Device>> devices_;
};

TEST_F(OpenclPairTest, DevicesOfOneContextWaitForEachOther) {
  const auto &here = devices_[0], &there = devices_[1];
  EXPECT_NE(here, there);
  EXPECT_EQ(here->event_domain(), there->event_domain());
  EXPECT_EQ(here->info().id, device_->info().id);
  const auto stream = here->make_stream(), other = there->make_stream();
  const Kernel slow = there->build({slow_text}).module->kernel("wait_then_set");
  const Buffer a(here, std::vector<int>{0}), b(there, std::vector<int>{0});
  const auto event = there->make_event();
  for (int i = 1; i <= 10; ++i) {
    other->launch(slow, {}, {.done = event.get()}, b, 200000, i);
    const Event* const after[] = {event.get()};
    stream->copy_from_peer(a.location(), *there, b.location(), 4, {.after = after});
    stream->synchronize();
    EXPECT_EQ(contents(a), std::vector<int>{i});
    stream->copy_to_peer(*there, b.location(), a.location(), 4);
    stream->synchronize();
  }
  const opencl::Context& context = *opencl_context(*here);
  EXPECT_THROW(device_of(context, *opencl_device(*device_)), InvalidArgument);
}

TEST_F(OpenclPairTest, PartsAreFoundInAContextOfWhichOnlyTheHandleIsKnown) {
  const opencl::Context made = *opencl_context(*devices_[0]);
  devices_.clear();  // nobody remembers them
  const opencl::Context wrapped(made.shared_table(), made.raw(), opencl::Ownership::retain);
  for (const opencl::Device& part : parts()) {
    const auto device = device_of(wrapped, part);
    EXPECT_EQ(opencl_device(*device)->raw(), part.raw());
    EXPECT_EQ(contents(Buffer(device, std::vector<int>{5, 6})), (std::vector<int>{5, 6}));
  }
}

}  // namespace
}  // namespace treadle::device

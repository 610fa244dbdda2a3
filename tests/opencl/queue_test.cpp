// SPDX-License-Identifier: MIT
#include "treadle/opencl/queue.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "opencl/each_platform.hpp"
#include "opencl/fake_platform.hpp"
#include "treadle/opencl/table.hpp"
#include "treadle/opencl/transfer.hpp"

namespace treadle::opencl {
namespace {

using testing::HasSubstr;

class QueueTest : public OnEachPlatform {};
INSTANTIATE_TEST_SUITE_P(, QueueTest, each_platform, platform_test_name);

TEST_P(QueueTest, KnowsContextDeviceAndProperties) {
  const Queue made(context(), device(), CommandQueueProperties::profiling_enable);
  EXPECT_EQ(made.context(), context());
  EXPECT_EQ(made.device(), device());
  EXPECT_EQ(made.properties(), CommandQueueProperties::profiling_enable);
  EXPECT_EQ(made.get<CommandQueueInfo::context>(), context().raw());
  EXPECT_EQ(made.get<CommandQueueInfo::reference_count>(), 1u);
  EXPECT_EQ(queue().properties(), CommandQueueProperties{});
}

// A reference of OpenCL's costs a microsecond with NVIDIA's driver, and each copy keeps a queue
// alive.
TEST_P(QueueTest, CopiesShareOneReference) {
  Queue made(context(), device());
  const Queue copy = made;
  EXPECT_EQ(copy, made);
  EXPECT_EQ(copy.get<CommandQueueInfo::reference_count>(), 1u);
  const Queue same(copy.shared_table(), copy.raw(), Ownership::retain);
  EXPECT_EQ(same, copy);
  EXPECT_EQ(copy.get<CommandQueueInfo::reference_count>(), 2u);
  const Queue moved = std::move(made);
  EXPECT_EQ(moved, copy);
  EXPECT_THROW(made.finish(), InvalidState);  // NOLINT(bugprone-use-after-move)
}

TEST_P(QueueTest, MayBeOutOfOrder) {
  const Queue made(context(), CommandQueueProperties::out_of_order_exec_mode_enable);
  EXPECT_EQ(made.properties(), CommandQueueProperties::out_of_order_exec_mode_enable);
  const Buffer a(context(), 16);
  const Event written = write(made, a, std::vector<int>{1, 2, 3, 4}, 0, {}, Blocking::yes);
  std::vector<int> values(4);
  read(made, a, values, 0, {.after = written});
  EXPECT_EQ(values, (std::vector<int>{1, 2, 3, 4}));
}

TEST_P(QueueTest, TakesAListOfProperties) {
  const std::uint64_t properties[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE};
  try {
    const Queue made = Queue::with_properties(context(), device(), properties);
    EXPECT_EQ(made.properties(), CommandQueueProperties::profiling_enable);
  } catch (const NotSupported&) {
    EXPECT_LT(device().platform().version(), (Version{2, 0}));
  }
}

TEST_P(QueueTest, RefusesANameWithoutItsValue) {
  const std::uint64_t properties[] = {CL_QUEUE_PROPERTIES, 0, CL_QUEUE_SIZE};
  EXPECT_THROW(Queue::with_properties(context(), device(), properties), InvalidArgument);
  const std::uint64_t ended[] = {CL_QUEUE_PROPERTIES, 0, 0};
  EXPECT_NO_THROW(Queue::with_properties(context(), device(), ended));
}

// PoCL ends the process for it.
TEST_P(QueueTest, OnTheDeviceIsRefusedWhereThereAreNone) {
  constexpr auto on_device = CommandQueueProperties::on_device;
  if (device().platform().version() < Version{2, 0} ||
      device().get<DeviceInfo::queue_on_device_properties>() != 0)
    GTEST_SKIP() << "has queues on the device, or is older than the question";
  const auto both = static_cast<CommandQueueProperties>(static_cast<std::uint64_t>(on_device) |
                                                        CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  const std::uint64_t listed[] = {CL_QUEUE_PROPERTIES, static_cast<std::uint64_t>(both)};
  for (const DeviceError& error :
       {device_error_of([&] { Queue(context(), device(), both); }),
        device_error_of([&] { Queue::with_properties(context(), device(), listed); })}) {
    EXPECT_EQ(error.code(), CL_INVALID_QUEUE_PROPERTIES);
    EXPECT_THAT(error.what(), HasSubstr("leave ON_DEVICE out"));
  }
}

TEST_P(QueueTest, RefusesPropertiesThatDoNotExist) {
  const DeviceError error = device_error_of(
      [&] { Queue(context(), device(), static_cast<CommandQueueProperties>(1u << 20)); });
  EXPECT_THAT(error.what(), HasSubstr("creating a queue on " + device().name()));
}

TEST_P(QueueTest, OnAPartOfADeviceRunsInAContextOfThatPart) {
  const std::intptr_t each_one[] = {static_cast<std::intptr_t>(DevicePartitionProperty::equally),
                                    1};
  std::vector<Device> parts;
  try {
    parts = device().create_sub_devices(each_one);
  } catch (const DeviceError&) {
    GTEST_SKIP() << "the device cannot be divided";
  }
  const Context of_part(parts.front());
  const Queue on_part(of_part);
  EXPECT_EQ(on_part.device(), parts.front());
  const Buffer a(of_part, 16);
  fill(on_part, a, std::vector<int>{1}, 0, 16);
  on_part.finish();
  // A worker of PoCL 3 still releases the command then, and dies if the part has gone meanwhile.
  usleep(100'000);
}

TEST_P(QueueTest, WrapsAnotherLibrarysQueue) {
  const Queue wrapped(Loader::system().shared_table(), queue().raw(), Ownership::retain);
  EXPECT_EQ(wrapped, queue());
  EXPECT_EQ(wrapped.context(), context());
  EXPECT_EQ(wrapped.device(), device());
  wrapped.finish();
}

TEST_P(QueueTest, MarkersAndBarriersEndWithTheWorkBeforeThem) {
  const Buffer a(context(), 1 << 20);
  fill(queue(), a, std::vector<int>{7}, 0, 1 << 20);
  const Event marker = queue().marker();
  const Event barrier = queue().barrier({.after = marker});
  queue().flush();
  barrier.wait();
  EXPECT_TRUE(marker.is_done());
  EXPECT_FALSE(queue().marker({.without_event = true}));
  queue().finish();
}

TEST_P(QueueTest, OutlivesItsContextsCopies) {
  std::optional<Queue> later;
  {
    const Context local(device());
    later.emplace(local);
  }
  later->finish();
  EXPECT_EQ(later->context().devices().front(), device());
}

// A platform before OpenCL 2.0 makes queues with the older call.
TEST(OpenCLQueue, OfAnOlderPlatformIsMadeTheOlderWay) {
  auto table = std::make_shared<Table>();
  table->clCreateContext = [](const auto*, auto, auto*, auto, auto*, cl_int* code) -> cl_context {
    *code = CL_SUCCESS;
    return reinterpret_cast<cl_context>(16);
  };
  table->clReleaseContext = [](cl_context) -> cl_int { return CL_SUCCESS; };
  static cl_command_queue_properties asked;
  table->clCreateCommandQueue = [](cl_context, cl_device_id, cl_command_queue_properties bits,
                                   cl_int* code) -> cl_command_queue {
    asked = bits;
    *code = CL_SUCCESS;
    return reinterpret_cast<cl_command_queue>(16);
  };
  table->clReleaseCommandQueue = [](cl_command_queue) -> cl_int { return CL_SUCCESS; };
  const Device device(table, reinterpret_cast<RawDevice>(16), Ownership::adopt);
  const Queue queue{Context(device), CommandQueueProperties::profiling_enable};
  EXPECT_EQ(asked, cl_command_queue_properties{CL_QUEUE_PROFILING_ENABLE});
}

TEST(OpenCLQueueOnFake, OlderPlatformsOrderInSteps) {
  fake::reset();
  fake::state().version = "OpenCL 1.1 Fake";
  const Context context(fake::device());
  const Queue queue(context);
  fake::state().calls.clear();
  const Event first = queue.marker();
  EXPECT_TRUE(first);
  EXPECT_THAT(fake::state().calls, testing::ElementsAre("clEnqueueMarker()"));
  fake::state().calls.clear();
  queue.barrier();
  EXPECT_THAT(fake::state().calls,
              testing::ElementsAre("clEnqueueBarrier()", "clEnqueueMarker()", "clReleaseEvent()"));
  fake::state().calls.clear();
  EXPECT_FALSE(queue.barrier({.after = {first, first}, .without_event = true}));
  EXPECT_THAT(fake::state().calls, testing::ElementsAre("clEnqueueWaitForEvents(2)",
                                                        "clEnqueueMarker()", "clReleaseEvent()"));
  fake::state().fail["clEnqueueMarker"] = CL_INVALID_COMMAND_QUEUE;
  EXPECT_THROW(queue.marker(), DeviceError);
  fake::reset();
}

}  // namespace
}  // namespace treadle::opencl

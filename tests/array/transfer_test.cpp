// SPDX-License-Identifier: MIT
// Elements that move between devices and the host.
#include "treadle/array/transfer.hpp"

#include <vector>

#include "array/each_array_device.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/device/registry.hpp"

namespace treadle::array {
namespace {

class TransferTest : public OnEachArrayDevice {};
INSTANTIATE_TEST_SUITE_P(Devices, TransferTest, each_device(), device_test_name);

TEST_P(TransferTest, CopiesAreQueuedInTheOrderOfTheirStream) {
  const device::StreamScope scope(shared_stream());
  const auto other = device()->make_stream();
  const auto locked = memory::Buffer::page_locked(device(), 4 * sizeof(float));
  auto* const host = reinterpret_cast<float*>(locked.host_data());
  const Array x = make({1, 2, 3, 4});
  const Array doubled = x * 2;
  copy_out(doubled, host, other);
  other->synchronize();
  if (runs_kernels()) {
    EXPECT_EQ(host[3], 8);
  }
  const Array pending = x + 1;
  const std::vector<float> values = {5, 6, 7, 8};
  copy_in(x, values.data(), other);  // pending is computed before
  expect(pending, {2, 3, 4, 5});
  expect(x, {5, 6, 7, 8});
}

TEST_P(TransferTest, ViewsAreCopiedInOrderOfTheirElements) {
  const device::StreamScope scope(shared_stream());
  const Array x = reshape(make(count_up(6)), {2, 3});
  const Array view = transpose(x);
  std::vector<float> values(6);
  copy_out(view, values.data(), shared_stream());
  shared_stream()->synchronize();
  if (runs_kernels()) {
    EXPECT_EQ(values, (std::vector<float>{0, 3, 1, 4, 2, 5}));
  }
  const std::vector<float> given = {0, 1, 2, 3, 4, 5};
  copy_in(view, given.data(), shared_stream());
  expect(x, {0, 2, 4, 1, 3, 5});
  view.set(values.data());
  expect(x, {0, 1, 2, 3, 4, 5});
}

TEST_P(TransferTest, ArraysMoveBetweenDevices) {
  const device::StreamScope scope(shared_stream());
  const Array x = transpose(reshape(make(count_up(6)), {2, 3}));
  EXPECT_EQ(to_device(x, here()).location().handle, x.location().handle);
  const std::vector<std::string> ids = device::device_ids();  // the null device is the last
  const auto other =
      device::find_device(ids.front() != device()->info().id ? ids.front() : ids.back());
  const bool computes = runs_kernels() && other->info().id != "null";
  const Placement there = {.stream = other->default_stream()};
  const Array moved = to_device(x.at({Index{.start = 1}}) * 2, there);
  EXPECT_EQ(&moved.device(), other.get());
  if (computes) {
    EXPECT_EQ(moved.as<float>(), (std::vector<float>{2, 8, 4, 10}));
  }
  const Array back = to_device(moved + 1, here());
  EXPECT_EQ(&back.device(), device().get());
  const std::vector<float> values = back.as<float>();
  if (computes) {
    EXPECT_EQ(values, (std::vector<float>{3, 9, 5, 11}));
  }
  EXPECT_EQ(to_device(zeros({0, 3}, Scalar::float32, here()), there).size(), 0);
}

TEST_P(TransferTest, ReadOnlyMemoryIsNotWritten) {
  const device::StreamScope scope(shared_stream());
  const Array own = make({1, 2, 3, 4});
  EXPECT_TRUE(own.is_writable());
  const Array read = Array::view_of(own.buffer(), own.layout(), own.dtype(),
                                    {.stream = shared_stream(), .is_read_only = true});
  EXPECT_FALSE(read.is_writable());
  EXPECT_FALSE(read.at({Index{.start = 2}}).is_writable());
  EXPECT_THROW(read.assign(0), InvalidArgument);
  EXPECT_THROW(read.set(std::vector<float>(4).data()), InvalidArgument);
  Array part = read.at({Index{.start = 2}});
  EXPECT_THROW(part += 1, InvalidArgument);
  expect(own, {1, 2, 3, 4});
  expect(read * 2, {2, 4, 6, 8});
  EXPECT_FALSE(broadcast_to(make({1}), {3}).is_writable());
}

TEST_P(TransferTest, ArraysThatShareMemoryAreTold) {
  const device::StreamScope scope(shared_stream());
  const Array x = make(count_up(8));
  EXPECT_TRUE(may_share_memory(x, x.at({Index{.start = 3}})));
  EXPECT_FALSE(may_share_memory(x.at({Index{.step = 2}}), x.at({Index{.start = 1, .step = 2}})));
  EXPECT_FALSE(may_share_memory(x, copy(x)));
  EXPECT_FALSE(may_share_memory(x, x + 1));
  const Array adopted = Array::view_of(x.buffer(), x.layout(), x.dtype(), here());
  EXPECT_TRUE(may_share_memory(x, adopted));
  EXPECT_FALSE(may_share_memory(x.at({Index{.stop = 4}}), adopted.at({Index{.start = 4}})));
}

TEST_P(TransferTest, WorkOnMemoryThatIsHandedOutComesAfterOurs) {
  const auto other = device()->make_stream();
  const device::StreamScope scope(shared_stream());
  const Array x = make(count_up(4)) + 1;
  const memory::Buffer memory = x.buffer(other);
  std::vector<float> values(4);
  other->copy_out(values.data(), memory.location(), 4 * sizeof(float));
  other->synchronize();
  if (runs_kernels()) {
    EXPECT_EQ(values, (std::vector<float>{1, 2, 3, 4}));
  }
  EXPECT_EQ(x.stream(), other);
}

TEST(UnorderedQueueTest, NewMemoryIsFilledAfterTheWorkThatUsedIt) {
  const auto ids = device::device_ids();
  const auto id =
      std::ranges::find_if(ids, [](const auto& one) { return one.starts_with("opencl"); });
  if (id == ids.end()) GTEST_SKIP() << "queues without order are OpenCL's";
  const auto native = device::find_device(*id);
  const opencl::Device& shell = *device::opencl_device(*native);
  const opencl::Context context(shell);
  const auto own = device::device_of(context, shell);
  const auto stream = device::stream_of(
      opencl::Queue(context, shell, opencl::CommandQueueProperties::out_of_order_exec_mode_enable));
  const kernel::Program program(own,
                                device::in_language(own->info().language, device::kernels_text));
  const device::Kernel slow = program.kernel("wait_then_set");
  const std::vector<std::int32_t> values(1000, 5);
  for (int round = 0; round < 3; ++round) {
    {
      const Array scratch = empty({1000}, Scalar::int32, {.stream = stream});
      stream->launch(slow, {}, scratch, 20'000'000, 7);
    }
    EXPECT_EQ(Array::from(values, {.stream = stream}).as<std::int32_t>(), values);
  }
  memory::pool_of(*own).free_held();
}

}  // namespace
}  // namespace treadle::array

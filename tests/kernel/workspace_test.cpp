// SPDX-License-Identifier: MIT
#include "treadle/kernel/workspace.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "device/each_device.hpp"

namespace treadle::kernel {
namespace {

class WorkspaceTest : public testing::TestWithParam<std::string> {
 protected:
  static Workspace of(device::Stream& stream, const WorkspaceSize& size) {
    Workspace given;
    with_workspace(stream, size, [&](const Workspace& workspace) { given = workspace; });
    return given;
  }
};
INSTANTIATE_TEST_SUITE_P(Devices, WorkspaceTest, device::each_native_device(),
                         device::device_test_name);

TEST_P(WorkspaceTest, EachStreamHasOneThatGrows) {
  const auto device = device::find_device(GetParam());
  const auto first = device->make_stream(), second = device->make_stream();
  const Workspace small = of(*first, {100, 1});
  EXPECT_EQ(of(*first, {200, 3}).partials, small.partials);
  EXPECT_NE(of(*second, {100, 1}).partials, small.partials);
  const Workspace large = of(*first, {1 << 20, 100'000});
  device->require_memory(large.partials, 1 << 20, "partials");
  device->require_memory(large.tickets, 400'000, "tickets");
  EXPECT_EQ(of(*first, {100, 1}).tickets, large.tickets);
}

TEST_P(WorkspaceTest, TicketsBeginAtZeroAndAgainAfterAFailure) {
  const auto device = device::find_device(GetParam());
  const auto stream = device->make_stream();
  const auto zeros = [&] {
    std::vector<std::uint32_t> tickets(3, 7);
    with_workspace(*stream, {4, 3}, [&](const Workspace& workspace) {
      stream->copy_out(tickets.data(), workspace.tickets, 12);
    });
    stream->synchronize();
    return tickets;
  };
  const std::vector<std::uint32_t> none(3, 0), used(3, 5);
  if (device->info().traits.runs_kernels) {
    EXPECT_EQ(zeros(), none);
  }
  EXPECT_THROW(with_workspace(*stream, {4, 3},
                              [&](const Workspace& workspace) {
                                stream->copy_in(workspace.tickets, used.data(), 12);
                                throw std::runtime_error("a launch failed");
                              }),
               std::runtime_error);
  if (device->info().traits.runs_kernels) {
    EXPECT_EQ(zeros(), none);
  }
}

}  // namespace
}  // namespace treadle::kernel

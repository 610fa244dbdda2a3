// SPDX-License-Identifier: MIT
// Strided copies and page-locked memory on OpenCL.
#include <algorithm>
#include <array>
#include <cstring>

#include "device/opencl_device.hpp"
#include "treadle/device/driver.hpp"
#include "treadle/device/event.hpp"
#include "treadle/device/module.hpp"
#include "treadle/device/stream.hpp"
#include "treadle/opencl/platform.hpp"
#include "treadle/opencl/table.hpp"

namespace treadle::device {
namespace {

using namespace opencl_test;

// ---- copies

const Strided strided_copies[] = {
    {{5, 4, 3}, {5, 20}, {5, 20}, 0, 0},     // no gaps
    {{5, 4, 3}, {8, 32}, {7, 28}, 3, 11},    // gaps behind rows
    {{5, 4, 3}, {8, 80}, {7, 70}, 17, 140},  // and behind slices
    {{5, 4, 3}, {8, 37}, {7, 26}, 3, 5},     // slices that are no multiple of rows
    {{5, 4, 3}, {8, 29}, {7, 28}, 0, 1},     // the last row of a slice has no gap
    {{5, 1, 7}, {0, 13}, {0, 6}, 2, 4},      // slices of one row
    {{5, 7, 1}, {9, 0}, {6, 0}, 2, 4},       // one slice
    {{1, 30, 1}, {40, 0}, {1, 0}, 7, 0},     // a column
};

class StridedCopy : public OpenclDeviceTest, public testing::WithParamInterface<std::size_t> {
 protected:
  const Strided& strided() const { return strided_copies[GetParam()]; }
};
INSTANTIATE_TEST_SUITE_P(Boxes, StridedCopy,
                         testing::Range(std::size_t{0}, std::size(strided_copies)));

TEST_P(StridedCopy, MovesTheBoxAndNothingElse) {
  const Strided& c = strided();
  const std::vector<int> source = count_up(room), empty(room, -1);
  const std::vector<int> wanted = expected(c, source, empty);
  const Box box = in_bytes(c.box);
  const Pitch from = in_bytes(c.source), to = in_bytes(c.destination);
  Stream& stream = *device_->default_stream();
  const Buffer a(device_, source), b(device_, empty), d(device_, empty);
  stream.copy_in(d.location() + 4 * c.to, to, source.data() + c.from, from, box);
  EXPECT_EQ(contents(d), wanted);
  stream.copy(b.location() + 4 * c.to, to, a.location() + 4 * c.from, from, box);
  EXPECT_EQ(contents(b), wanted);
  std::vector<int> back = empty;
  stream.copy_out(back.data() + c.to, to, a.location() + 4 * c.from, from, box);
  stream.synchronize();
  EXPECT_EQ(back, wanted);
}

TEST_P(StridedCopy, WithinOneBufferPitchesMayDiffer) {
  const Strided& c = strided();
  std::vector<int> both = count_up(room);
  both.resize(2 * room, -1);
  const Buffer a(device_, both);
  Strided moved = c;
  moved.to += room;
  device_->default_stream()->copy(a.location() + 4 * moved.to, in_bytes(c.destination),
                                  a.location() + 4 * c.from, in_bytes(c.source), in_bytes(c.box));
  EXPECT_EQ(contents(a), expected(moved, both, both));
}

TEST_F(OpenclDeviceTest, ColumnsOfOneMatrixMayBeCopied) {
  const std::vector<int> matrix = count_up(16 * 16);
  const Buffer a(device_, matrix);
  const Strided c{{4, 16, 1}, {16, 0}, {16, 0}, 0, 8};
  device_->default_stream()->copy(a.location() + 32, {64, 0}, a.location(), {64, 0}, {16, 16, 1});
  EXPECT_EQ(contents(a), expected(c, matrix, matrix));
}

// ---- page-locked memory

/// The system's entry points, but no device shares its memory with the host.
opencl::Loader discrete_loader() {
  static opencl::Table real;
  real = opencl::Loader::system().table();
  auto table = std::make_shared<opencl::Table>(real);
  table->clGetDeviceInfo = [](auto device, auto parameter, std::size_t size, void* value,
                              std::size_t* needed) {
    constexpr unsigned host_unified_memory = 0x1035;
    const int code = real.clGetDeviceInfo(device, parameter, size, value, needed);
    if (parameter == host_unified_memory && value != nullptr) std::memset(value, 0, size);
    return code;
  };
  return opencl::Loader(table);
}

/// On the device as it is, and on one whose memory the host does not share.
class PageLocked : public OpenclDeviceTest, public testing::WithParamInterface<bool> {
 protected:
  void SetUp() override {
    OpenclDeviceTest::SetUp();
    if (IsSkipped() || !GetParam()) return;
    device_ = opencl_driver(discrete_loader())->devices().at(0);
    ASSERT_FALSE(device_->info().traits.unified_memory);
  }
};
INSTANTIATE_TEST_SUITE_P(Discrete, PageLocked, testing::Bool());

TEST_P(PageLocked, IsCopiedByAddressAndByLocation) {
  Stream& stream = *device_->default_stream();
  const Buffer host = Buffer::page_locked(device_, 4000);
  const Buffer other = Buffer::page_locked(device_, 4000);
  const Buffer a(device_, std::vector<int>(1000, 0)), b(device_, std::vector<int>(1000, 0));
  const std::vector<int> values = count_up(1000);
  ASSERT_NE(ints_of(host), nullptr);
  std::ranges::copy(values, ints_of(host));
  stream.copy_in(a.location(), ints_of(host), 4000);
  stream.copy(b.location(), host.location(), 4000);
  EXPECT_EQ(contents(a), values);
  EXPECT_EQ(contents(b), values);
  stream.copy(other.location() + 4, a.location(), 3996);
  stream.copy(other.location(), host.location() + 3996, 4);  // from host memory to host memory
  stream.synchronize();
  std::vector<int> rotated = values;
  std::ranges::rotate(rotated, rotated.end() - 1);
  EXPECT_EQ(std::vector<int>(ints_of(other), ints_of(other) + 1000), rotated);
  const std::array<int, 2> pattern = {7, 8};
  stream.fill(host.location() + 8, std::as_bytes(std::span(pattern)), 2);
  stream.copy_out(ints_of(other), b.location(), 4000);
  stream.synchronize();
  EXPECT_EQ(std::vector<int>(ints_of(host), ints_of(host) + 7),
            (std::vector<int>{0, 1, 7, 8, 7, 8, 6}));
  EXPECT_EQ(std::vector<int>(ints_of(other), ints_of(other) + 1000), values);
}

TEST_P(PageLocked, TakesBoxesInAnyDirection) {
  const Strided& c = strided_copies[3];  // slice by slice
  const Buffer a = Buffer::page_locked(device_, 4 * room),
               b = Buffer::page_locked(device_, 4 * room);
  const std::vector<int> source = count_up(room), empty(room, -1);
  std::ranges::copy(source, ints_of(a));
  std::ranges::copy(empty, ints_of(b));
  const auto done = device_->make_event();
  device_->default_stream()->copy(b.location() + 4 * c.to, in_bytes(c.destination),
                                  a.location() + 4 * c.from, in_bytes(c.source), in_bytes(c.box),
                                  {.done = done.get()});
  done->synchronize();
  EXPECT_EQ(std::vector<int>(ints_of(b), ints_of(b) + room), expected(c, source, empty));
}

TEST_P(PageLocked, IsForKernelsWhereItIsTheDevicesToo) {
  const Buffer host = Buffer::page_locked(device_, 400);
  std::ranges::copy(count_up(100), ints_of(host));
  const auto module =
      device_->build({"__kernel void add(__global int* a) { a[get_global_id(0)] += 5; }"}).module;
  Stream& stream = *device_->default_stream();
  const auto launch = [&] { stream.launch(module->kernel("add"), {.groups = 100}, host); };
  if (!device_->info().traits.unified_memory) {
    EXPECT_THROW(launch(), NotSupported);
    return;
  }
  launch();
  stream.synchronize();
  EXPECT_EQ(std::vector<int>(ints_of(host), ints_of(host) + 100), count_up(100, 5));
}

}  // namespace
}  // namespace treadle::device

// SPDX-License-Identifier: MIT
#include "treadle/cuda/copy_batch.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "cuda/fake_driver.hpp"
#include "cuda/providers.hpp"
#include "treadle/base/error.hpp"
#include "treadle/cuda/memory.hpp"
#include "treadle/cuda/table.hpp"

namespace treadle::cuda {
namespace {

constexpr std::size_t batch_length = 1000;

class Batches : public OnEachProvider {
 protected:
  void SetUp() override {
    OnEachProvider::SetUp();
    if (IsSkipped()) return;
    if (!is_present(device().driver().table().cuMemcpyBatchAsync))
      GTEST_SKIP() << "the driver has no batches of copies";
    stream_.emplace();
  }
  void TearDown() override {
    stream_.reset();
    OnEachProvider::TearDown();
  }
  const Stream& stream() const { return *stream_; }
  static std::vector<int> numbers(int first, std::size_t count = batch_length) {
    std::vector<int> values(count);
    std::iota(values.begin(), values.end(), first);
    return values;
  }
  static std::vector<int> values_of(const DeviceMemory& memory) {
    std::vector<int> values(memory.size_bytes() / sizeof(int));
    memory.copy_to(values);
    return values;
  }
  static DevicePointer address_of(const void* host) {
    return reinterpret_cast<DevicePointer>(host);
  }

 private:
  std::optional<Stream> stream_;
};
INSTANTIATE_TEST_SUITE_P(Providers, Batches, each_provider, provider_name);

TEST_P(Batches, EveryCopyIsDone) {
  constexpr std::size_t bytes = batch_length * sizeof(int);
  const std::vector<int> first = numbers(0), second = numbers(5000);
  DeviceMemory a(bytes), b(bytes), c(bytes);
  c.copy_from(numbers(9000));
  std::vector<int> back(batch_length);
  const BatchCopyHints now{.source_access = SourceAccess::during_call};
  const std::vector<BatchCopy> copies{
      {a.address(), address_of(first.data()), bytes, now},
      {b.address(), address_of(second.data()), bytes / 2, {.source_access = SourceAccess::any}},
      {b.address() + bytes / 2, address_of(second.data()) + bytes / 2, bytes / 2, {}},
      {address_of(back.data()), c.address(), bytes, {.overlaps_compute = true}}};
  copy_batch(copies, stream());
  stream().synchronize();
  EXPECT_EQ(values_of(a), first);
  EXPECT_EQ(values_of(b), second);
  EXPECT_EQ(back, numbers(9000));
  copy_batch({}, stream());  // is nothing
}

TEST_P(Batches, ASourceThatIsReadDuringTheCallMayChangeAfterIt) {
  constexpr std::size_t bytes = batch_length * sizeof(int);
  DeviceMemory memory(bytes);
  std::vector<int> values = numbers(1);
  const std::vector<BatchCopy> copies{{memory.address(),
                                       address_of(values.data()),
                                       bytes,
                                       {.source_access = SourceAccess::during_call}}};
  copy_batch(copies, stream());
  values.assign(batch_length, -1);
  stream().synchronize();
  EXPECT_EQ(values_of(memory), numbers(1));
}

TEST_P(Batches, BoxesGoBetweenMemoryAndArrays) {
  // 6 x 4 floats of an array of 8 x 5, and of memory with rows of 16.
  const Array array({.width = 8, .height = 5});
  std::vector<float> all(8 * 5, 0.f), rows(16 * 4);
  std::iota(rows.begin(), rows.end(), 1.f);
  array.copy_from(all);
  DeviceMemory there(rows.size() * sizeof(float));
  there.copy_from(rows);
  DeviceMemory packed(6 * 4 * sizeof(float));
  const CopySide in_rows{.type = MemoryType::device, .device = there.address(), .pitch_bytes = 64};
  copy_3d_batch(
      std::vector<BatchCopy3D>{
          {{.source = in_rows,
            .destination = {.x_bytes = 8, .y = 1, .type = MemoryType::array, .array = array},
            .width_bytes = 24,
            .height = 4,
            .depth = 1}},
          {{.source = in_rows,
            .destination = {.type = MemoryType::unified, .device = packed.address()},
            .width_bytes = 24,
            .height = 4,
            .depth = 1}}},
      stream());
  stream().synchronize();
  array.copy_to(all);
  std::vector<float> in_memory(6 * 4);
  packed.copy_to(in_memory);
  for (std::size_t y = 0; y < 5; ++y)
    for (std::size_t x = 0; x < 8; ++x) {
      const bool is_inside = x >= 2 && y >= 1;
      EXPECT_EQ(all[8 * y + x], is_inside ? rows[16 * (y - 1) + x - 2] : 0.f) << x << ", " << y;
      if (is_inside) {
        EXPECT_EQ(in_memory[6 * (y - 1) + x - 2], rows[16 * (y - 1) + x - 2]);
      }
    }
}

TEST_P(Batches, WhatIsWrongIsNamed) {
  DeviceMemory memory(64);
  const auto one = [&](BatchCopy copy) { copy_batch(std::vector{copy}, stream()); };
  EXPECT_THROW(copy_batch(std::vector<BatchCopy>{{memory.address(), memory.address(), 4, {}}}, {}),
               InvalidArgument)
      << "the default stream";
  EXPECT_THROW(one({0, memory.address(), 4, {}}), InvalidArgument);
  EXPECT_THROW(one({memory.address(), 0, 4, {}}), InvalidArgument);
  EXPECT_THROW(one({memory.address(), memory.address() + 32, 0, {}}), InvalidArgument);
  EXPECT_THROW(one({memory.address(), memory.address() + 32, static_cast<std::size_t>(-4), {}}),
               InvalidArgument);
  EXPECT_THROW(one({memory.address(),
                    memory.address() + 32,
                    4,
                    {.source_access = static_cast<SourceAccess>(0)}}),
               InvalidArgument);
  try {
    copy_batch(std::vector<BatchCopy>{{memory.address(), memory.address() + 32, 4, {}},
                                      {memory.address(), 0, 4, {}}},
               stream());
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_NE(error.message().find("copy 1 has no source"), std::string::npos) << error.message();
  }
  const Array array({.width = 8, .height = 5});
  const CopySide side{.type = MemoryType::array, .array = array};
  const CopySide linear{.type = MemoryType::device, .device = memory.address(), .pitch_bytes = 18};
  const auto box = [&](const Copy3D& copy) {
    copy_3d_batch(std::vector<BatchCopy3D>{{copy}}, stream());
  };
  EXPECT_THROW(box({side, linear, 16, 0, 1}), InvalidArgument);
  EXPECT_THROW(box({side, linear, 16, 2, 1}), InvalidArgument) << "a pitch of parts of elements";
  EXPECT_THROW(box({side, {}, 16, 2, 1}), InvalidArgument) << "a side that is not set";
  EXPECT_THROW(box({side, side, 16, 9, 1}), ShapeError);
}

TEST(BatchCalls, ADriverThatLacksThemIsNamed) {
  const auto guard = Context::make_current(fake::driver().device(0));
  const StreamRef stream(reinterpret_cast<RawStream>(8));
  EXPECT_THROW(copy_batch(std::vector<BatchCopy>{{8, 16, 4, {}}}, stream), NotSupported);
}

}  // namespace
}  // namespace treadle::cuda

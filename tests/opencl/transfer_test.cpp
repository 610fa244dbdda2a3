// SPDX-License-Identifier: MIT
#include "treadle/opencl/transfer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "opencl/each_platform.hpp"

namespace treadle::opencl {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

class TransferTest : public OnEachPlatform {};
INSTANTIATE_TEST_SUITE_P(, TransferTest, each_platform, platform_test_name);

TEST_P(TransferTest, WritesAndReadsAtAnOffset) {
  const Buffer a = filled<int>({0, 0, 0, 0});
  write(queue(), a, std::vector<int>{7, 8}, 4);
  EXPECT_THAT(values_of<int>(a), ElementsAre(0, 7, 8, 0));
  std::array<int, 2> part{};
  read(queue(), a, part, 8);
  EXPECT_THAT(part, ElementsAre(8, 0));
}

TEST_P(TransferTest, WithoutBlockingEndsWithTheEvent) {
  const Buffer a(context(), 16);
  const std::vector<int> from = {1, 2, 3, 4};
  std::vector<int> to(4);
  const Event written = write(queue(), a, from, 0, {}, Blocking::no);
  read(queue(), a, to, 0, {.after = written}, Blocking::no).wait();
  EXPECT_EQ(to, from);
}

TEST_P(TransferTest, RefusesWhatDoesNotFit) {
  const Buffer a(context(), 16);
  std::vector<int> five(5);
  EXPECT_THROW(write(queue(), a, five), InvalidArgument);
  EXPECT_THROW(read(queue(), a, five), InvalidArgument);
  EXPECT_THROW(write(queue(), a, std::vector<int>{1}, 17), InvalidArgument);
  try {
    write(queue(), a, std::vector<int>{1}, 13);
    FAIL() << "nothing was thrown";
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.what(), HasSubstr("4 bytes of the host from byte 13"));
  }
}

TEST_P(TransferTest, OfNoBytesIsRefusedOrNothing) {
  const Buffer a(context(), 16);
  try {
    write(queue(), a, std::vector<int>{});
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.code_name(), "CL_INVALID_VALUE");
  }
}

TEST_P(TransferTest, CopiesAllThatBothHave) {
  const Buffer a = filled<int>({1, 2, 3, 4}), b = filled<int>({9, 9});
  copy(queue(), a, b);
  EXPECT_THAT(values_of<int>(b), ElementsAre(1, 2));
}

TEST_P(TransferTest, CopiesARange) {
  const Buffer a = filled<int>({1, 2, 3, 4}), b = filled<int>({0, 0, 0, 0});
  copy(queue(), a, b, {.size_bytes = 8, .from_offset = 4, .to_offset = 8});
  EXPECT_THAT(values_of<int>(b), ElementsAre(0, 0, 2, 3));
}

TEST_P(TransferTest, ACopyBeyondTheEndOrOverItselfIsRefused) {
  const Buffer a = filled<int>({1, 2, 3, 4});
  const Buffer b(context(), 16);
  EXPECT_THAT(device_error_of([&] { copy(queue(), a, b, {.size_bytes = 20}); }).what(),
              HasSubstr("20 bytes from a buffer of 16"));
  EXPECT_EQ(
      device_error_of([&] { copy(queue(), a, a, {.size_bytes = 8, .to_offset = 4}); }).code_name(),
      "CL_MEM_COPY_OVERLAP");
}

TEST_P(TransferTest, AForeignContextIsRefused) {
  const Context other(device());
  const Buffer foreign(other, 16);
  const DeviceError error = device_error_of([&] { write(queue(), foreign, std::vector<int>{1}); });
  EXPECT_EQ(error.code_name(), "CL_INVALID_CONTEXT");
}

TEST_P(TransferTest, FillsWithAPattern) {
  const Buffer a = filled<int>(std::vector<int>(8));
  fill(queue(), a, std::array<int, 2>{3, 4}, 8, 16);
  EXPECT_THAT(values_of<int>(a), ElementsAre(0, 0, 3, 4, 3, 4, 0, 0));
}

TEST_P(TransferTest, AFillThatPatternsDoNotDivideIsRefused) {
  const Buffer a(context(), 64);
  const DeviceError error =
      device_error_of([&] { fill(queue(), a, std::array<int, 2>{1, 2}, 0, 12); });
  EXPECT_EQ(error.code_name(), "CL_INVALID_VALUE");
  EXPECT_THAT(error.what(), HasSubstr("a pattern of 8 bytes over 12 bytes"));
  const auto at_half_a_pattern = [&] { fill(queue(), a, std::array<int, 2>{1, 2}, 4, 16); };
  EXPECT_EQ(device_error_of(at_half_a_pattern).code_name(), "CL_INVALID_VALUE");
}

// Rows of four bytes, of which the box takes the middle two of rows 1 and 2:
//   00 01 02 03 / 04 [05 06] 07 / 08 [09 0a] 0b / 0c 0d 0e 0f
constexpr Box middle = {.region = {2, 2, 1},
                        .from = {.origin = {1, 1, 0}, .row_pitch = 4},
                        .to = {.origin = {0, 0, 0}, .row_pitch = 2}};
std::vector<unsigned char> count_up(std::size_t size) {
  std::vector<unsigned char> values(size);
  for (std::size_t i = 0; i < size; ++i) values[i] = static_cast<unsigned char>(i);
  return values;
}

TEST_P(TransferTest, ReadsABox) {
  const Buffer a = filled(count_up(16));
  std::vector<unsigned char> box(4);
  read_box(queue(), a, box, middle);
  EXPECT_THAT(box, ElementsAre(5, 6, 9, 10));
}

TEST_P(TransferTest, WritesABox) {
  const Buffer a = filled(std::vector<unsigned char>(4));
  write_box(queue(), a, count_up(16), middle);
  EXPECT_THAT(values_of<unsigned char>(a), ElementsAre(5, 6, 9, 10));
}

TEST_P(TransferTest, CopiesABox) {
  const Buffer a = filled(count_up(16)), b = filled(std::vector<unsigned char>(4));
  copy_box(queue(), a, b, middle);
  EXPECT_THAT(values_of<unsigned char>(b), ElementsAre(5, 6, 9, 10));
}

TEST_P(TransferTest, ABoxThatLeavesTheHostIsRefused) {
  const Buffer a = filled(count_up(16));
  std::vector<unsigned char> three(3);
  try {
    read_box(queue(), a, three, middle);
    FAIL() << "nothing was thrown";
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.what(), HasSubstr("the box ends at byte 4 of the host range, which has 3"));
  }
  Box slices = middle;
  slices.region[2] = 2;
  slices.to.slice_pitch = 100;
  std::vector<unsigned char> hundred(100);
  EXPECT_THROW(read_box(queue(), a, hundred, slices), InvalidArgument);
}

TEST_P(TransferTest, ABoxThatLeavesTheBufferIsRefused) {
  const Buffer a = filled(count_up(8));
  std::vector<unsigned char> box(4);
  const DeviceError error = device_error_of([&] { read_box(queue(), a, box, middle); });
  EXPECT_THAT(error.what(), HasSubstr("a box of 2 bytes, 2 rows, 1 slices"));
}

TEST_P(TransferTest, MigratesMemory) {
  const Buffer a = filled<int>({1, 2}), b = filled<int>({3});
  const MemoryObject both[] = {a, b};
  migrate(queue(), both, MemMigrationFlags::host).wait();
  migrate(queue(), both).wait();
  EXPECT_THAT(values_of<int>(a), ElementsAre(1, 2));
}

TEST_P(TransferTest, MigratesABufferWhosePartWasWritten) {
  const std::size_t bytes = device().get<DeviceInfo::mem_base_addr_align>() / 8;
  const Buffer whole = filled(std::vector<unsigned char>(2 * bytes, 1));
  const Buffer part = whole.sub_buffer(bytes, bytes);
  const unsigned char seven = 7;
  fill(queue(), part, std::span(&seven, 1), 0, bytes);
  const MemoryObject all[] = {whole};
  migrate(queue(), all, MemMigrationFlags::host);
  std::vector<unsigned char> expected(2 * bytes, 1);
  std::fill(expected.begin() + static_cast<std::ptrdiff_t>(bytes), expected.end(), seven);
  EXPECT_EQ(values_of<unsigned char>(whole), expected);
}

TEST_P(TransferTest, MapsForReadingAndWriting) {
  const Buffer a = filled<int>({1, 2, 3, 4});
  {
    Mapping mapping = map(queue(), a, MapFlags::read | MapFlags::write);
    EXPECT_TRUE(mapping.event().is_done());
    EXPECT_THAT(mapping.as<int>(), ElementsAre(1, 2, 3, 4));
    mapping.as<int>()[0] = 10;
    mapping.unmap().wait();
    EXPECT_FALSE(mapping.is_mapped());
    EXPECT_THROW(mapping.bytes(), InvalidState);
    EXPECT_THROW(mapping.unmap(), InvalidState);
  }
  EXPECT_THAT(values_of<int>(a), ElementsAre(10, 2, 3, 4));
}

TEST_P(TransferTest, MapsAPart) {
  const Buffer a = filled<int>({1, 2, 3, 4});
  const Mapping part = map(queue(), a, MapFlags::read, {.offset_bytes = 4, .size_bytes = 8});
  EXPECT_THAT(part.as<int>(), ElementsAre(2, 3));
  const Mapping rest = map(queue(), a, MapFlags::read, {.offset_bytes = 12});
  EXPECT_THAT(rest.as<int>(), ElementsAre(4));
}

TEST_P(TransferTest, AMappingKeepsBufferAndQueueAndUnmapsItself) {
  std::optional<Mapping> mapping;
  {
    const Queue local(context());
    const Buffer a(context(), 16);
    fill(local, a, std::vector<int>{6}, 0, 16);
    mapping.emplace(map(local, a, MapFlags::read));
  }
  EXPECT_THAT(mapping->as<int>(), Each(6));
  EXPECT_EQ(mapping->memory().get<MemInfo::map_count>(), 1u);
  const MemoryObject memory = mapping->memory();
  const Queue used = mapping->queue();
  mapping.reset();
  used.finish();
  EXPECT_EQ(memory.get<MemInfo::map_count>(), 0u);
}

TEST_P(TransferTest, AMappingMoves) {
  const Buffer a = filled<int>({1}), b = filled<int>({2});
  Mapping first = map(queue(), a, MapFlags::read);
  Mapping second = map(queue(), b, MapFlags::read);
  second = std::move(first);
  EXPECT_FALSE(first.is_mapped());
  EXPECT_THAT(second.as<int>(), ElementsAre(1));
  queue().finish();
  EXPECT_EQ(b.get<MemInfo::map_count>(), 0u);
}

TEST_P(TransferTest, AMapBeyondTheEndIsRefused) {
  const Buffer a(context(), 16);
  const DeviceError error =
      device_error_of([&] { map(queue(), a, MapFlags::read, {.size_bytes = 32}); });
  EXPECT_THAT(error.what(), HasSubstr("32 bytes of a buffer of 16 at byte 0"));
}

TEST_P(TransferTest, UnmapsInAnotherQueueAfterAnEvent) {
  const Buffer a = filled<int>({1});
  Mapping mapping = map(queue(), a, MapFlags::write);
  mapping.as<int>()[0] = 2;
  const Queue other(context());
  const UserEvent start(context());
  const Event done = mapping.unmap(other, {.after = start});
  start.set_status(0);
  done.wait();
  EXPECT_THAT(values_of<int>(a), ElementsAre(2));
}

}  // namespace
}  // namespace treadle::opencl

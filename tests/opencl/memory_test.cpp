// SPDX-License-Identifier: MIT
#include "treadle/opencl/memory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

#include "opencl/each_platform.hpp"

namespace treadle::opencl {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class BufferTest : public OnEachPlatform {
 protected:
  std::size_t alignment() const { return device().get<DeviceInfo::mem_base_addr_align>() / 8; }
};
INSTANTIATE_TEST_SUITE_P(, BufferTest, each_platform, platform_test_name);

TEST_P(BufferTest, KnowsSizeFlagsAndContext) {
  const Buffer buffer(context(), 100, MemFlags::read_only);
  EXPECT_EQ(buffer.size_bytes(), 100u);
  EXPECT_EQ(buffer.flags(), MemFlags::read_only);
  EXPECT_EQ(buffer.context(), context());
  EXPECT_EQ(buffer.get<MemInfo::type>(), static_cast<std::uint64_t>(MemObjectType::buffer));
  EXPECT_EQ(buffer.get<MemInfo::reference_count>(), 1u);
}

TEST_P(BufferTest, OfAKnownContextIsNotAskedForIt) {
  const Buffer buffer(context(), 100);
  const Buffer wrapped(context(), buffer.raw(), Ownership::retain, 100);
  EXPECT_EQ(wrapped, buffer);
  EXPECT_EQ(wrapped.context(), context());
  EXPECT_EQ(wrapped.size_bytes(), 100u);
  EXPECT_EQ(buffer.get<MemInfo::reference_count>(), 2u);
}

TEST_P(BufferTest, CopiesTheHostsValues) {
  std::vector<int> host = {1, 2, 3};
  const Buffer buffer(context(), 12, MemFlags::read_write | MemFlags::copy_host_ptr, host.data());
  host = {};
  EXPECT_THAT(values_of<int>(buffer), ElementsAre(1, 2, 3));
}

TEST_P(BufferTest, MayBeTheHostsOwnMemory) {
  alignas(4096) static int host[1024] = {5};
  const Buffer buffer(context(), sizeof host, MemFlags::read_write | MemFlags::use_host_ptr, host);
  EXPECT_EQ(values_of<int>(buffer).front(), 5);
  EXPECT_EQ(buffer.get<MemInfo::host_ptr>(), reinterpret_cast<std::uintptr_t>(&host[0]));
}

TEST_P(BufferTest, CopiesAreTheSameMemory) {
  const Buffer first = filled<int>({1}), second = first;
  write(queue(), second, std::vector<int>{9});
  EXPECT_EQ(first, second);
  EXPECT_THAT(values_of<int>(first), ElementsAre(9));
  EXPECT_EQ(first.get<MemInfo::reference_count>(), 2u);
}

TEST_P(BufferTest, OfNoBytesNamesWhatIsAllowed) {
  const DeviceError error = device_error_of([&] { Buffer(context(), 0); });
  EXPECT_EQ(error.code_name(), "CL_INVALID_BUFFER_SIZE");
  EXPECT_THAT(error.what(), HasSubstr("allocating 0 bytes on " + device().name()));
  EXPECT_THAT(error.what(), HasSubstr("a buffer has 1 to "));
}

TEST_P(BufferTest, OfTooManyBytesIsRefused) {
  const DeviceError error = device_error_of([&] { Buffer(context(), std::size_t{1} << 60); });
  EXPECT_EQ(error.call(), "clCreateBuffer");
  EXPECT_THAT(error.what(), HasSubstr("a buffer has 1 to "));
}

TEST_P(BufferTest, ContradictingFlagsAreRefused) {
  const DeviceError error =
      device_error_of([&] { Buffer(context(), 16, MemFlags::read_only | MemFlags::write_only); });
  EXPECT_EQ(error.code_name(), "CL_INVALID_VALUE");
  EXPECT_EQ(device_error_of([&] { Buffer(context(), 16, MemFlags::copy_host_ptr); }).code_name(),
            "CL_INVALID_HOST_PTR");
}

TEST_P(BufferTest, OnceReleasedSaysSo) {
  Buffer buffer(context(), 16);
  buffer.release();
  EXPECT_FALSE(buffer);
  EXPECT_THROW(buffer.release(), InvalidState);
  EXPECT_THROW(buffer.raw(), InvalidState);
  EXPECT_THROW(write(queue(), buffer, std::vector<int>{1}), InvalidState);
}

TEST_P(BufferTest, AReleasedCopyLeavesTheOther) {
  const Buffer kept = filled<int>({3});
  Buffer released = kept;
  released.release();
  EXPECT_THAT(values_of<int>(kept), ElementsAre(3));
}

TEST_P(BufferTest, PartsShareTheirParentsBytes) {
  const std::size_t at = alignment();
  Buffer part;
  {
    const Buffer whole(context(), at + 16);
    fill(queue(), whole, std::vector<int>{0}, 0, at + 16);
    part = whole.sub_buffer(at, 16);
    write(queue(), whole, std::vector<int>{1, 2, 3, 4}, at);
    EXPECT_EQ(part.get<MemInfo::associated_memobject>(), whole.raw());
  }
  EXPECT_EQ(part.size_bytes(), 16u);
  EXPECT_EQ(part.get<MemInfo::offset>(), at);
  EXPECT_THAT(values_of<int>(part), ElementsAre(1, 2, 3, 4));
}

// NVIDIA's platform allows any offset, and programs rely on it; then the part must be the right
// one.
TEST_P(BufferTest, AMisalignedPartNamesTheAlignmentOrServes) {
  const Buffer whole = filled<int>({1, 2, 3, 4});
  if (alignment() <= sizeof(int)) GTEST_SKIP() << "any offset is aligned here";
  try {
    EXPECT_THAT(values_of<int>(whole.sub_buffer(sizeof(int), 8)), ElementsAre(2, 3));
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.code_name(), "CL_MISALIGNED_SUB_BUFFER_OFFSET");
    EXPECT_THAT(error.what(), HasSubstr("multiple of " + std::to_string(alignment())));
  }
}

TEST_P(BufferTest, APartBeyondTheEndIsRefused) {
  const Buffer whole(context(), 4096);
  const DeviceError error = device_error_of([&] { whole.sub_buffer(0, 8192); });
  EXPECT_THAT(error.what(), HasSubstr("bytes 0 to 8192 of a buffer of 4096"));
  EXPECT_EQ(device_error_of([&] { whole.sub_buffer(8192, 1); }).code_name(), "CL_INVALID_VALUE");
}

TEST_P(BufferTest, TellsWhenItIsFreed) {
  std::promise<void> freed;
  {
    const Buffer buffer(context(), 16);
    buffer.on_destruction([&] { freed.set_value(); });
  }
  freed.get_future().get();
}

TEST_P(BufferTest, WrapsAnotherLibrarysBuffer) {
  const Buffer made = filled<int>({4, 5});
  const Buffer wrapped(Loader::system().shared_table(), made.raw(), Ownership::retain);
  EXPECT_EQ(wrapped, made);
  EXPECT_EQ(wrapped.size_bytes(), 8u);
  EXPECT_EQ(wrapped.context(), context());
  EXPECT_THAT(values_of<int>(wrapped), ElementsAre(4, 5));
}

TEST_P(BufferTest, IsMadeWithProperties) {
  if (context().platform().version() < Version{3, 0}) GTEST_SKIP() << "before OpenCL 3.0";
  int values[] = {1, 2, 3};
  const Buffer buffer = Buffer::with_properties(
      context(), {}, sizeof values, MemFlags::read_write | MemFlags::copy_host_ptr, values);
  EXPECT_EQ(buffer.size_bytes(), sizeof values);
  EXPECT_THAT(values_of<int>(buffer), ElementsAre(1, 2, 3));
  const std::uint64_t unknown[] = {0x7fff, 1};
  EXPECT_THROW(Buffer::with_properties(context(), unknown, 16), DeviceError);
  EXPECT_EQ(device_error_of([&] {
              Buffer::with_properties(context(), {}, std::size_t{1} << 60);
            }).code_name(),
            "CL_INVALID_BUFFER_SIZE");
}

TEST(OpenCLBuffer, AnEmptyOneSaysSo) {
  EXPECT_FALSE(Buffer());
  EXPECT_THROW(Buffer().raw(), InvalidState);
}

}  // namespace
}  // namespace treadle::opencl

// SPDX-License-Identifier: MIT
#include "treadle/cuda/array.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <optional>
#include <vector>

#include "cuda/fake_driver.hpp"
#include "cuda/providers.hpp"
#include "treadle/cuda/copy.hpp"

namespace treadle::cuda {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// The message that `call` is refused with.
template <class Refusal = InvalidArgument, class Call>
std::string refused(Call call) {
  try {
    call();
  } catch (const Refusal& error) {
    return error.message();
  }
  return "was not refused";
}

constexpr ArrayShape plane{.width = 8, .height = 4};

class WithoutADriver : public testing::Test {
 protected:
  void SetUp() override {
    fake::reset();
    current_.emplace(Context::make_current(fake::device()));
  }
  void TearDown() override { current_.reset(); }
  std::optional<CurrentContext> current_;
};
using ArrayShapes = WithoutADriver;
using ArrayCopies = WithoutADriver;

struct Wrong {
  ArrayShape shape;
  const char* message;
};

TEST_F(ArrayShapes, ThatNoDeviceHasAreRefusedByName) {
  const auto minus_one = static_cast<std::size_t>(-1);
  const auto layered = ArrayFlags::layered, cubemap = ArrayFlags::cubemap;
  for (const Wrong& wrong : std::vector<Wrong>{
           {{.width = 0}, "width is 0"},
           {{.width = minus_one}, "width is -1"},
           {{.width = 4, .height = minus_one}, "height is -1"},
           {{.width = 4, .height = 4, .depth = minus_one}, "depth is -1"},
           {{.width = 4, .channels = 3}, "channels is 3, and 1, 2 or 4 was expected"},
           {{.width = 4, .channels = 0}, "channels is 0"},
           {{.width = 4, .format = ArrayFormat{77}}, "format is 77"},
           {{.width = 4, .height = 0, .depth = 2}, "height is 0 where depth is 2"},
           {{.width = 4, .flags = layered}, "depth is 0, and a layered array has 1 or more"},
           {{.width = 4, .height = 5, .depth = 6, .flags = cubemap}, "width is 4 and height 5"},
           {{.width = 4, .height = 4, .depth = 5, .flags = cubemap}, "a cubemap has 6 faces"},
           {{.width = 4, .height = 4, .depth = 8, .flags = cubemap | layered}, "depth is 8"},
           {{.width = 4, .flags = ArrayFlags::texture_gather}, "texture_gather"},
           {{.width = std::size_t{1} << 40, .height = std::size_t{1} << 40}, "64 bits"}})
    EXPECT_THAT(refused([&] { Array{wrong.shape}; }), HasSubstr(wrong.message));
  EXPECT_EQ(fake::state().count("cuArray3DCreate"), 0);
}

TEST_F(ArrayShapes, TheDriversRefusalNamesTheShape) {
  fake::state().fail_next["cuArray3DCreate"] = CUDA_ERROR_INVALID_VALUE;
  EXPECT_THAT(refused<DeviceError>([] { Array{plane}; }),
              HasSubstr("an array of 8 x 4 x 0 elements of 4 bytes, flags 0 on Fake"));
}

TEST_F(ArrayShapes, LevelsEndWhereTheLongestSideIsOne) {
  EXPECT_THAT(refused([] { MipmappedArray(plane, 5); }), HasSubstr("levels is 5, and 1 to 4"));
  EXPECT_THAT(refused([] { MipmappedArray(plane, 0); }), HasSubstr("levels is 0"));
}

TEST_F(ArrayCopies, OutsideAnArrayAreRefusedBeforeTheDriverIsAsked) {
  const Array array(plane);
  std::vector<float> host(64);
  const auto message = [&](auto change) {
    Copy3D copy{.width_bytes = 16, .height = 2, .depth = 1};
    copy.source = {.type = MemoryType::host, .host = host.data(), .pitch_bytes = 16};
    copy.destination = {.type = MemoryType::array, .array = array};
    change(copy);
    return refused([&] { copy_3d(copy); });
  };
  EXPECT_THAT(message([](Copy3D& c) { c.width_bytes = c.source.pitch_bytes = 36; }),
              HasSubstr("the destination has 32 bytes in a row, and 36 from 0 on"));
  EXPECT_THAT(message([](Copy3D& c) { c.destination.x_bytes = 20; }), HasSubstr("16 from 20 on"));
  EXPECT_THAT(message([](Copy3D& c) { c.destination.y = 3; }), HasSubstr("4 rows, and 2 from 3"));
  EXPECT_THAT(message([](Copy3D& c) { c.destination.z = 1; }), HasSubstr("1 slices, and 1 from 1"));
  EXPECT_THAT(message([](Copy3D& c) { c.destination.x_bytes = 2; }),
              HasSubstr("elements of 4 bytes, and x_bytes is 2"));
  EXPECT_THAT(message([](Copy3D& c) { c.source.pitch_bytes = 8; }),
              HasSubstr("the source has a pitch of 8 bytes, and its rows have 16"));
  EXPECT_THAT(message([](Copy3D& c) { c.source.size_bytes = 31; }),
              HasSubstr("the source has 31 bytes, and the copy ends at byte 32"));
  EXPECT_THAT(message([](Copy3D& c) { c.destination.array = {}; }),
              HasSubstr("the destination was not set"));
  EXPECT_EQ(fake::state().count("cuMemcpy3D"), 0);
}

TEST_F(ArrayCopies, OfBytesStayWithinIt) {
  const Array row({.width = 8});
  std::vector<float> host(8);
  const auto message = [&](const ArrayPosition& place, std::size_t size) {
    return refused([&] { copy_to_device(place, host.data(), size); });
  };
  EXPECT_THAT(message({row, 0}, 36), HasSubstr("has 32 bytes, and 36 from 0 on"));
  EXPECT_THAT(message({row, 16}, 20), HasSubstr("20 from 16 on"));
  EXPECT_THAT(message({row, 2}, 4), HasSubstr("offset_bytes is 2"));
  EXPECT_THAT(message({row, 0}, 6), HasSubstr("size_bytes is 6"));
  EXPECT_THAT(message({row, 0}, static_cast<std::size_t>(-4)), HasSubstr("size_bytes is -4"));
  EXPECT_THAT(refused([&] { copy_to_host(nullptr, {row, 0}, 4); }), HasSubstr("null"));
  EXPECT_THROW(copy_to_device({Array(), 0}, host.data(), 4), InvalidState);
}

TEST_F(ArrayCopies, OfAnotherContextNeedAPeerCopy) {
  const Array array(Context::create(fake::device()), {.width = 8});
  float host = 0;
  EXPECT_THAT(refused([&] { copy_to_device({array, 0}, &host, 4); }),
              HasSubstr("an array of another context"));
  Copy2D copy{.source = {.type = MemoryType::array, .array = array},
              .destination = {.type = MemoryType::host, .host = &host},
              .width_bytes = 4,
              .height = 1};
  EXPECT_THAT(refused([&] { copy_2d(copy); }), HasSubstr("an array of another context"));
}

class OnArrays : public OnEachProvider {};

template <class T>
std::vector<T> numbered(std::size_t count) {
  std::vector<T> values(count);
  std::iota(values.begin(), values.end(), T{1});
  return values;
}

TEST_P(OnArrays, HoldWhatWasCopiedIntoThem) {
  for (const ArrayShape& shape : std::vector<ArrayShape>{
           {.width = 7},
           {.width = 7, .height = 5},
           {.width = 7, .height = 5, .depth = 3},
           {.width = 7, .height = 5, .channels = 4},
           {.width = 7, .height = 5, .format = ArrayFormat::uint8},
           {.width = 7, .height = 5, .format = ArrayFormat::half, .channels = 2},
           {.width = 7, .depth = 3, .flags = ArrayFlags::layered},
           {.width = 7, .height = 5, .depth = 3, .flags = ArrayFlags::layered},
           {.width = 5, .height = 5, .depth = 6, .flags = ArrayFlags::cubemap},
           {.width = 5,
            .height = 5,
            .depth = 12,
            .flags = ArrayFlags::cubemap | ArrayFlags::layered},
           {.width = 8, .height = 4, .flags = ArrayFlags::surface_load_store}}) {
    const Array array(shape);
    const auto values = numbered<std::uint8_t>(shape.size_bytes());
    array.copy_from(values);
    std::vector<std::uint8_t> back(values.size());
    array.copy_to(back);
    EXPECT_EQ(back, values) << shape.width << "x" << shape.height << "x" << shape.depth;
    EXPECT_EQ(array.shape(), shape);
    EXPECT_EQ(Array::borrow(context(), array.raw()).shape(), shape);
  }
}

TEST_P(OnArrays, AHostRangeOfAnotherSizeIsRefused) {
  const Array array(plane);
  std::vector<float> few(31);
  EXPECT_THAT(refused<ShapeError>([&] { array.copy_from(few); }),
              HasSubstr("124 bytes, the array 128"));
  EXPECT_THROW(array.copy_to(few), ShapeError);
}

TEST_P(OnArrays, AreFreedOnceAndRefuseToBeUsedThen) {
  Array array(plane);
  const Array shared = array;
  array.free();
  EXPECT_TRUE(shared.is_freed());
  EXPECT_EQ(shared.shape(), plane);
  EXPECT_THAT(refused<InvalidState>([&] { array.free(); }), HasSubstr("freed"));
  EXPECT_THROW(shared.raw(), InvalidState);
  Array none;
  EXPECT_THROW(none.raw(), InvalidState);
}

TEST_P(OnArrays, BorrowedOnesAreNotFreed) {
  const Array array(plane);
  {
    Array borrowed = Array::borrow(context(), array.raw());
    EXPECT_THROW(borrowed.free(), InvalidState);
  }
  std::vector<float> values(32);
  array.copy_from(values);
}

TEST_P(OnArrays, CopyBytesEveryWay) {
  const Array first({.width = 16}), second({.width = 16});
  const auto values = numbered<float>(16);
  std::vector<float> back(16);
  const DeviceMemory memory(64);
  copy_to_device({first, 0}, values.data(), 64);
  copy_on_device({second, 0}, {first, 32}, 32);
  copy_on_device({second, 32}, {first, 0}, 32);
  copy_on_device(memory.address(), {second, 4}, 60);
  copy_on_device({first, 4}, memory.address(), 60);
  copy_to_host(back.data(), {first, 0}, 64);
  EXPECT_EQ(back[0], 1);
  EXPECT_EQ(back[1], 10);
  EXPECT_EQ(back[8], 1);

  const Stream stream;
  copy_to_device_async({second, 0}, values.data(), 64, stream);
  copy_to_host_async(back.data(), {second, 32}, 16, stream);
  stream.synchronize();
  EXPECT_EQ(back[0], 9);
}

/// One kind of side that holds a 6 x 4 x 2 box of bytes from some place on.
struct Place {
  CopySide side;
  std::optional<DeviceMemory> memory;
  std::vector<std::uint8_t> host;
};

Place place(MemoryType type) {
  Place made;
  made.side = {.x_bytes = 1, .y = 2, .z = 1, .type = type, .pitch_bytes = 9, .height = 7};
  if (type == MemoryType::array)
    made.side.array = Array({.width = 9, .height = 7, .depth = 3, .format = ArrayFormat::uint8});
  if (type == MemoryType::device || type == MemoryType::unified) {
    made.memory.emplace(9 * 7 * 3);
    made.side.device = made.memory->address();
  }
  if (type == MemoryType::host) {
    made.host.resize(9 * 7 * 3);
    made.side.host = made.host.data();
  }
  return made;
}

TEST_P(OnArrays, BoxesGoBetweenAnyMixtureOfSides) {
  const auto values = numbered<std::uint8_t>(6 * 4 * 2);
  const CopySide packed_in{
      .type = MemoryType::host, .host = values.data(), .pitch_bytes = 6, .height = 4};
  const auto types = {MemoryType::host, MemoryType::device, MemoryType::array, MemoryType::unified};
  for (const MemoryType from : types)
    for (const MemoryType to : types) {
      const Place source = place(from), destination = place(to);
      std::vector<std::uint8_t> back(values.size());
      const CopySide packed_out{
          .type = MemoryType::host, .host = back.data(), .pitch_bytes = 6, .height = 4};
      const auto move = [&](const CopySide& a, const CopySide& b) {
        copy_3d({.source = a, .destination = b, .width_bytes = 6, .height = 4, .depth = 2});
      };
      move(packed_in, source.side);
      move(source.side, destination.side);
      move(destination.side, packed_out);
      EXPECT_EQ(back, values) << static_cast<int>(from) << " to " << static_cast<int>(to);
    }
}

TEST_P(OnArrays, RectanglesGoInAndOutInAStreamsOrder) {
  const Array array({.width = 8, .height = 4, .format = ArrayFormat::uint8});
  const auto values = numbered<std::uint8_t>(32);
  std::vector<std::uint8_t> back(6);
  const Stream stream(StreamFlags::non_blocking);
  Copy2D in{.width_bytes = 8, .height = 4};
  in.source = {.type = MemoryType::host, .host = values.data(), .pitch_bytes = 8};
  in.destination = {.type = MemoryType::array, .array = array};
  copy_2d_async(in, stream);
  Copy2D out{.width_bytes = 3, .height = 2};
  out.source = {.x_bytes = 5, .y = 1, .type = MemoryType::array, .array = array};
  out.destination = {.type = MemoryType::host, .host = back.data(), .pitch_bytes = 3};
  copy_2d_async(out, stream);
  stream.synchronize();
  EXPECT_EQ(back, (std::vector<std::uint8_t>{14, 15, 16, 22, 23, 24}));
}

TEST_P(OnArrays, PeerCopiesKnowTheContextOfAnArray) {
  const Context other = Context::create(device());
  const Array here({.width = 8, .format = ArrayFormat::uint8});
  const Array there(other, {.width = 8, .format = ArrayFormat::uint8});
  const auto values = numbered<std::uint8_t>(8);
  here.copy_from(values);
  copy_3d_peer({.source = {.type = MemoryType::array, .array = here},
                .destination = {.type = MemoryType::array, .array = there},
                .width_bytes = 8,
                .height = 1,
                .depth = 1});
  context().synchronize();
  std::vector<std::uint8_t> back(8);
  there.copy_to(back);
  EXPECT_EQ(back, values);
}

TEST_P(OnArrays, MipmappedOnesHaveLevelsOfHalfTheSize) {
  MipmappedArray array({.width = 8, .height = 4}, 4);
  const Array large = array.level(0), small = array.level(3);
  EXPECT_EQ(array.level(1).shape().width, 4u);
  EXPECT_EQ(array.level(1).shape().height, 2u);
  EXPECT_EQ(small.shape().width, 1u);
  EXPECT_EQ(small.shape().rows(), 1u);
  small.copy_from(std::vector<float>{5});
  large.copy_from(std::vector<float>(32));
  std::vector<float> back(1);
  small.copy_to(back);
  EXPECT_EQ(back[0], 5);
  EXPECT_THAT(refused<IndexError>([&] { array.level(4); }), HasSubstr("level 4 of"));
  array.free();
  EXPECT_TRUE(small.is_freed());
  EXPECT_THROW(small.raw(), InvalidState);
  EXPECT_THROW(array.free(), InvalidState);
}

TEST_P(OnArrays, ALevelKeepsTheOthers) {
  const Array level = MipmappedArray({.width = 8}, 2).level(1);
  level.copy_from(std::vector<float>(4));
  EXPECT_FALSE(level.is_freed());
}

TEST_P(OnArrays, MoreThanTheDeviceTakesIsTheDriversError) {
  EXPECT_THROW(Array({.width = std::size_t{1} << 30, .height = 2}), DeviceError);
}

INSTANTIATE_TEST_SUITE_P(Providers, OnArrays, each_provider, provider_name);

}  // namespace
}  // namespace treadle::cuda

// SPDX-License-Identifier: MIT
#include "treadle/opencl/image_transfer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "opencl/each_platform.hpp"

namespace treadle::opencl {
namespace {

using testing::Each;
using testing::HasSubstr;

using Pixel = std::array<std::uint8_t, 4>;
using Sizes = std::vector<std::size_t>;
constexpr ImageFormat rgba_bytes{ChannelOrder::rgba, ChannelType::unsigned_int8};

class ImageTransferTest : public OnEachPlatform {
 protected:
  void SetUp() override {
    OnEachPlatform::SetUp();
    if (!IsSkipped() && !device().get<DeviceInfo::image_support>())
      GTEST_SKIP() << "the device has no images";
  }
  Image image(const Sizes& sizes, std::size_t array = 0) const {
    return Image(context(), rgba_bytes, ImageDescriptor::of(sizes, array));
  }
  /// Pixels that differ.
  static std::vector<Pixel> counted(std::size_t count) {
    std::vector<Pixel> pixels(count);
    for (std::size_t i = 0; i < count; ++i)
      pixels[i] = {static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(i >> 8), 3, 4};
    return pixels;
  }
  Image filled_image(const Sizes& sizes, std::size_t array = 0) const {
    const Image made = image(sizes, array);
    const auto& e = made.extent();
    write_image(queue(), made, counted(e[0] * e[1] * e[2]));
    return made;
  }
  std::vector<Pixel> pixels_of(const Image& from, const ImageRegion& region = {}) const {
    ImageRegion box = region;
    if (box.size[0] == 0) box.size = from.extent();
    std::vector<Pixel> pixels(box.size[0] * box.size[1] * box.size[2]);
    read_image(queue(), from, pixels, box);
    return pixels;
  }
};
INSTANTIATE_TEST_SUITE_P(, ImageTransferTest, each_platform, platform_test_name);

TEST_P(ImageTransferTest, WritesAndReadsImagesOfEveryType) {
  for (const auto& [sizes, array] : {std::pair{Sizes{7}, 0},
                                     {Sizes{7}, 3},
                                     {Sizes{7, 5}, 0},
                                     {Sizes{7, 5}, 3},
                                     {Sizes{7, 5, 3}, 0}}) {
    const Image made = filled_image(sizes, static_cast<std::size_t>(array));
    const auto& e = made.extent();
    EXPECT_EQ(pixels_of(made), counted(e[0] * e[1] * e[2])) << sizes.size() << " " << array;
  }
}

TEST_P(ImageTransferTest, ReadsARegion) {
  const Image made = filled_image({7, 5, 3});
  const std::vector<Pixel> all = counted(7 * 5 * 3);
  const ImageRegion box{.origin = {2, 1, 1}, .size = {3, 2, 2}};
  std::vector<Pixel> expected;
  for (std::size_t z = 1; z < 3; ++z)
    for (std::size_t y = 1; y < 3; ++y)
      for (std::size_t x = 2; x < 5; ++x) expected.push_back(all[(z * 5 + y) * 7 + x]);
  EXPECT_EQ(pixels_of(made, box), expected);
}

TEST_P(ImageTransferTest, PitchesLeaveGapsInTheHostsMemory) {
  const Image made = filled_image({3, 2, 2});
  std::vector<Pixel> wide(5 * 3 * 2, Pixel{9, 9, 9, 9});
  read_image(queue(), made, wide, {}, {.row = 20, .slice = 60});
  const std::vector<Pixel> all = counted(12);
  EXPECT_EQ(wide[5], all[3]);
  EXPECT_EQ(wide[15], all[6]);
  EXPECT_EQ(wide[3], (Pixel{9, 9, 9, 9}));
  const Image other = image({3, 2, 2});
  write_image(queue(), other, wide, {}, {.row = 20, .slice = 60});
  EXPECT_EQ(pixels_of(other), all);
}

TEST_P(ImageTransferTest, WithoutBlockingEndsWithTheEvent) {
  const Image made = image({8, 8});
  const std::vector<Pixel> from = counted(64);
  std::vector<Pixel> to(64);
  const Event written = write_image(queue(), made, from, {}, {}, {}, Blocking::no);
  read_image(queue(), made, to, {}, {}, {.after = written}, Blocking::no).wait();
  EXPECT_EQ(to, from);
}

TEST_P(ImageTransferTest, CopiesBetweenImages) {
  const Image from = filled_image({7, 5}), to = image({7, 5});
  write_image(queue(), to, std::vector<Pixel>(35));
  copy_image(queue(), from, to, {.origin = {1, 1, 0}, .size = {2, 2, 1}}, {4, 3, 0});
  const std::vector<Pixel> all = counted(35), now = pixels_of(to);
  EXPECT_EQ(now[3 * 7 + 4], all[8]);
  EXPECT_EQ(now[4 * 7 + 5], all[16]);
  EXPECT_EQ(now[0], Pixel{});
}

TEST_P(ImageTransferTest, CopiesToAndFromBuffers) {
  const Image from = filled_image({6, 4}), to = image({6, 4});
  const Buffer buffer(context(), 8 + 24 * 4);
  copy_image_to_buffer(queue(), from, buffer, {}, 8);
  copy_buffer_to_image(queue(), buffer, to, {}, 8);
  EXPECT_EQ(pixels_of(to), counted(24));
}

TEST_P(ImageTransferTest, Fills) {
  const Image whole = image({6, 4});
  fill_image(queue(), whole, std::array<std::uint32_t, 4>{1, 2, 3, 4});
  EXPECT_THAT(pixels_of(whole), Each(Pixel{1, 2, 3, 4}));
  fill_image(queue(), whole, std::array<std::uint32_t, 4>{5, 6, 7, 8},
             {.origin = {1, 1, 0}, .size = {2, 1, 1}});
  const std::vector<Pixel> now = pixels_of(whole);
  EXPECT_EQ(now[7], (Pixel{5, 6, 7, 8}));
  EXPECT_EQ(now[9], (Pixel{1, 2, 3, 4}));
}

TEST_P(ImageTransferTest, AColourOfAnotherKindIsRefused) {
  const Image made = image({6, 4});
  try {
    fill_image(queue(), made, std::array<float, 4>{1, 0, 0, 1});
    FAIL() << "nothing was thrown";
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.what(), HasSubstr("a colour of floats for an image of RGBA, UNSIGNED_INT8"));
    EXPECT_EQ(error.hint(), "give four unsigned integers");
  }
}

TEST_P(ImageTransferTest, MapsForReadingAndWriting) {
  const Image made = filled_image({6, 4});
  {
    ImageMapping mapping =
        map_image(queue(), made, MapFlags::read | MapFlags::write, {{2, 1, 0}, {3, 2, 1}});
    EXPECT_GE(mapping.row_pitch(), 3 * sizeof(Pixel));
    ASSERT_GE(mapping.bytes().size(), mapping.row_pitch() + 3 * sizeof(Pixel));
    EXPECT_EQ(mapping.as<Pixel>()[0], counted(24)[8]);
    EXPECT_EQ(mapping.as<Pixel>()[mapping.row_pitch() / sizeof(Pixel)], counted(24)[14]);
    mapping.as<Pixel>()[0] = {1, 1, 1, 1};
    mapping.unmap().wait();
  }
  EXPECT_EQ(pixels_of(made)[8], (Pixel{1, 1, 1, 1}));
}

TEST_P(ImageTransferTest, RegionsOutsideTheImageAreRefused) {
  const Image made = image({6, 4});
  const Buffer buffer(context(), 1024);
  std::vector<Pixel> host(64);
  const ImageRegion outside{{2, 0, 0}, {5, 1, 1}}, flat{{0, 0, 0}, {6, 0, 1}},
      deep{{0, 0, 1}, {1, 1, 1}};
  for (const ImageRegion& region : {outside, flat, deep}) {
    const auto code = [&](auto attempt) { return device_error_of(attempt).code_name(); };
    EXPECT_EQ(code([&] { write_image(queue(), made, host, region); }), "CL_INVALID_VALUE");
    EXPECT_EQ(code([&] { read_image(queue(), made, host, region); }), "CL_INVALID_VALUE");
    EXPECT_EQ(code([&] { copy_image(queue(), made, image({6, 4}), region); }), "CL_INVALID_VALUE");
    EXPECT_EQ(code([&] { copy_image_to_buffer(queue(), made, buffer, region); }),
              "CL_INVALID_VALUE");
    EXPECT_EQ(code([&] { copy_buffer_to_image(queue(), buffer, made, region); }),
              "CL_INVALID_VALUE");
    EXPECT_EQ(code([&] { fill_image(queue(), made, std::array<std::uint32_t, 4>{}, region); }),
              "CL_INVALID_VALUE");
    EXPECT_EQ(code([&] { map_image(queue(), made, MapFlags::read, region); }), "CL_INVALID_VALUE");
  }
  EXPECT_THAT(device_error_of([&] { read_image(queue(), made, host, outside); }).what(),
              HasSubstr("a region of (5, 1, 1) pixels from (2, 0, 0) on is not in an image of "
                        "(6, 4, 1)"));
}

TEST_P(ImageTransferTest, HostRangesAndPitchesThatAreTooShortAreRefused) {
  const Image made = image({6, 4});
  std::vector<Pixel> host(23);
  EXPECT_THROW(write_image(queue(), made, host), InvalidArgument);
  EXPECT_THROW(read_image(queue(), made, host), InvalidArgument);
  host.resize(100);
  EXPECT_THROW(read_image(queue(), made, host, {}, {.row = 20}), InvalidArgument);
  EXPECT_THROW(read_image(queue(), image({3, 2, 2}), host, {}, {.row = 12, .slice = 12}),
               InvalidArgument);
}

TEST_P(ImageTransferTest, CopiesThatDoNotFitAreRefused) {
  const Image made = filled_image({6, 4});
  const ImageFormat floats{ChannelOrder::rgba, ChannelType::float_};
  const Sizes sizes{6, 4};
  const Image other(context(), floats, ImageDescriptor::of(sizes));
  EXPECT_EQ(device_error_of([&] { copy_image(queue(), made, other); }).code_name(),
            "CL_IMAGE_FORMAT_MISMATCH");
  EXPECT_EQ(device_error_of([&] {
              copy_image(queue(), made, made, {{0, 0, 0}, {3, 3, 1}}, {2, 1, 0});
            }).code_name(),
            "CL_MEM_COPY_OVERLAP");
  const Buffer small(context(), 95);
  EXPECT_THAT(device_error_of([&] { copy_image_to_buffer(queue(), made, small); }).what(),
              HasSubstr("are 96 bytes, which from byte 0 on do not fit a buffer of 95"));
  EXPECT_THROW(copy_buffer_to_image(queue(), small, made), DeviceError);
}

}  // namespace
}  // namespace treadle::opencl

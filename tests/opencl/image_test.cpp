// SPDX-License-Identifier: MIT
#include "treadle/opencl/image.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "opencl/each_platform.hpp"
#include "opencl/fake_platform.hpp"
#include "treadle/opencl/image_transfer.hpp"

namespace treadle::opencl {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr ImageFormat rgba_float{ChannelOrder::rgba, ChannelType::float_};
constexpr ImageFormat one_byte{ChannelOrder::r, ChannelType::unsigned_int8};

TEST(OpenCLImageFormat, KnowsItsSizes) {
  EXPECT_EQ(rgba_float.channel_count(), 4u);
  EXPECT_EQ(rgba_float.channel_bytes(), 4u);
  EXPECT_EQ(rgba_float.pixel_bytes(), 16u);
  EXPECT_EQ((ImageFormat{ChannelOrder::rg, ChannelType::half_float}.pixel_bytes()), 4u);
  EXPECT_EQ((ImageFormat{ChannelOrder::rgb, ChannelType::unorm_short_565}.pixel_bytes()), 2u);
  EXPECT_EQ((ImageFormat{ChannelOrder::rgba, ChannelType::unorm_int_101010_2}.pixel_bytes()), 4u);
  EXPECT_EQ(rgba_float.text(), "RGBA, FLOAT");
}

TEST(OpenCLImageFormat, OfNoStandardSaysSo) {
  const ImageFormat unknown{static_cast<ChannelOrder>(7), static_cast<ChannelType>(8)};
  EXPECT_THROW(unknown.channel_count(), InvalidArgument);
  EXPECT_THROW(unknown.channel_bytes(), InvalidArgument);
  EXPECT_EQ(unknown.text(), "7, 8");
}

TEST(OpenCLImageDescriptor, IsOfAsManyDimensionsAsSizes) {
  using enum MemObjectType;
  const auto type = [](std::vector<std::size_t> sizes, std::size_t array = 0) {
    return ImageDescriptor::of(sizes, array).type;
  };
  EXPECT_EQ(type({4}), image1d);
  EXPECT_EQ(type({4}, 2), image1d_array);
  EXPECT_EQ(type({4, 3}), image2d);
  EXPECT_EQ(type({4, 3}, 2), image2d_array);
  EXPECT_EQ(type({4, 3, 2}), image3d);
  EXPECT_THROW(type({}), InvalidArgument);
  EXPECT_THROW(type({1, 1, 1, 1}), InvalidArgument);
  EXPECT_THROW(type({1, 1, 1}, 2), InvalidArgument);
}

class ImageTest : public OnEachPlatform {
 protected:
  void SetUp() override {
    OnEachPlatform::SetUp();
    if (!IsSkipped() && !device().get<DeviceInfo::image_support>())
      GTEST_SKIP() << "the device has no images";
  }
  Image image(std::vector<std::size_t> sizes, std::size_t array = 0) const {
    return Image(context(), rgba_float, ImageDescriptor::of(sizes, array));
  }
};
INSTANTIATE_TEST_SUITE_P(, ImageTest, each_platform, platform_test_name);

TEST_P(ImageTest, OfEveryTypeKnowsItsShape) {
  EXPECT_THAT(image({8}).extent(), ElementsAre(8, 1, 1));
  EXPECT_THAT(image({8}, 3).extent(), ElementsAre(8, 3, 1));
  EXPECT_THAT(image({8, 4}).extent(), ElementsAre(8, 4, 1));
  EXPECT_THAT(image({8, 4}, 3).extent(), ElementsAre(8, 4, 3));
  EXPECT_THAT(image({8, 4, 2}).extent(), ElementsAre(8, 4, 2));
  const Image flat = image({8, 4});
  EXPECT_EQ(flat.type(), MemObjectType::image2d);
  EXPECT_EQ(flat.format(), rgba_float);
  EXPECT_EQ(flat.get<ImageInfo::width>(), 8u);
  EXPECT_EQ(flat.get<ImageInfo::height>(), 4u);
  EXPECT_EQ(flat.get<ImageInfo::element_size>(), 16u);
  EXPECT_EQ(flat.get<MemInfo::type>(), static_cast<std::uint64_t>(MemObjectType::image2d));
  EXPECT_GE(flat.size_bytes(), 8u * 4 * 16);
  EXPECT_EQ(flat.context(), context());
}

TEST_P(ImageTest, CopiesAreTheSameImage) {
  const Image first = image({8, 4}), second = first;
  EXPECT_EQ(first, second);
  EXPECT_EQ(first.get<MemInfo::reference_count>(), 2u);
}

TEST_P(ImageTest, WrapsAnotherLibrarysImage) {
  const Image made = image({8, 4}, 3);
  const Image wrapped(Loader::system().shared_table(), made.raw(), Ownership::retain);
  EXPECT_EQ(wrapped, made);
  EXPECT_EQ(wrapped.extent(), made.extent());
  EXPECT_EQ(wrapped.format(), made.format());
  EXPECT_EQ(wrapped.type(), made.type());
  EXPECT_EQ(wrapped.context(), context());
}

TEST_P(ImageTest, CopiesTheHostsPixels) {
  std::vector<float> pixels(8 * 4 * 4);
  for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<float>(i);
  const std::vector<float> expected = pixels;
  const std::size_t sizes[] = {8, 4};
  const Image made(context(), rgba_float, ImageDescriptor::of(sizes),
                   MemFlags::read_only | MemFlags::copy_host_ptr,
                   std::as_writable_bytes(std::span(pixels)));
  pixels.assign(pixels.size(), 0);
  std::vector<float> back(expected.size());
  read_image(queue(), made, back);
  EXPECT_EQ(back, expected);
}

TEST_P(ImageTest, IsMadeWithProperties) {
  if (context().platform().version() < Version{3, 0}) GTEST_SKIP() << "before OpenCL 3.0";
  const std::size_t sizes[] = {8, 4};
  const Image made = Image::with_properties(context(), {}, rgba_float, ImageDescriptor::of(sizes));
  EXPECT_EQ(made.extent(), (std::array<std::size_t, 3>{8, 4, 1}));
  const std::uint64_t unknown[] = {0x7fff, 1};
  EXPECT_THROW(Image::with_properties(context(), unknown, rgba_float, ImageDescriptor::of(sizes)),
               DeviceError);
}

TEST_P(ImageTest, ABuffersPixelsAreAnImageOfOneDimension) {
  std::vector<float> values(32);
  values[4] = 7;
  const Buffer buffer = filled(values);
  ImageDescriptor descriptor;
  descriptor.type = MemObjectType::image1d_buffer;
  descriptor.width = 8;
  descriptor.memory = buffer;
  const Image made(context(), rgba_float, descriptor);
  EXPECT_EQ(made.get<ImageInfo::buffer>(), buffer.raw());
  const Program program = build(
      "kernel void second(read_only image1d_buffer_t image, global float4 *to) {"
      "  *to = read_imagef(image, 1); }");
  const Buffer to(context(), 16);
  program.kernel("second").launch({.queue = queue(), .global = {1}}, made, to);
  EXPECT_THAT(values_of<float>(to), ElementsAre(7, 0, 0, 0));
}

TEST_P(ImageTest, FormatsAreListedByType) {
  for (const auto type : {MemObjectType::image1d, MemObjectType::image2d, MemObjectType::image3d})
    EXPECT_THAT(supported_image_formats(context(), MemFlags::read_only, type),
                Contains(rgba_float));
}

TEST_P(ImageTest, AnUnsupportedFormatIsRefusedByName) {
  const std::size_t sizes[] = {8, 4};
  const ImageFormat odd{ChannelOrder::rgb, ChannelType::unsigned_int32};
  const DeviceError error =
      device_error_of([&] { Image(context(), odd, ImageDescriptor::of(sizes)); });
  EXPECT_EQ(error.code_name(), "CL_IMAGE_FORMAT_NOT_SUPPORTED");
  EXPECT_THAT(error.what(), HasSubstr("format RGB, UNSIGNED_INT32 is none of the "));
  EXPECT_EQ(error.hint(), "RGBA, UNSIGNED_INT32");
}

TEST_P(ImageTest, SizesThatNoDeviceHasAreRefused) {
  const auto widest = device().get<DeviceInfo::image2d_max_width>();
  const DeviceError wide = device_error_of([&] { image({widest + 1, 4}); });
  EXPECT_EQ(wide.code_name(), "CL_INVALID_IMAGE_SIZE");
  EXPECT_THAT(wide.what(), HasSubstr("the width is " + std::to_string(widest + 1) +
                                     "; there it is 1 to " + std::to_string(widest)));
  EXPECT_THAT(device_error_of([&] { image({8, 0}); }).what(), HasSubstr("the height is 0"));
  EXPECT_THAT(device_error_of([&] { image({8, 4, std::size_t{1} << 40}); }).what(),
              HasSubstr("the depth is "));
  EXPECT_THAT(device_error_of([&] { image({8}, std::size_t{1} << 40); }).what(),
              HasSubstr("the array_size is "));
}

TEST_P(ImageTest, PitchesAndMemoryThatDoNotFitAreRefused) {
  const std::size_t sizes[] = {8, 4};
  ImageDescriptor descriptor = ImageDescriptor::of(sizes);
  std::vector<float> host(8 * 4 * 4);
  const auto bytes = std::as_writable_bytes(std::span(host));
  const MemFlags flags = MemFlags::read_write | MemFlags::copy_host_ptr;
  descriptor.row_pitch = 100;
  EXPECT_THAT(
      device_error_of([&] { Image(context(), rgba_float, descriptor, flags, bytes); }).what(),
      HasSubstr("row_pitch is 100; rows have 128 bytes or more"));
  descriptor.row_pitch = 144;
  EXPECT_THROW(Image(context(), rgba_float, descriptor, flags, bytes), InvalidArgument);
  descriptor.row_pitch = 0;
  EXPECT_THROW(Image(context(), rgba_float, descriptor, flags, bytes.first(511)), InvalidArgument);
  descriptor.type = MemObjectType::image1d_buffer;
  EXPECT_THAT(device_error_of([&] { Image(context(), rgba_float, descriptor); }).what(),
              HasSubstr("needs the buffer"));
  descriptor.memory = Buffer(context(), 100);
  EXPECT_THAT(device_error_of([&] { Image(context(), rgba_float, descriptor); }).what(),
              HasSubstr("the image needs 128 bytes, its memory has 100"));
  descriptor.type = MemObjectType::image1d;
  EXPECT_EQ(device_error_of([&] { Image(context(), rgba_float, descriptor); }).code_name(),
            "CL_INVALID_IMAGE_DESCRIPTOR");
}

TEST_P(ImageTest, AnotherKindOfMemoryIsNoImage) {
  ImageDescriptor descriptor;
  descriptor.type = MemObjectType::buffer;
  descriptor.width = 8;
  EXPECT_THAT(device_error_of([&] { Image(context(), rgba_float, descriptor); }).what(),
              HasSubstr("is no image"));
}

/// The fake platform with images of up to 64 pixels a side.
std::shared_ptr<Table> fake_images(bool has_images = true) {
  auto table = fake::make_table();
  static bool answer;
  answer = has_images;
  table->clGetDeviceInfo = [](cl_device_id, cl_device_info parameter, std::size_t size, void* data,
                              std::size_t* needed) -> cl_int {
    const std::size_t number = parameter == CL_DEVICE_IMAGE_SUPPORT ? (answer ? 1 : 0) : 64;
    const bool is_text = parameter == CL_DEVICE_NAME;
    if (needed != nullptr) *needed = is_text ? 5 : sizeof number;
    if (data != nullptr)
      std::memcpy(data, is_text ? static_cast<const void*>("Fake") : &number,
                  is_text ? 5 : std::min(size, sizeof number));
    return CL_SUCCESS;
  };
  table->clGetSupportedImageFormats = [](cl_context, cl_mem_flags, cl_mem_object_type, cl_uint room,
                                         cl_image_format* formats, cl_uint* count) -> cl_int {
    if (count != nullptr) *count = 1;
    if (room > 0) formats[0] = {CL_R, CL_UNSIGNED_INT8};
    return CL_SUCCESS;
  };
  const auto make = [](const char* name, cl_int* code) {
    fake::state().calls.push_back(name);
    *code = CL_SUCCESS;
    return reinterpret_cast<cl_mem>(16);
  };
  static const auto make_one = make;
  table->clCreateImage = [](auto, auto, auto, auto, auto, cl_int* code) {
    return make_one("clCreateImage", code);
  };
  table->clCreateImage2D = [](auto, auto, auto, auto, auto, auto, auto, cl_int* code) {
    return make_one("clCreateImage2D", code);
  };
  table->clCreateImage3D = [](auto, auto, auto, auto, auto, auto, auto, auto, auto, cl_int* code) {
    return make_one("clCreateImage3D", code);
  };
  table->clGetMemObjectInfo = [](cl_mem, cl_mem_info, std::size_t, void* data,
                                 std::size_t*) -> cl_int {
    if (data != nullptr) std::memset(data, 0, sizeof(std::size_t));
    return CL_SUCCESS;
  };
  table->clReleaseMemObject = [](cl_mem) -> cl_int { return CL_SUCCESS; };
  return table;
}

Context fake_context(const std::string& version, bool has_images = true) {
  fake::reset();
  fake::state().version = version;
  const Table loader = *fake_images(has_images);
  return Context(Device(load_platform_table(loader, reinterpret_cast<RawPlatform>(16)),
                        reinterpret_cast<RawDevice>(16), Ownership::adopt));
}

TEST(OpenCLImageOnFake, OlderPlatformsMakeThoseOfTwoAndThreeDimensions) {
  const Context context = fake_context("OpenCL 1.1 Fake");
  const std::vector<std::size_t> flat = {8, 4}, deep = {8, 4, 2}, row = {8};
  const Image two(context, one_byte, ImageDescriptor::of(flat));
  const Image three(context, one_byte, ImageDescriptor::of(deep));
  EXPECT_THAT(fake::state().calls, Contains("clCreateImage2D"));
  EXPECT_THAT(fake::state().calls, Contains("clCreateImage3D"));
  EXPECT_THROW(Image(context, one_byte, ImageDescriptor::of(row)), NotSupported);
}

TEST(OpenCLImageOnFake, WhatDevicesLackIsRefusedBeforeThePlatformIsAsked) {
  const std::vector<std::size_t> wide = {65, 4}, flat = {8, 4};
  {
    const Context context = fake_context("OpenCL 3.0 Fake");
    EXPECT_THROW(Image(context, one_byte, ImageDescriptor::of(wide)), DeviceError);
    EXPECT_THROW(Image(context, rgba_float, ImageDescriptor::of(flat)), DeviceError);
    EXPECT_THAT(fake::state().calls, testing::Not(Contains("clCreateImage")));
    Image(context, one_byte, ImageDescriptor::of(flat));
    EXPECT_THAT(fake::state().calls, Contains("clCreateImage"));
  }
  const Context without = fake_context("OpenCL 3.0 Fake", false);
  const DeviceError error =
      device_error_of([&] { Image(without, one_byte, ImageDescriptor::of(flat)); });
  EXPECT_EQ(error.code_name(), "CL_INVALID_OPERATION");
  EXPECT_THAT(error.what(), HasSubstr("Fake has no images"));
}

}  // namespace
}  // namespace treadle::opencl

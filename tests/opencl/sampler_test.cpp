// SPDX-License-Identifier: MIT
#include "treadle/opencl/sampler.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "opencl/each_platform.hpp"
#include "treadle/opencl/image_transfer.hpp"
#include "treadle/opencl/table.hpp"

namespace treadle::opencl {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class SamplerTest : public OnEachPlatform {
 protected:
  void SetUp() override {
    OnEachPlatform::SetUp();
    if (!IsSkipped() && !device().get<DeviceInfo::image_support>())
      GTEST_SKIP() << "the device has no images";
  }
};
INSTANTIATE_TEST_SUITE_P(, SamplerTest, each_platform, platform_test_name);

TEST_P(SamplerTest, TellsHowItWasMade) {
  const Sampler sampler(context(), false, AddressingMode::clamp_to_edge, FilterMode::nearest);
  EXPECT_FALSE(sampler.get<SamplerInfo::normalized_coords>());
  EXPECT_EQ(sampler.get<SamplerInfo::addressing_mode>(),
            static_cast<std::uint64_t>(AddressingMode::clamp_to_edge));
  EXPECT_EQ(sampler.get<SamplerInfo::filter_mode>(),
            static_cast<std::uint64_t>(FilterMode::nearest));
  EXPECT_EQ(sampler.get<SamplerInfo::context>(), context().raw());
  const Sampler copy = sampler;
  EXPECT_EQ(copy, sampler);
  EXPECT_EQ(sampler.get<SamplerInfo::reference_count>(), 2u);
}

TEST_P(SamplerTest, IsMadeFromProperties) {
  const std::uint64_t properties[] = {CL_SAMPLER_NORMALIZED_COORDS, CL_TRUE,
                                      CL_SAMPLER_ADDRESSING_MODE, CL_ADDRESS_REPEAT};
  const Sampler sampler = Sampler::with_properties(context(), properties);
  EXPECT_TRUE(sampler.get<SamplerInfo::normalized_coords>());
  EXPECT_EQ(sampler.get<SamplerInfo::addressing_mode>(),
            static_cast<std::uint64_t>(AddressingMode::repeat));
}

TEST_P(SamplerTest, IsAnArgumentOfAKernel) {
  const std::size_t sizes[] = {4, 1};
  const Image image(context(), {ChannelOrder::rgba, ChannelType::float_},
                    ImageDescriptor::of(sizes));
  std::vector<float> pixels(16);
  for (std::size_t i = 0; i < 4; ++i) pixels[4 * i] = static_cast<float>(i);
  write_image(queue(), image, pixels);
  const Program program = build(
      "kernel void look(read_only image2d_t image, sampler_t s, global float *to) {"
      "  int x = get_global_id(0);"
      "  to[x] = read_imagef(image, s, (int2)(x - 1, 0)).x; }");
  const Sampler edge(context(), false, AddressingMode::clamp_to_edge, FilterMode::nearest);
  const Buffer to(context(), 24);
  program.kernel("look").launch({.queue = queue(), .global = {6}}, image, edge, to);
  EXPECT_THAT(values_of<float>(to), ElementsAre(0, 0, 1, 2, 3, 3));
}

TEST_P(SamplerTest, RepeatsNormalisedCoordinatesOnly) {
  for (const auto mode : {AddressingMode::repeat, AddressingMode::mirrored_repeat}) {
    const DeviceError error =
        device_error_of([&] { Sampler(context(), false, mode, FilterMode::nearest); });
    EXPECT_EQ(error.code_name(), "CL_INVALID_VALUE");
    EXPECT_THAT(error.what(), HasSubstr("normalised coordinates only"));
  }
}

TEST(OpenCLSampler, AnEmptyOneSaysSo) {
  EXPECT_FALSE(Sampler());
  EXPECT_THROW(Sampler().raw(), InvalidState);
}

}  // namespace
}  // namespace treadle::opencl

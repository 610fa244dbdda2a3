// SPDX-License-Identifier: MIT
// Refusals, which every machine has; tests/python/pyopencl has the tests with an OpenGL context.
#include "treadle/opencl/graphics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "opencl/each_platform.hpp"

namespace treadle::opencl {
namespace {

class GraphicsTest : public OnEachPlatform {
 protected:
  void SetUp() override {
    OnEachPlatform::SetUp();
    if (!IsSkipped() && device().has_extension("cl_khr_gl_sharing"))
      GTEST_SKIP() << "the platform shares with OpenGL";
  }
};
INSTANTIATE_TEST_SUITE_P(, GraphicsTest, each_platform, platform_test_name);

TEST_P(GraphicsTest, PlatformsWithoutSharingSaySo) {
  const Buffer buffer(context(), 16);
  const MemoryObject all[] = {buffer};
  EXPECT_THROW(buffer_from_graphics(context(), 1), NotSupported);
  EXPECT_THROW(texture_from_graphics(context(), 0x0de1, 0, 1), NotSupported);
  EXPECT_THROW(renderbuffer_from_graphics(context(), 1), NotSupported);
  EXPECT_THROW(graphics_object(buffer), NotSupported);
  EXPECT_THROW(acquire_graphics(queue(), all), NotSupported);
  EXPECT_THROW(release_graphics(queue(), all), NotSupported);
  EXPECT_THROW(event_from_graphics(context(), nullptr), NotSupported);
  EXPECT_THROW(graphics_devices(device().platform(), {}), NotSupported);
}

TEST(OpenCLGraphics, NoContextIsSaid) {
  // Neither library may be there, and on this thread no context is current.
  EXPECT_THROW(graphics_properties(), Error);
}

}  // namespace
}  // namespace treadle::opencl

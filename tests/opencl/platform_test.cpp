// SPDX-License-Identifier: MIT
#include "treadle/opencl/platform.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "opencl/each_platform.hpp"
#include "opencl/fake_platform.hpp"

namespace treadle::opencl {
namespace {

using testing::HasSubstr;

class PlatformTest : public OnEachPlatform {};
INSTANTIATE_TEST_SUITE_P(, PlatformTest, each_platform, platform_test_name);

TEST_P(PlatformTest, AnswersOrRefusesEveryParameterOfTheList) {
  const Platform platform = device().platform();
  for (const InfoParameter& parameter : info_parameters()) {
    if (parameter.group != "PlatformInfo") continue;
    try {
      platform.info(static_cast<PlatformInfo>(parameter.code));
    } catch (const DeviceError& error) {
      EXPECT_EQ(error.call(), "clGetPlatformInfo");
      EXPECT_NE(parameter.since, "1.0") << parameter.name;
    }
  }
}

TEST_P(PlatformTest, ListsItsDevicesByType) {
  const Platform platform = device().platform();
  const auto all = platform.devices();
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all.front(), device());
  std::size_t by_type = 0;
  for (const DeviceType type : {DeviceType::cpu, DeviceType::gpu, DeviceType::accelerator})
    by_type += platform.devices(type).size();
  EXPECT_EQ(by_type, all.size());
}

TEST_P(PlatformTest, ItsTableIsMadeOnce) {
  const Loader loader = Loader::system();
  const Platform platform = loader.platforms().at(GetParam());
  EXPECT_EQ(loader.platform(platform.raw()).shared_table(), platform.shared_table());
  EXPECT_EQ(Loader(loader).platforms().at(GetParam()).shared_table(), platform.shared_table());
  EXPECT_EQ(platform.table().platform, platform.raw());
}

TEST(OpenCLLoader, OfAFakeListsItsPlatform) {
  fake::reset();
  const auto platforms = Loader(fake::make_table()).platforms();
  ASSERT_EQ(platforms.size(), 1u);
  EXPECT_EQ(platforms.front().name(), "Fake");
  EXPECT_EQ(platforms.front().version(), (Version{3, 0}));
}

TEST(OpenCLPlatform, OlderThanATypeHasNoDeviceOfIt) {
  fake::reset();
  const Platform platform = Loader(fake::make_table()).platforms().front();
  EXPECT_EQ(platform.devices().size(), 1u);
  for (const int code : {CL_INVALID_DEVICE_TYPE, CL_DEVICE_NOT_FOUND}) {
    fake::state().fail["clGetDeviceIDs"] = code;
    for (const DeviceType type : {DeviceType::custom, DeviceType::cpu, DeviceType::all})
      EXPECT_TRUE(platform.devices(type).empty());
  }
}

TEST(OpenCLPlatform, RefusesATypeThatIsNone) {
  fake::reset();
  const Platform platform = Loader(fake::make_table()).platforms().front();
  fake::state().fail["clGetDeviceIDs"] = CL_INVALID_DEVICE_TYPE;
  for (const int bits : {0, 1 << 20}) {
    const DeviceError error =
        device_error_of([&] { platform.devices(static_cast<DeviceType>(bits)); });
    EXPECT_EQ(error.code(), CL_INVALID_DEVICE_TYPE);
    EXPECT_THAT(error.what(), HasSubstr("of type " + std::to_string(bits) + " of Fake"));
  }
}

TEST(OpenCLLoader, ThatFailsOtherwiseSaysSo) {
  fake::reset();
  fake::state().fail["clGetPlatformIDs"] = CL_OUT_OF_HOST_MEMORY;
  EXPECT_THROW(Loader(fake::make_table()).platforms(), OutOfMemory);
}

TEST(OpenCLLoader, APlatformOfAMalformedVersionIsRefused) {
  fake::reset();
  fake::state().version = "three";
  const DeviceError error = device_error_of([] { Loader(fake::make_table()).platforms(); });
  EXPECT_THAT(error.what(), HasSubstr("the version \"three\" does not begin with"));
}

TEST(OpenCLLoader, WithoutPlatformsNamesWhereItLookedAndWhatToInstall) {
  auto table = std::make_shared<Table>();
  table->library = "/somewhere/libOpenCL.so.1";
  for (const auto answer :
       {+[](cl_uint, cl_platform_id*, cl_uint*) -> cl_int { return CL_PLATFORM_NOT_FOUND_KHR; },
        +[](cl_uint, cl_platform_id*, cl_uint* count) -> cl_int {
          *count = 0;
          return CL_SUCCESS;
        }}) {
    table->clGetPlatformIDs = answer;
    const DeviceError error = device_error_of([&] { Loader(table).platforms(); });
    EXPECT_EQ(error.code(), CL_PLATFORM_NOT_FOUND_KHR);
    EXPECT_EQ(error.code_name(), "CL_PLATFORM_NOT_FOUND_KHR");
    EXPECT_THAT(error.what(),
                HasSubstr("platform not found - the loader /somewhere/libOpenCL.so.1"));
    EXPECT_THAT(error.hint(), HasSubstr("apt install ocl-icd-libopencl1 pocl-opencl-icd"));
  }
}

TEST(OpenCLLoader, OfTheSystemHasAFileAndTheRequiredCalls) {
  try {
    const Loader loader = Loader::system();
    EXPECT_FALSE(loader.library().empty());
    EXPECT_TRUE(is_present(loader.table().clCreateContext));
    EXPECT_EQ(loader.table().platform, nullptr);
  } catch (const LibraryNotFound& error) {
    EXPECT_FALSE(error.tried().empty());
    EXPECT_THAT(error.hint(), HasSubstr("apt install"));
    GTEST_SKIP() << "this machine has no OpenCL loader";
  }
}

}  // namespace
}  // namespace treadle::opencl

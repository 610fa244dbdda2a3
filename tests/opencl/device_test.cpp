// SPDX-License-Identifier: MIT
#include "treadle/opencl/device.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "opencl/each_platform.hpp"
#include "opencl/version.hpp"
#include "treadle/opencl/table.hpp"

namespace treadle::opencl {
namespace {

using testing::HasSubstr;
using testing::Not;

class DeviceTest : public OnEachPlatform {};
INSTANTIATE_TEST_SUITE_P(, DeviceTest, each_platform, platform_test_name);

TEST_P(DeviceTest, TellsWhatItIs) {
  EXPECT_FALSE(device().name().empty());
  EXPECT_NE(device().type(), DeviceType{});
  EXPECT_GE(device().version(), (Version{1, 1}));
  EXPECT_GT(device().total_memory(), 0u);
  EXPECT_GT(device().get<DeviceInfo::max_compute_units>(), 0u);
  EXPECT_EQ(device().get<DeviceInfo::max_work_item_sizes>().size(),
            device().get<DeviceInfo::max_work_item_dimensions>());
}

TEST_P(DeviceTest, AnswersOrRefusesEveryParameterOfTheList) {
  int answered = 0;
  for (const InfoParameter& parameter : info_parameters()) {
    if (parameter.group != "DeviceInfo") continue;
    try {
      device().info(static_cast<DeviceInfo>(parameter.code));
      ++answered;
    } catch (const DeviceError& error) {
      EXPECT_EQ(error.call(), "clGetDeviceInfo");
      EXPECT_THAT(error.what(), HasSubstr(std::string(parameter.name)));
      // What the standard of its version demands is answered.
      EXPECT_THAT(parameter.since, Not(testing::AnyOf("1.0", "1.1", "1.2"))) << parameter.name;
    }
  }
  EXPECT_GT(answered, 70);
}

TEST_P(DeviceTest, BelongsToItsPlatform) {
  const Platform platform = device().platform();
  EXPECT_EQ(device().get<DeviceInfo::platform>(), platform.raw());
  EXPECT_EQ(platform, Loader::system().platforms().at(GetParam()));
  EXPECT_FALSE(platform.name().empty());
  EXPECT_FALSE(platform.vendor().empty());
  EXPECT_GE(platform.version(), (Version{1, 1}));
}

TEST_P(DeviceTest, ExtensionsAreWholeWords) {
  const auto extensions = device().platform().extensions();
  if (extensions.empty()) GTEST_SKIP() << "the platform has no extension";
  EXPECT_TRUE(device().platform().has_extension(extensions.front()));
  EXPECT_FALSE(device().platform().has_extension("cl_khr"));
  EXPECT_TRUE(device().has_extension("cl_khr_global_int32_base_atomics"));
  EXPECT_FALSE(device().has_extension("cl_khr_global_int32"));
}

TEST_P(DeviceTest, OfATypeThatIsNotThereIsAnEmptyList) {
  EXPECT_TRUE(device().platform().devices(DeviceType::accelerator).empty());
}

TEST_P(DeviceTest, FoundThroughTheLoadersTableKnowsItsPlatform) {
  const Device wrapped(Loader::system().shared_table(), device().raw(), Ownership::retain);
  EXPECT_EQ(wrapped, device());
  EXPECT_EQ(wrapped.platform(), device().platform());
  EXPECT_EQ(wrapped.platform().shared_table(), device().platform().shared_table());  // made once
}

TEST_P(DeviceTest, HasTwoClocks) {
  try {
    const Timestamps first = device().timestamps();
    EXPECT_LE(first.host, device().host_timestamp());
  } catch (const NotSupported& error) {
    EXPECT_THAT(error.what(), HasSubstr("clGetDeviceAndHostTimer is not offered by platform"));
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.call(), "clGetDeviceAndHostTimer");  // PoCL knows the call and refuses it
  }
}

TEST_P(DeviceTest, IsDividedOrSaysWhyNot) {
  const std::intptr_t each_one[] = {static_cast<std::intptr_t>(DevicePartitionProperty::equally),
                                    1};
  try {
    const auto parts = device().create_sub_devices(each_one);
    ASSERT_FALSE(parts.empty());
    EXPECT_EQ(parts.front().get<DeviceInfo::parent_device>(), device().raw());
    EXPECT_EQ(parts.front().get<DeviceInfo::max_compute_units>(), 1u);
    EXPECT_EQ(parts.front().get<DeviceInfo::reference_count>(), 1u);
    const Queue on_part(Context(parts.front()));
    on_part.finish();
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.call(), "clCreateSubDevices");
    EXPECT_THAT(error.what(), HasSubstr(device().name()));
  }
}

TEST_P(DeviceTest, UnloadingTheCompilerLetsTheNextBuildGoOn) {
  device().platform().unload_compiler();
  build("__kernel void k() {}").kernel("k");
}

TEST(OpenCLVersion, IsReadFromTheStandardsText) {
  const Table table;
  EXPECT_EQ(parse_version(table, "clGetPlatformInfo", "OpenCL 3.0 PoCL"), (Version{3, 0}));
  EXPECT_THROW(parse_version(table, "clGetPlatformInfo", "CL 3"), DeviceError);
}

TEST(OpenCLVersion, WordsSkipRepeatedBlanks) {
  EXPECT_EQ(split_words(" a  b ", ' '), (std::vector<std::string>{"a", "b"}));
}

}  // namespace
}  // namespace treadle::opencl

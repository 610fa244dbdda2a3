// SPDX-License-Identifier: MIT
#include "treadle/opencl/info.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "opencl/query.hpp"

namespace treadle::opencl {
namespace {

using testing::ElementsAre;

template <class T>
std::span<const std::byte> bytes_of(const T& value) {
  return std::as_bytes(std::span(&value, 1));
}

TEST(OpenCLInfo, ListsEachParameterOnce) {
  std::set<std::pair<std::string_view, std::int64_t>> seen;
  for (const InfoParameter& parameter : info_parameters()) {
    EXPECT_TRUE(seen.emplace(parameter.group, parameter.code).second)
        << parameter.group << "::" << parameter.name;
    EXPECT_FALSE(parameter.since.empty());
  }
}

TEST(OpenCLInfo, HasEveryParameterOfItsGroups) {
  const std::pair<std::string_view, std::string_view> groups[] = {{"device_info", "DeviceInfo"},
                                                                  {"platform_info", "PlatformInfo"},
                                                                  {"mem_info", "MemInfo"},
                                                                  {"program_info", "ProgramInfo"},
                                                                  {"kernel_info", "KernelInfo"}};
  for (const auto& [python, group] : groups) {
    const auto* listed = std::ranges::find(enum_groups(), python, &EnumGroup::name).base();
    for (const EnumValue& value : listed->values)
      EXPECT_NE(find_info(group, value.value), nullptr) << group << "." << value.name;
  }
}

TEST(OpenCLInfo, TypesFollowTheList) {
  static_assert(std::is_same_v<InfoType<DeviceInfo::name>, std::string>);
  static_assert(std::is_same_v<InfoType<DeviceInfo::max_work_group_size>, std::uint64_t>);
  static_assert(std::is_same_v<InfoType<DeviceInfo::available>, bool>);
  static_assert(
      std::is_same_v<InfoType<DeviceInfo::max_work_item_sizes>, std::vector<std::uint64_t>>);
  static_assert(std::is_same_v<InfoType<EventInfo::command_execution_status>, std::int64_t>);
  static_assert(std::is_same_v<InfoType<CommandQueueInfo::context>, RawContext>);
}

TEST(OpenCLInfo, NumbersOfAnyWidthAreDecoded) {
  EXPECT_EQ(std::get<std::uint64_t>(decode(InfoKind::number, bytes_of(std::uint32_t{7}))), 7u);
  EXPECT_EQ(std::get<std::uint64_t>(decode(InfoKind::number, bytes_of(~std::uint64_t{0}))),
            ~std::uint64_t{0});
  EXPECT_EQ(std::get<std::int64_t>(decode(InfoKind::integer, bytes_of(std::int32_t{-5}))), -5);
  EXPECT_TRUE(std::get<bool>(decode(InfoKind::boolean, bytes_of(std::uint32_t{1}))));
}

TEST(OpenCLInfo, TextsEndBeforeTheirNul) {
  const char text[] = "Portable\0rest";
  EXPECT_EQ(std::get<std::string>(decode(InfoKind::text, std::as_bytes(std::span(text)))),
            "Portable");
  EXPECT_EQ(std::get<std::string>(decode(InfoKind::text, {})), "");
}

TEST(OpenCLInfo, ListsAreDecodedByElement) {
  const std::uint64_t wide[] = {1, 2};
  const std::uint32_t narrow[] = {3, 4, 5};
  using Numbers = std::vector<std::uint64_t>;
  EXPECT_THAT(std::get<Numbers>(decode(InfoKind::numbers, bytes_of(wide))), ElementsAre(1, 2));
  EXPECT_THAT(std::get<Numbers>(decode(InfoKind::numbers4, bytes_of(narrow))),
              ElementsAre(3, 4, 5));
}

TEST(OpenCLInfo, NamesKeepTheirVersions) {
  const cl_name_version entries[] = {{CL_MAKE_VERSION(3, 0, 0), "cl_khr_fp64"}};
  EXPECT_THAT(std::get<std::vector<NameVersion>>(decode(InfoKind::names, bytes_of(entries))),
              ElementsAre(NameVersion{CL_MAKE_VERSION(3, 0, 0), "cl_khr_fp64"}));
}

TEST(OpenCLInfo, AMissingObjectIsNull) {
  EXPECT_EQ(std::get<RawDevice>(decode(InfoKind::device, {})), nullptr);
}

TEST(OpenCLInfo, AnUnknownNumberIsAnInvalidValue) {
  const Table table;
  EXPECT_THROW(known_parameter(table, "clGetDeviceInfo", "DeviceInfo", 1), DeviceError);
  EXPECT_EQ(find_info("NoSuchGroup", 0x1000), nullptr);
}

}  // namespace
}  // namespace treadle::opencl

// SPDX-License-Identifier: MIT
#include "treadle/opencl/enums.hpp"

#include <gtest/gtest.h>

#include <set>

#include "treadle/opencl/table.hpp"

namespace treadle::opencl {
namespace {

const EnumGroup* find_group(std::string_view name) {
  for (const EnumGroup& group : enum_groups())
    if (group.name == name) return &group;
  return nullptr;
}

TEST(OpenCLEnums, HaveTheHeadersNumbers) {
  EXPECT_EQ(static_cast<int>(StatusCode::invalid_kernel_args), CL_INVALID_KERNEL_ARGS);
  EXPECT_EQ(static_cast<cl_ulong>(MemFlags::copy_host_ptr), cl_ulong{CL_MEM_COPY_HOST_PTR});
  EXPECT_EQ(static_cast<int>(DeviceInfo::opencl_c_features), CL_DEVICE_OPENCL_C_FEATURES);
  EXPECT_EQ(static_cast<cl_ulong>(DeviceType::all), cl_ulong{CL_DEVICE_TYPE_ALL});
  EXPECT_EQ(static_cast<int>(ProfilingInfo::end), CL_PROFILING_COMMAND_END);
}

TEST(OpenCLEnums, BitsCombine) {
  constexpr MemFlags flags = MemFlags::read_only | MemFlags::copy_host_ptr;
  static_assert(has(flags, MemFlags::read_only));
  static_assert(!has(flags, MemFlags::write_only));
  static_assert((flags & MemFlags::copy_host_ptr) == MemFlags::copy_host_ptr);
  static_assert(BitGroup<MapFlags> && !BitGroup<StatusCode>);
}

TEST(OpenCLEnums, GroupsAreListedOnceUnderTheirPythonNames) {
  std::set<std::string_view> names;
  for (const EnumGroup& group : enum_groups()) {
    EXPECT_TRUE(names.insert(group.name).second) << group.name;
    EXPECT_FALSE(group.values.empty()) << group.name;
    std::set<std::string_view> members;
    for (const EnumValue& value : group.values)
      EXPECT_TRUE(members.insert(value.name).second) << group.name << "." << value.name;
  }
  for (const char* name : {"mem_flags", "device_info", "status_code", "command_type"})
    EXPECT_TRUE(names.contains(name)) << name;
}

TEST(OpenCLEnums, KnowWhichGroupsAreBitFields) {
  EXPECT_TRUE(find_group("mem_flags")->is_bitfield);
  EXPECT_TRUE(find_group("device_type")->is_bitfield);
  EXPECT_FALSE(find_group("status_code")->is_bitfield);
}

TEST(OpenCLEnums, NameValues) {
  EXPECT_EQ(enum_name("status_code", -5), "OUT_OF_RESOURCES");
  EXPECT_EQ(enum_name("command_type", 0x11f0), "NDRANGE_KERNEL");
  EXPECT_EQ(enum_name("status_code", -12345), "");
  EXPECT_EQ(enum_name("no_such_group", 0), "");
}

}  // namespace
}  // namespace treadle::opencl

// SPDX-License-Identifier: MIT
// The limits of this machine, against folders that look like those of others.
#include "cuda_cpu/runtime/machine.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace treadle::cuda_cpu {
namespace {

class MachineTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "treadle-machine-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    root_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(root_); }
  void write(const std::string& path, const std::string& text) {
    std::filesystem::create_directories((root_ + path).substr(0, (root_ + path).rfind('/')));
    std::ofstream(root_ + path) << text << "\n";
  }
  std::string root_;
};

TEST_F(MachineTest, without_cgroups_has_what_is_installed) {
  EXPECT_EQ(cgroup_memory_limit(root_, 1000), 1000u);
  EXPECT_EQ(cgroup_cores(root_, 8), 8u);
}

TEST_F(MachineTest, honours_the_lowest_limit_between_its_cgroup_and_the_root) {
  write("/proc/self/cgroup", "0::/a/b");
  write("/sys/fs/cgroup/a/b/memory.max", "max");
  write("/sys/fs/cgroup/a/memory.max", "4096");
  write("/sys/fs/cgroup/a/b/cpu.max", "250000 100000");
  write("/sys/fs/cgroup/a/cpu.max", "max 100000");
  EXPECT_EQ(cgroup_memory_limit(root_, 1 << 20), 4096u);
  EXPECT_EQ(cgroup_cores(root_, 8), 3u);
  EXPECT_EQ(cgroup_cores(root_, 2), 2u);
}

TEST_F(MachineTest, honours_the_limits_a_container_sees_at_its_root) {
  write("/proc/self/cgroup", "0::/docker/of-the-host");
  write("/sys/fs/cgroup/memory.max", "2048");
  write("/sys/fs/cgroup/cpu.max", "50000 100000");
  EXPECT_EQ(cgroup_memory_limit(root_, 1 << 20), 2048u);
  EXPECT_EQ(cgroup_cores(root_, 8), 1u);
}

TEST_F(MachineTest, honours_version_1) {
  write("/proc/self/cgroup", "5:memory:/m\n4:cpu,cpuacct:/c");
  write("/sys/fs/cgroup/memory/m/memory.limit_in_bytes", "8192");
  write("/sys/fs/cgroup/cpu/c/cpu.cfs_quota_us", "200000");
  write("/sys/fs/cgroup/cpu/c/cpu.cfs_period_us", "100000");
  EXPECT_EQ(cgroup_memory_limit(root_, 1 << 20), 8192u);
  EXPECT_EQ(cgroup_cores(root_, 8), 2u);
}

TEST_F(MachineTest, takes_no_quota_for_no_limit) {
  write("/proc/self/cgroup", "4:cpu,cpuacct:/");
  write("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1");
  EXPECT_EQ(cgroup_cores(root_, 8), 8u);
}

TEST_F(MachineTest, gives_out_three_quarters_of_what_is_available_or_what_was_chosen) {
  constexpr std::size_t mib = 1 << 20;
  EXPECT_EQ(memory_to_give(1000 * mib, 400 * mib, 0), 300 * mib);
  EXPECT_EQ(memory_to_give(100 * mib, 400 * mib, 0), 75 * mib);  // a cgroup's limit
  EXPECT_EQ(memory_to_give(1000 * mib, 400 * mib + 12345, 0), 300 * mib);
  EXPECT_EQ(memory_to_give(1000 * mib, 0, 0), mib);
  EXPECT_EQ(memory_to_give(1000 * mib, 400 * mib, 500 * mib + 1), 500 * mib + 1);
  EXPECT_EQ(memory_to_give(1000 * mib, 400 * mib, 2000 * mib), 1000 * mib);
}

TEST_F(MachineTest, knows_itself) {
  EXPECT_GE(machine().cores, 1u);
  EXPECT_GE(machine().threads, 1u);
  EXPECT_GT(machine().memory_bytes, std::size_t{64} << 20);
  EXPECT_GT(available_memory_bytes(), 0u);
  EXPECT_GT(resident_bytes(), 0u);
}

}  // namespace
}  // namespace treadle::cuda_cpu

// SPDX-License-Identifier: MIT
#include "treadle/process/folders.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace treadle {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr uid_t somebody = 61003;

class WayToFolder : public ::testing::Test {
 protected:
  WayToFolder() {
    std::string name = (fs::temp_directory_path() / "treadle-way-XXXXXX").string();
    root_ = mkdtemp(name.data());
    fs::create_directories(cache());
  }
  ~WayToFolder() override { fs::remove_all(root_); }

  fs::path above() const { return root_ / "above"; }
  fs::path cache() const { return above() / "mine" / "cache"; }
  std::string fault() const { return untrusted_way_to(cache()); }

  fs::path root_;
};

TEST_F(WayToFolder, below_a_folder_like_tmp_is_safe_if_ones_own) {
  EXPECT_EQ(fault(), "");
  chmod(above().c_str(), 01777);
  EXPECT_EQ(fault(), "");
  chmod(cache().c_str(), 0777);  // its own writers are for others to judge
  EXPECT_EQ(fault(), "");
}

TEST_F(WayToFolder, a_folder_above_that_others_may_write_to_is_named_with_what_to_do) {
  chmod(above().c_str(), 0777);
  EXPECT_THAT(fault(), AllOf(HasSubstr(above().string() +
                                       " may be written by other users (mode "
                                       "0777), who could replace " +
                                       cache().string()),
                             HasSubstr("chmod go-w " + above().string())));
  chmod(above().c_str(), 0702);
  EXPECT_THAT(fault(), HasSubstr("mode 0702"));
}

TEST_F(WayToFolder, what_is_not_there_yet_is_no_reason_but_what_is_above_it) {
  EXPECT_EQ(untrusted_way_to(above() / "a/b/c"), "");
  chmod(above().c_str(), 0777);
  EXPECT_THAT(untrusted_way_to(above() / "a/b/c"), HasSubstr("may be written"));
}

TEST_F(WayToFolder, links_are_followed_step_by_step) {
  fs::create_directory_symlink("mine/../mine", above() / "link");
  EXPECT_EQ(untrusted_way_to(above() / "link/cache"), "");
  // Through a folder of everybody's to one that is safe: who swaps what is in it decides.
  fs::create_directories(root_ / "open");
  chmod((root_ / "open").c_str(), 0777);
  fs::create_directory_symlink(above(), root_ / "open" / "back");
  fs::create_directory_symlink("../open/back/mine", above() / "around");
  EXPECT_THAT(untrusted_way_to(above() / "around/cache"), HasSubstr("open may be written"));
}

TEST_F(WayToFolder, links_in_a_circle_are_for_the_kernel_to_refuse) {
  fs::create_directory_symlink("circle", above() / "circle");
  EXPECT_EQ(untrusted_way_to(above() / "circle/cache"), "");
}

TEST_F(WayToFolder, owners_and_groups_that_could_swap_it_are_refused) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give folders away";
  ASSERT_EQ(chown(above().c_str(), somebody, 0), 0);
  EXPECT_THAT(fault(), HasSubstr("belongs to user 61003"));
  EXPECT_EQ(untrusted_way_to(cache(), somebody), "");  // his own
  ASSERT_EQ(chown(above().c_str(), 0, 61003), 0);
  EXPECT_EQ(fault(), "");
  chmod(above().c_str(), 0775);
  EXPECT_THAT(fault(), HasSubstr("mode 0775"));
  ASSERT_EQ(chown(above().c_str(), 0, 0), 0);  // of root's group
  EXPECT_EQ(fault(), "");
}

TEST_F(WayToFolder, a_link_of_somebody_in_a_folder_like_tmp_is_refused) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give links away";
  chmod(above().c_str(), 01777);
  fs::create_directory_symlink("mine", above() / "link");
  EXPECT_EQ(untrusted_way_to(above() / "link/cache"), "");
  ASSERT_EQ(lchown((above() / "link").c_str(), somebody, 0), 0);
  EXPECT_THAT(untrusted_way_to(above() / "link/cache"), HasSubstr("link belongs to user 61003"));
}

TEST(AbsolutePath, is_without_detours) {
  EXPECT_EQ(absolute_path("/a/./b/../c"), fs::path("/a/c"));
  EXPECT_EQ(absolute_path("a/../b"), current_folder() / "b");
}

}  // namespace
}  // namespace treadle

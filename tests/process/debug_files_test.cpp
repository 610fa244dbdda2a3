// SPDX-License-Identifier: MIT
#include "treadle/process/debug_files.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "treadle/process/settings.hpp"

namespace treadle {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;

class DebugFilesTest : public ::testing::Test {
 protected:
  DebugFilesTest() {
    std::string name = (fs::temp_directory_path() / "treadle-debug-XXXXXX").string();
    root_ = mkdtemp(name.data());
  }
  ~DebugFilesTest() override { fs::remove_all(root_); }

  fs::path folder() const { return root_ / "cache" / debug_folder; }
  static std::string text_of(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  std::vector<std::string> folders_left() const {
    std::vector<std::string> left;
    for (const auto& entry : fs::directory_iterator(folder()))
      left.push_back(entry.path().filename());
    std::ranges::sort(left);
    return left;
  }

  fs::path root_;
};

TEST_F(DebugFilesTest, a_file_has_its_bytes_and_folders_are_the_users_alone) {
  DebugFiles files(folder(), 1000);
  EXPECT_EQ(files.folder(), folder());
  const fs::path kept = files.keep("source/1/kernel.cu", "text");
  EXPECT_EQ(kept, folder() / "source/1/kernel.cu");
  EXPECT_EQ(text_of(kept), "text");
  for (const fs::path& made : {kept.parent_path(), folder(), folder().parent_path()})
    EXPECT_EQ(fs::status(made).permissions(), fs::perms::owner_all) << made;
  EXPECT_EQ(std::distance(fs::directory_iterator(kept.parent_path()), {}), 1);
}

TEST_F(DebugFilesTest, the_same_bytes_are_the_same_file_and_others_take_its_place) {
  DebugFiles files(folder(), 1000);
  struct stat first{}, again{}, other{};
  ASSERT_EQ(stat(files.keep("module/a.so", "code").c_str(), &first), 0);
  ASSERT_EQ(stat(DebugFiles(folder(), 1000).keep("module/a.so", "code").c_str(), &again), 0);
  EXPECT_EQ(first.st_ino, again.st_ino);
  // Damaged, say. Whoever has the old one mapped keeps it: it is another file.
  const fs::path kept = files.keep("module/a.so", "Code");
  ASSERT_EQ(stat(kept.c_str(), &other), 0);
  EXPECT_NE(first.st_ino, other.st_ino);
  EXPECT_EQ(text_of(kept), "Code");
}

TEST_F(DebugFilesTest, nothing_is_kept_where_others_could_put_files) {
  fs::create_directories(folder());
  fs::permissions(folder(), fs::perms::all);
  DebugFiles files(folder(), 1000);
  EXPECT_EQ(files.keep("a.so", "code"), fs::path());
  fs::permissions(folder(), fs::perms::owner_all);
  EXPECT_NE(files.keep("a.so", "code"), fs::path());
  fs::create_directory_symlink(folder(), root_ / "link");
  EXPECT_EQ(DebugFiles(root_ / "link", 1000).keep("a.so", "code"), fs::path());
}

TEST_F(DebugFilesTest, no_folder_keeps_nothing) {
  EXPECT_EQ(DebugFiles({}, 1000).keep("a.so", "code"), fs::path());
  std::ofstream(root_ / "file") << "mine";
  EXPECT_EQ(DebugFiles(root_ / "file", 1000).keep("a.so", "code"), fs::path());
  EXPECT_EQ(text_of(root_ / "file"), "mine");
}

TEST_F(DebugFilesTest, what_was_used_longest_ago_goes_first) {
  const std::string bytes(100, 'x');
  const auto hours_ago = [](const fs::path& file, int hours) {
    fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::hours(hours));
  };
  DebugFiles files(folder(), 1000);
  for (const char* name : {"a/1", "b/2", "c/3", "d/4", "e/5"})
    hours_ago(files.keep(name, bytes), 10 - (name[2] - '0'));
  files.keep("a/1", bytes);  // used again
  files.use("b");
  // A new process looks when it first writes: 510 bytes, where 500 may be kept, become 250 at most.
  DebugFiles(folder(), 500).keep("f/6", "0123456789");
  EXPECT_THAT(folders_left(), ElementsAre("a", "b", "f"));
}

TEST_F(DebugFilesTest, contents_are_counted_and_deleted) {
  DebugFiles files(folder(), 1000);
  EXPECT_EQ(files.contents().files, 0u);
  files.keep("source/1/kernel.cu", "text");
  files.keep("module/a.so", "code!");
  EXPECT_EQ(files.contents().files, 2u);
  EXPECT_EQ(files.contents().bytes, 9u);
  EXPECT_EQ(files.clear().bytes, 9u);
  EXPECT_FALSE(fs::exists(folder()));
  EXPECT_EQ(files.clear().files, 0u);
}

TEST_F(DebugFilesTest, what_a_link_leads_to_is_not_deleted) {
  std::ofstream(root_ / "mine") << "mine";
  fs::create_directory_symlink(root_, root_ / "link");
  EXPECT_EQ(DebugFiles(root_ / "link", 1000).clear().files, 0u);
  EXPECT_TRUE(fs::exists(root_ / "mine"));
}

TEST_F(DebugFilesTest, nothing_is_kept_where_others_could_put_a_folder_of_theirs) {
  DebugFiles files(folder(), 1000);
  fs::permissions(root_, fs::perms::all);
  EXPECT_EQ(files.keep("a.so", "code"), fs::path());
  fs::permissions(root_, fs::perms::all | fs::perms::sticky_bit);
  EXPECT_NE(files.keep("a.so", "code"), fs::path());
}

TEST(UserCacheFolder, is_the_one_that_was_chosen) {
  const Settings& chosen = settings();
  const fs::path folder = user_cache_folder();
  if (chosen.cache_dir.empty()) GTEST_SKIP() << "TREADLE_CACHE_DIR is not set";
  EXPECT_EQ(folder, fs::absolute(chosen.cache_dir).lexically_normal());
  EXPECT_EQ(debug_files().folder(), chosen.cache ? folder / debug_folder : fs::path());
}

TEST(UserCacheFolder, has_another_librarys_name_below_xdg_cache_home) {
  const char* const before = std::getenv("XDG_CACHE_HOME");
  const std::string saved = before == nullptr ? "" : before;
  ::setenv("XDG_CACHE_HOME", "relative", 1);
  const fs::path usual = unnamed_cache_folder();
  name_xdg_cache_folder("other");
  EXPECT_EQ(unnamed_cache_folder(), fs::absolute("relative") / "other");
  ::setenv("XDG_CACHE_HOME", "/somewhere", 1);
  EXPECT_EQ(unnamed_cache_folder(), "/somewhere/other");
  ::unsetenv("XDG_CACHE_HOME");
  EXPECT_EQ(unnamed_cache_folder(), usual) << "the library's own, where nobody set the variable";
  name_xdg_cache_folder(nullptr);
  ::setenv("XDG_CACHE_HOME", "/somewhere", 1);
  EXPECT_EQ(unnamed_cache_folder(), "/somewhere/treadle");
  if (before == nullptr)
    ::unsetenv("XDG_CACHE_HOME");
  else
    ::setenv("XDG_CACHE_HOME", saved.c_str(), 1);
}

}  // namespace
}  // namespace treadle

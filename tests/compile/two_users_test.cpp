// SPDX-License-Identifier: MIT
// Another user of the machine who wants our user to run his code. Needs root, who can be both.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <cstdlib>
#include <string>

#include "children.hpp"
#include "compile/disk_cache.hpp"
#include "scratch.hpp"
#include "treadle/compile/cache.hpp"

namespace treadle::compile {
namespace {

constexpr auto planted_kind = EntryKind::program;
constexpr std::uint64_t size_limit_bytes = 1 << 20;
enum Sight { miss = 10, own, planted, unexpected };

/// As /tmp is: everybody may write, nobody may remove what is another's.
class TwoUsers : public testing::Test {
 protected:
  void SetUp() override {
    TREADLE_NEEDS_ROOT();
    ASSERT_EQ(::chmod(dir_.path().c_str(), 01777), 0);
  }

  /// An entry whose key and digest are right and whose code is the attacker's.
  static int plant(const std::filesystem::path& folder) {
    std::filesystem::create_directories(folder);
    const auto file = folder / entry_file_name(planted_kind, "key");
    overwrite(file, pack_entry(planted_kind, "key", "planted"));
    return ::chmod(file.c_str(), 0644);
  }
  /// What the victim gets from a cache in `folder`, before and after he writes to it.
  static int look(const std::filesystem::path& folder, bool write, std::string& reason) {
    const CaughtWarnings caught;
    DiskCache cache(folder, size_limit_bytes);
    if (write) cache.store(planted_kind, "key", "own");
    const auto entry = cache.load(planted_kind, "key");
    for (const std::string& text : caught.texts) reason += text;
    if (!entry) return miss;
    return entry->payload == "own" ? own : entry->payload == "planted" ? planted : unexpected;
  }
  static int victim_sees(const std::filesystem::path& folder, bool write = false,
                         const std::string& because = {}) {
    return as_user(victim, [&] {
      std::string reason;
      const int sight = look(folder, write, reason);
      return reason.find(because) != std::string::npos ? sight : unexpected;
    });
  }

  const ScratchFolder dir_;
};

TEST_F(TwoUsers, P5_a_planted_folder_is_refused_with_the_reason) {
  const auto folder = dir_ / "cache";
  ASSERT_EQ(as_user(attacker, [&] { return plant(folder); }), 0);
  EXPECT_EQ(victim_sees(folder, false, "belongs to user 61002, not to user 61001"), miss);
  EXPECT_EQ(victim_sees(folder, true, "memory only"), miss);
}

TEST_F(TwoUsers, P5_a_planted_folder_is_refused_by_root_too) {
  const auto folder = dir_ / "cache";
  ASSERT_EQ(as_user(attacker, [&] { return plant(folder); }), 0);
  std::string reason;
  EXPECT_EQ(look(folder, true, reason), miss);
  EXPECT_THAT(reason, testing::HasSubstr("not to user 0"));
}

TEST_F(TwoUsers, P5_a_planted_symbolic_link_is_refused_wherever_it_leads) {
  const auto evil = dir_ / "evil", link = dir_ / "cache", home = dir_ / "home";
  ASSERT_EQ(as_user(victim, [&] { return ::mkdir(home.c_str(), 0700); }), 0);
  ASSERT_EQ(as_user(attacker,
                    [&] {
                      plant(evil);
                      return ::symlink(evil.c_str(), link.c_str());
                    }),
            0);
  EXPECT_EQ(victim_sees(link, true, "symbolic link"), miss);
  std::filesystem::remove(link);
  // To the victim's own folder: then his files would be the ones that are overwritten.
  ASSERT_EQ(as_user(attacker, [&] { return ::symlink(home.c_str(), link.c_str()); }), 0);
  EXPECT_EQ(victim_sees(link, true, "symbolic link"), miss);
  EXPECT_TRUE(std::filesystem::is_empty(home));
}

TEST_F(TwoUsers, P5_a_dangling_link_is_not_followed_to_make_a_folder) {
  const auto link = dir_ / "cache", target = dir_ / "made";
  ASSERT_EQ(as_user(attacker, [&] { return ::symlink(target.c_str(), link.c_str()); }), 0);
  EXPECT_EQ(victim_sees(link, true, "symbolic link"), miss);
  EXPECT_FALSE(std::filesystem::exists(target));
}

TEST_F(TwoUsers, P5_below_a_sticky_folder_the_own_one_works_and_is_private) {
  const auto folder = dir_ / "cache";
  EXPECT_EQ(victim_sees(folder, true), own);
  EXPECT_EQ(victim_sees(folder), own);
  EXPECT_EQ(as_user(attacker,
                    [&] {
                      const auto file = folder / entry_file_name(planted_kind, "key");
                      if (::access(file.c_str(), F_OK) == 0) return 1;
                      if (::rename(folder.c_str(), (dir_ / "away").c_str()) == 0) return 2;
                      return ::chmod(folder.c_str(), 0777) == 0 ? 3 : 0;
                    }),
            0);
}

TEST_F(TwoUsers, P5_below_a_folder_that_others_may_rename_in_only_a_named_folder_is_used) {
  const auto open = dir_ / "open", folder = open / "treadle";
  const char* const before = std::getenv("XDG_CACHE_HOME");
  const std::string saved = before != nullptr ? before : "";
  ::setenv("XDG_CACHE_HOME", open.c_str(), 1);
  ASSERT_EQ(as_user(victim,
                    [&] {
                      ::umask(0);
                      return ::mkdir(open.c_str(), 0777);
                    }),
            0);
  EXPECT_EQ(victim_sees(folder, true, "memory only"), miss);
  EXPECT_FALSE(std::filesystem::exists(folder));
  ASSERT_EQ(as_user(victim, [&] { return ::mkdir(folder.c_str(), 0700); }), 0);
  EXPECT_EQ(victim_sees(folder, true, "open may be written by other users (mode 0777)"), miss);
  EXPECT_TRUE(std::filesystem::is_empty(folder));
  EXPECT_EQ(victim_sees(open / "named", true), own);
  ASSERT_EQ(::chmod(open.c_str(), 0755), 0);
  EXPECT_EQ(victim_sees(folder, true), own);
  before != nullptr ? ::setenv("XDG_CACHE_HOME", saved.c_str(), 1) : ::unsetenv("XDG_CACHE_HOME");
}

TEST_F(TwoUsers, P5_an_entry_of_another_user_in_the_own_folder_is_not_used) {
  const auto folder = dir_ / "cache";
  ASSERT_EQ(as_user(victim,
                    [&] {
                      ::umask(0);
                      return ::mkdir(folder.c_str(), 0777);
                    }),
            0);
  ASSERT_EQ(as_user(attacker, [&] { return plant(folder); }), 0);
  EXPECT_EQ(victim_sees(folder, false, "other users"), miss);
  ASSERT_EQ(::chmod(folder.c_str(), 0700), 0);  // the damage is done by then
  EXPECT_EQ(victim_sees(folder, false, "trust"), miss);
  EXPECT_EQ(victim_sees(folder, true), own) << "the new entry takes its place";
}

TEST_F(TwoUsers, P5_a_folder_that_is_exchanged_while_it_is_used_yields_nothing) {
  ASSERT_EQ(::chmod(dir_.path().c_str(), 0777), 0);  // not sticky: the attacker may rename
  const auto folder = dir_ / "cache", evil = dir_ / "evil";
  ASSERT_EQ(as_user(attacker, [&] { return plant(evil); }), 0);
  EXPECT_EQ(as_user(victim,
                    [&] {
                      const CaughtWarnings caught;
                      DiskCache cache(folder, size_limit_bytes);
                      cache.store(planted_kind, "another key", "own");
                      std::filesystem::rename(folder, dir_ / "away");
                      std::filesystem::create_directory_symlink(evil, folder);
                      return cache.load(planted_kind, "key") ? planted : miss;
                    }),
            miss);
}

TEST_F(TwoUsers, P5_nothing_of_another_users_folder_is_deleted) {
  const auto folder = dir_ / "cache";
  ASSERT_EQ(as_user(attacker,
                    [&] {
                      ::umask(0);
                      plant(folder);
                      return ::chmod(folder.c_str(), 0777);
                    }),
            0);
  const auto refuses = [&](const std::function<void()>& deletion) {
    return as_user(victim, [&] {
      try {
        deletion();
      } catch (const std::exception&) {
        return 0;
      }
      return 1;
    });
  };
  EXPECT_EQ(refuses([&] { clear_cache(folder); }), 0);
  EXPECT_EQ(refuses([&] { verify_cache(folder); }), 0);
  EXPECT_EQ(refuses([&] { prune_cache(0, folder); }), 0);
  EXPECT_EQ(names_with(folder, ".kernel").size(), 1u);
}

}  // namespace
}  // namespace treadle::compile

// SPDX-License-Identifier: MIT
#include "treadle/compile/cache.hpp"

#include <gmock/gmock.h>

#include "compile/compiled.hpp"
#include "compile/disk_cache.hpp"
#include "compile/key.hpp"
#include "scratch.hpp"
#include "treadle/base/error.hpp"

namespace treadle::compile {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// A folder with an entry for each source, and a file that is none of ours.
class CacheTest : public testing::Test {
 protected:
  CacheTest() {
    dir_.write("notes.txt", "mine");
    for (const char* source : {"first", "second"}) add(source);
  }
  void add(const std::string& source) {
    BinaryKey key;
    key.language = Language::cuda_c;
    key.source = source;
    key.source_name = "kernel.cu";
    key.identity = {{"compiler", "test"}, {"target", "sm_90"}};
    ModuleImage image;
    image.code.resize(100);
    DiskCache(dir_.path(), 1 << 20)
        .store(EntryKind::program, program_key(key, {}), pack_payload(image, "log"));
  }
  const ScratchFolder dir_;
};

TEST_F(CacheTest, state_counts_and_judges) {
  const CacheState state = cache_state(dir_.path());
  EXPECT_EQ(state.programs, 2u);
  EXPECT_EQ(state.manifests, 0u);
  EXPECT_GT(state.bytes, 200u);
  EXPECT_TRUE(state.exists);
  EXPECT_EQ(state.problem, "");
  EXPECT_FALSE(cache_state(dir_ / "none").exists);
  EXPECT_THAT(cache_state(dir_ / "notes.txt").problem, HasSubstr("not a folder"));
}

TEST_F(CacheTest, list_shows_what_each_entry_is) {
  const std::vector<CacheEntry> entries = list_cache(dir_.path());
  ASSERT_THAT(entries, SizeIs(2));
  for (const CacheEntry& entry : entries) {
    EXPECT_EQ(entry.target, "sm_90");
    EXPECT_EQ(entry.source_name, "kernel.cu");
    EXPECT_TRUE(entry.source == "first" || entry.source == "second");
    EXPECT_EQ(entry.image_bytes, 100u);
    EXPECT_FALSE(entry.damaged);
  }
  EXPECT_THAT(list_cache(dir_ / "none"), IsEmpty());
}

TEST_F(CacheTest, P9_verify_deletes_damaged_entries_only) {
  const std::string name = list_cache(dir_.path())[0].name;
  std::string bytes = file_bytes(dir_ / name);
  bytes[60] = static_cast<char>(bytes[60] ^ 4);
  overwrite(dir_ / name, bytes);
  const CacheCheck check = verify_cache(dir_.path());
  EXPECT_EQ(check.sound, 1u);
  EXPECT_THAT(check.damaged, ElementsAre(name));
  EXPECT_EQ(verify_cache(dir_.path()).sound, 1u);
  EXPECT_THAT(verify_cache(dir_.path()).damaged, IsEmpty());
}

TEST_F(CacheTest, P2_an_entry_under_another_name_counts_as_damaged) {
  const std::string name = list_cache(dir_.path())[0].name;
  std::string other = name;
  other[0] = other[0] == '0' ? '1' : '0';
  std::filesystem::rename(dir_ / name, dir_ / other);
  EXPECT_THAT(verify_cache(dir_.path()).damaged, ElementsAre(other));
}

TEST_F(CacheTest, clear_leaves_what_is_not_ours) {
  dir_.write(".tmp-1-2-3", "left behind");
  EXPECT_GT(clear_cache(dir_.path()), 200u);
  EXPECT_THAT(names_with(dir_.path(), ""), ElementsAre("notes.txt"));
  EXPECT_EQ(clear_cache(dir_ / "none"), 0u);
}

TEST_F(CacheTest, P5_nothing_is_deleted_in_a_folder_that_is_not_trusted) {
  std::filesystem::create_symlink(dir_.path(), dir_ / "link");
  for (const auto& folder : {dir_ / "notes.txt", dir_ / "link"}) {
    EXPECT_THROW(clear_cache(folder), InvalidArgument);
    EXPECT_THROW(verify_cache(folder), InvalidArgument);
    EXPECT_THROW(prune_cache(0, folder), InvalidArgument);
  }
  EXPECT_EQ(cache_state(dir_.path()).programs, 2u);
}

TEST_F(CacheTest, prune_deletes_what_was_used_longest_ago) {
  const auto entries = list_cache(dir_.path());
  const auto old = std::filesystem::file_time_type::clock::now() - std::chrono::hours(2);
  std::filesystem::last_write_time(dir_ / entries[1].name, old);
  const std::uint64_t total = cache_state(dir_.path()).bytes;
  EXPECT_EQ(prune_cache(total, dir_.path()), total);
  EXPECT_EQ(prune_cache(total - 1, dir_.path()), entries[0].bytes);
  EXPECT_EQ(list_cache(dir_.path()).at(0).name, entries[0].name);
  EXPECT_EQ(prune_cache(static_cast<std::uint64_t>(-1), dir_.path()), entries[0].bytes);
  EXPECT_EQ(prune_cache(0, dir_.path()), 0u);
  EXPECT_EQ(prune_cache(0, dir_ / "none"), 0u);
}

}  // namespace
}  // namespace treadle::compile

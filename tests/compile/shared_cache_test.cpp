// SPDX-License-Identifier: MIT
// Folders that are shared by name: read where one's own has nothing, and never written (P5).
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <string>
#include <utility>

#include "children.hpp"
#include "compile/disk_cache.hpp"
#include "scratch.hpp"
#include "treadle/compile/cache.hpp"
#include "treadle/compile/cached.hpp"

namespace treadle::compile {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr auto kind = EntryKind::program;
constexpr std::uint64_t enough = 1 << 20;

/// A folder as its publisher leaves it: readable by all, written by him alone.
class SharedFolder : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(::chmod(dir_.path().c_str(), 0755), 0);
    publish();
  }
  std::filesystem::path folder() const { return dir_ / "shared"; }
  std::filesystem::path file() const { return folder() / entry_file_name(kind, "key"); }
  void publish() const {
    DiskCache(folder(), enough).store(kind, "key", "payload");
    open_for_all();
  }
  void open_for_all() const {
    ASSERT_EQ(::chmod(folder().c_str(), 0755), 0);
    ASSERT_EQ(::chmod(file().c_str(), 0644), 0);
  }
  DiskCache shared(FileSystem files = FileSystem::system()) const {
    return {folder(), 0, std::move(files), FolderUse::shared};
  }
  static std::string payload_of(DiskCache& cache) {
    const auto entry = cache.load(kind, "key");
    return entry ? std::string(entry->payload) : "(miss)";
  }

  const ScratchFolder dir_;
};

TEST_F(SharedFolder, P5_is_read) {
  const CaughtWarnings caught;
  DiskCache cache = shared();
  EXPECT_EQ(payload_of(cache), "payload");
  EXPECT_FALSE(cache.load(kind, "another key"));
  EXPECT_THAT(caught.texts, IsEmpty());
}

TEST_F(SharedFolder, P5_is_never_written_touched_or_cleaned) {
  FileSystem files = FileSystem::system();
  const auto forbidden = [](auto...) -> int {
    ADD_FAILURE() << "a shared folder is changed";
    return -1;
  };
  files.mkdir = forbidden;
  files.unlink = forbidden;
  files.rename = forbidden;
  files.touch = forbidden;
  timespec long_ago[2] = {{1000, 0}, {1000, 0}};
  ASSERT_EQ(::utimensat(AT_FDCWD, file().c_str(), long_ago, 0), 0);
  const CaughtWarnings caught;
  DiskCache cache = shared(files);
  cache.store(kind, "new", "payload");
  EXPECT_EQ(payload_of(cache), "payload");
  cache.discard(file().filename());
  EXPECT_THAT(names_with(folder(), ""), SizeIs(1));
}

TEST_F(SharedFolder, P9_what_is_damaged_is_passed_over_and_reported_once) {
  std::string bytes = file_bytes(file());
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  overwrite(file(), bytes);
  const CaughtWarnings caught;
  DiskCache cache = shared();
  EXPECT_EQ(payload_of(cache), "(miss)");
  EXPECT_EQ(payload_of(cache), "(miss)");
  EXPECT_THAT(caught.texts, ElementsAre(HasSubstr("damaged")));
  EXPECT_EQ(file_bytes(file()), bytes);
}

TEST_F(SharedFolder, P9_what_a_driver_refuses_is_passed_over_from_then_on) {
  const CaughtWarnings caught;
  DiskCache cache = shared();
  EXPECT_EQ(payload_of(cache), "payload");
  cache.discard(file().filename());
  EXPECT_EQ(payload_of(cache), "(miss)");
  EXPECT_TRUE(std::filesystem::exists(file()));
}

TEST_F(SharedFolder, P2_another_key_under_the_name_is_a_miss) {
  overwrite(file(), pack_entry(kind, "another key", "payload"));
  DiskCache cache = shared();
  EXPECT_EQ(payload_of(cache), "(miss)");
}

TEST_F(SharedFolder, P5_that_others_may_write_is_refused_with_the_reason) {
  for (const mode_t mode : {0775, 0757, 01777}) {
    ASSERT_EQ(::chmod(folder().c_str(), mode), 0);
    const CaughtWarnings caught;
    DiskCache cache = shared();
    EXPECT_EQ(payload_of(cache), "(miss)");
    EXPECT_THAT(caught.texts, ElementsAre(HasSubstr("chmod go-w")));
  }
}

TEST_F(SharedFolder, P5_an_entry_that_others_may_write_is_not_used) {
  ASSERT_EQ(::chmod(file().c_str(), 0664), 0);
  const CaughtWarnings caught;
  DiskCache cache = shared();
  EXPECT_EQ(payload_of(cache), "(miss)");
  EXPECT_THAT(caught.texts, ElementsAre(HasSubstr("trust")));
}

TEST_F(SharedFolder, P5_a_link_and_a_missing_folder_are_refused_and_nothing_is_made) {
  const auto link = dir_ / "link", missing = dir_ / "missing";
  std::filesystem::create_directory_symlink(folder(), link);
  for (const auto& [path, reason] :
       {std::pair(link, "symbolic link"), std::pair(missing, "ENOENT")}) {
    const CaughtWarnings caught;
    DiskCache cache(path, 0, FileSystem::system(), FolderUse::shared);
    EXPECT_EQ(payload_of(cache), "(miss)");
    EXPECT_THAT(caught.texts, ElementsAre(HasSubstr(reason)));
  }
  EXPECT_FALSE(std::filesystem::exists(missing));
}

// ---- two users

class SharedByAnotherUser : public SharedFolder {
 protected:
  void SetUp() override {
    TREADLE_NEEDS_ROOT();
    SharedFolder::SetUp();
    for (const auto& path : {folder(), file()}) ASSERT_EQ(::chown(path.c_str(), publisher, 0), 0);
  }
  static constexpr uid_t publisher = attacker;
  enum Sight { miss = 10, hit };
  int reader_sees() const {
    return as_user(victim, [&] {
      const CaughtWarnings caught;
      DiskCache cache = shared();
      return payload_of(cache) == "payload" ? hit : miss;
    });
  }
};

TEST_F(SharedByAnotherUser, P5_its_owner_may_be_another_user) { EXPECT_EQ(reader_sees(), hit); }

TEST_F(SharedByAnotherUser, P5_an_entry_of_a_third_user_is_not_used) {
  ASSERT_EQ(::chown(file().c_str(), 61003, 0), 0);
  EXPECT_EQ(reader_sees(), miss);
}

TEST_F(SharedByAnotherUser, P5_without_its_name_another_users_folder_is_refused_as_ever) {
  EXPECT_EQ(as_user(victim,
                    [&] {
                      const CaughtWarnings caught;
                      DiskCache own(folder(), enough);
                      return payload_of(own) == "payload" ? hit : miss;
                    }),
            miss);
}

TEST_F(SharedByAnotherUser, P7_an_entry_that_cannot_be_read_is_one_warning) {
  ASSERT_EQ(::chmod(file().c_str(), 0600), 0);
  EXPECT_EQ(as_user(victim,
                    [&] {
                      const CaughtWarnings caught;
                      DiskCache cache = shared();
                      payload_of(cache), payload_of(cache);
                      return static_cast<int>(caught.texts.size());
                    }),
            1);
}

// ---- as programs meet it: settings are read once, so in a process of its own

class ProgramsShare : public testing::Test {
 protected:
  void SetUp() override {
    const char* folder = std::getenv("TREADLE_TEST_FOLDER");
    is_reader_ = folder != nullptr;
    dir_ = is_reader_ ? folder : scratch_.path();
  }

  std::filesystem::path own() const { return dir_ / "own"; }
  std::filesystem::path shared() const { return dir_ / "shared"; }
  CompileResult build() {
    BinaryKey key;
    key.language = Language::opencl_c;
    key.source = "__kernel void k() {}";
    const auto make = [&] { return Binary{{std::byte(++runs_)}, {}}; };
    clear_memory_cache();
    return cached(key, make, {.folder = is_reader_ ? own() : shared()});
  }
  /// Fills the shared folder, then runs this test once more where it is named, as the second of
  /// two: there it does what `read` does.
  void with_shared(const std::function<void()>& read) {
    if (is_reader_) return read();
    build();
    const std::string test = testing::UnitTest::GetInstance()->current_test_info()->name();
    const std::string folders = (dir_ / "nothing").string() + ":" + shared().string();
    EXPECT_EQ(std::system(("TREADLE_TEST_FOLDER=" + dir_.string() +
                           " TREADLE_SHARED_CACHE_DIR=" + folders + " exec /proc/" +
                           std::to_string(::getpid()) + "/exe --gtest_filter=ProgramsShare." + test)
                              .c_str()),
              0);
    EXPECT_THAT(names_with(shared(), ".kernel"), SizeIs(1));
  }

  int runs_ = 0;

 private:
  const ScratchFolder scratch_;
  std::filesystem::path dir_;
  bool is_reader_ = false;
};

TEST_F(ProgramsShare, P5_what_the_own_folder_has_not_comes_from_a_shared_one) {
  with_shared([&] {
    const CaughtWarnings caught;
    const CompileResult found = build();
    EXPECT_EQ(found.origin, Origin::disk_cache);
    EXPECT_EQ(found.entry.parent_path(), shared());
    EXPECT_EQ(runs_, 0);
    EXPECT_THAT(names_with(own(), ".kernel"), IsEmpty());
    EXPECT_THAT(caught.texts, ElementsAre(HasSubstr("nothing")));
  });
}

TEST_F(ProgramsShare, P9_a_shared_binary_that_is_refused_is_made_anew_in_the_own_folder) {
  with_shared([&] {
    const CaughtWarnings caught;
    discard_cached(build());
    const CompileResult made = build();
    EXPECT_EQ(runs_, 1);
    EXPECT_EQ(made.entry.parent_path(), own());
    EXPECT_EQ(build().entry, made.entry);
    EXPECT_EQ(runs_, 1);
  });
}

TEST_F(ProgramsShare, P5_clearing_the_cache_leaves_what_is_shared) {
  with_shared([&] {
    const CaughtWarnings caught;
    build();
    clear_cache(own());
    EXPECT_EQ(build().origin, Origin::disk_cache);
    EXPECT_EQ(runs_, 0);
  });
}

TEST_F(ProgramsShare, the_state_of_each_shared_folder_is_told) {
  with_shared([&] {
    const auto states = shared_cache_states();
    ASSERT_THAT(states, SizeIs(2));
    EXPECT_FALSE(states[0].exists);
    EXPECT_THAT(states[0].problem, HasSubstr("ENOENT"));
    EXPECT_EQ(states[1].problem, "");
    EXPECT_EQ(states[1].programs, 1u);
    EXPECT_GT(states[1].bytes, 0u);
  });
}

}  // namespace
}  // namespace treadle::compile

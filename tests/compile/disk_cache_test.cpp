// SPDX-License-Identifier: MIT
#include "compile/disk_cache.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <thread>

#include "compile/cache_folder.hpp"
#include "compile/statistics.hpp"
#include "scratch.hpp"

namespace treadle::compile {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr auto program = EntryKind::program;
constexpr std::uint64_t plenty = 1 << 20;

std::string payload_of(DiskCache& cache, const std::string& key) {
  const auto entry = cache.load(program, key);
  return entry ? std::string(entry->payload) : "(miss)";
}

TEST(DiskCache, keeps_what_it_is_given_also_for_another_process) {
  const ScratchFolder dir;
  DiskCache cache(dir / "cache", plenty);
  EXPECT_EQ(payload_of(cache, "key"), "(miss)");
  cache.store(program, "key", "payload");
  EXPECT_EQ(payload_of(cache, "key"), "payload");
  DiskCache other(dir / "cache", plenty);
  EXPECT_EQ(payload_of(other, "key"), "payload");
  EXPECT_EQ(payload_of(other, "another key"), "(miss)");
}

TEST(DiskCache, P9_a_plain_miss_is_silent) {
  const ScratchFolder dir;
  const CaughtWarnings caught;
  DiskCache cache(dir / "cache", plenty);
  EXPECT_EQ(payload_of(cache, "key"), "(miss)");
  EXPECT_THAT(caught.texts, IsEmpty());
}

TEST(DiskCache, P1_a_reader_sees_whole_entries_while_they_are_written) {
  const ScratchFolder dir;
  DiskCache cache(dir.path(), plenty);
  std::atomic<bool> done{false};
  std::thread writer([&] {
    for (int i = 0; i < 500; ++i)
      cache.store(
          program, "key",
          std::string(static_cast<std::size_t>(1 + i * 7), static_cast<char>('a' + i % 26)));
    done = true;
  });
  int seen = 0;
  while (!done) {
    const std::string payload = payload_of(cache, "key");
    if (payload == "(miss)") continue;
    ++seen;
    EXPECT_EQ(payload, std::string(payload.size(), payload[0]));
  }
  writer.join();
  EXPECT_GT(seen, 0);
  EXPECT_THAT(names_with(dir.path(), ""), SizeIs(1));  // no temporary file is left
}

TEST(DiskCache, P9_what_cannot_be_deleted_is_not_read_again) {
  const ScratchFolder dir;
  FileSystem files = FileSystem::system();
  bool read_only = false;
  files.unlink = [&](const char* path) {
    if (!read_only) return ::unlink(path);
    errno = EROFS;
    return -1;
  };
  DiskCache cache(dir.path(), plenty, files);
  cache.store(program, "key", "of no use");
  read_only = true;
  const CaughtWarnings caught;
  cache.discard(entry_file_name(program, "key"));
  EXPECT_EQ(payload_of(cache, "key"), "(miss)");
  EXPECT_THAT(caught.texts, ElementsAre(HasSubstr("could not be loaded")));
  cache.store(program, "key", "made anew");
  EXPECT_EQ(payload_of(cache, "key"), "made anew");
}

TEST(DiskCache, P2_the_stored_key_is_compared_not_the_name) {
  const ScratchFolder dir;
  DiskCache cache(dir.path(), plenty);
  const CaughtWarnings caught;
  overwrite(dir / entry_file_name(program, "mine"), pack_entry(program, "somebody else's", "code"));
  EXPECT_EQ(payload_of(cache, "mine"), "(miss)");
  EXPECT_THAT(caught.texts, IsEmpty());
  cache.store(program, "mine", "my code");
  EXPECT_EQ(payload_of(cache, "mine"), "my code");
}

TEST(DiskCache, P9_a_damaged_entry_is_deleted_counted_and_reported_once) {
  const ScratchFolder dir;
  const std::uint64_t before = counters().healed;
  const CaughtWarnings caught;
  DiskCache cache(dir.path(), plenty);
  for (const char* key : {"one", "two"}) {
    cache.store(program, key, "payload");
    const auto path = dir / entry_file_name(program, key);
    std::string bytes = file_bytes(path);
    bytes.back() = '?';
    overwrite(path, bytes);
    EXPECT_EQ(payload_of(cache, key), "(miss)");
    EXPECT_FALSE(std::filesystem::exists(path));
    cache.store(program, key, "payload");
    EXPECT_EQ(payload_of(cache, key), "payload");
  }
  EXPECT_EQ(counters().healed, before + 2);
  EXPECT_THAT(caught.texts, ElementsAre(HasSubstr("damaged")));
}

TEST(DiskCache, P9_an_entry_that_cannot_be_loaded_is_discarded) {
  const ScratchFolder dir;
  const CaughtWarnings caught;
  DiskCache cache(dir.path(), plenty);
  cache.store(program, "key", "payload");
  cache.discard(entry_file_name(program, "key"));
  EXPECT_EQ(payload_of(cache, "key"), "(miss)");
  dir.write("notes.txt", "mine");
  cache.discard("notes.txt");
  EXPECT_TRUE(std::filesystem::exists(dir / "notes.txt"));
}

TEST(DiskCache, P5_files_and_folders_are_private) {
  const ScratchFolder dir;
  const mode_t mask = ::umask(0);
  DiskCache cache(dir / "made/cache", plenty);
  cache.store(program, "key", "payload");
  ::umask(mask);
  struct stat status{};
  for (const char* folder : {"made", "made/cache"}) {
    ASSERT_EQ(::stat((dir / folder).c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777, 0700u) << folder;
  }
  ASSERT_EQ(::stat((dir / "made/cache" / entry_file_name(program, "key")).c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0600u);
}

// A folder that may not be trusted: the reason is told once, nothing is read or written.
void expect_refusal(const std::filesystem::path& folder, const std::string& reason,
                    const FileSystem& files = FileSystem::system()) {
  const CaughtWarnings caught;
  DiskCache cache(folder, plenty, files);
  cache.store(program, "key", "payload");
  EXPECT_EQ(payload_of(cache, "key"), "(miss)");
  EXPECT_THAT(caught.texts,
              ElementsAre(testing::AllOf(HasSubstr(reason), HasSubstr("memory only"))));
}

TEST(DiskCache, P5_a_symbolic_link_is_refused) {
  const ScratchFolder dir;
  std::filesystem::create_directory(dir / "real");
  std::filesystem::create_symlink(dir / "real", dir / "link");
  expect_refusal(dir / "link", "symbolic link");
}

TEST(DiskCache, P5_a_folder_that_others_may_write_to_is_refused) {
  const ScratchFolder dir;
  std::filesystem::create_directory(dir / "open");
  ASSERT_EQ(::chmod((dir / "open").c_str(), 01777), 0);
  expect_refusal(dir / "open", "other users");
}

TEST(DiskCache, P5_another_users_folder_is_refused) {
  const ScratchFolder dir;
  FileSystem files = FileSystem::system();
  files.lstat = [](const char* path, struct stat* into) {
    const int result = ::lstat(path, into);
    into->st_uid = geteuid() + 1;
    return result;
  };
  expect_refusal(dir.path(), "belongs to user", files);
}

TEST(DiskCache, P5_another_users_entry_is_not_used) {
  const ScratchFolder dir;
  DiskCache(dir.path(), plenty).store(program, "key", "payload");
  FileSystem files = FileSystem::system();
  files.fstat = [](int file, struct stat* into) {
    const int result = ::fstat(file, into);
    into->st_uid = geteuid() + 1;
    return result;
  };
  const CaughtWarnings caught;
  DiskCache cache(dir.path(), plenty, files);
  EXPECT_EQ(payload_of(cache, "key"), "(miss)");
}

TEST(DiskCache, P7_a_file_where_the_folder_should_be) {
  const ScratchFolder dir;
  dir.write("cache", "a file");
  expect_refusal(dir / "cache", "not a folder");
  expect_refusal(dir / "cache/below", "cache/below");
}

TEST(DiskCache, P7_every_failure_of_the_disk_is_one_warning_and_work_goes_on) {
  using Break = std::function<void(FileSystem&, int)>;
  const std::pair<const char*, Break> calls[] = {
      {"mkdir",
       [](FileSystem& f, int e) { f.mkdir = [e](const char*, mode_t) { return errno = e, -1; }; }},
      {"lstat", [](FileSystem& f,
                   int e) { f.lstat = [e](const char*, struct stat*) { return errno = e, -1; }; }},
      {"open", [](FileSystem& f,
                  int e) { f.open = [e](const char*, int, mode_t) { return errno = e, -1; }; }},
      {"create",
       [](FileSystem& f, int e) {
         f.open = [e](const char* path, int flags, mode_t mode) {
           return (flags & O_CREAT) != 0 ? (errno = e, -1) : ::open(path, flags, mode);
         };
       }},
      {"write",
       [](FileSystem& f, int e) {
         f.write = [e](int, const void*, size_t) -> ssize_t { return errno = e, -1; };
       }},
      {"half a write",
       [](FileSystem& f, int e) {
         f.write = [e, first = true](int file, const void* from, size_t size) mutable -> ssize_t {
           return std::exchange(first, false) ? ::write(file, from, size / 2) : (errno = e, -1);
         };
       }},
      {"close", [](FileSystem& f,
                   int e) { f.close = [e](int file) { return ::close(file), errno = e, -1; }; }},
      {"rename", [](FileSystem& f,
                    int e) { f.rename = [e](const char*, const char*) { return errno = e, -1; }; }},
  };
  for (const auto& [call, break_it] : calls) {
    for (const int error : {EACCES, EROFS, ENOSPC, EDQUOT, EIO, EMFILE, ENOENT, ESTALE}) {
      const ScratchFolder dir;
      FileSystem files = FileSystem::system();
      break_it(files, error);
      const CaughtWarnings caught;
      DiskCache cache(dir / "cache", plenty, files);
      for (int i = 0; i < 3; ++i) {
        cache.store(program, "key", "payload");
        const std::string payload = payload_of(cache, "key");
        EXPECT_TRUE(payload == "(miss)" || payload == "payload") << call;
      }
      EXPECT_LE(caught.texts.size(), 1u) << call << ' ' << error_text(error);
      const bool silent = std::string(call) == "open" && error == ENOENT;
      if (!silent && error != ENOENT) {
        EXPECT_THAT(caught.texts, SizeIs(1)) << call << ' ' << error_text(error);
      }
      if (std::filesystem::exists(dir / "cache")) {
        EXPECT_THAT(names_with(dir / "cache", "").size(), testing::Le(1u))
            << call << ": a temporary file is left";
      }
    }
  }
}

/// The system's calls, of which the `failing`th and only that one fails, whichever it is.
FileSystem failing_once(int failing, int error, int& calls) {
  FileSystem files = FileSystem::system();
  const auto wrap = [&calls, failing, error](auto& call) {
    call = [&calls, failing, error,
            real = call](auto&&... arguments) -> decltype(call(arguments...)) {
      if (++calls != failing) return real(arguments...);
      errno = error;
      return -1;
    };
  };
  wrap(files.open), wrap(files.close), wrap(files.read), wrap(files.write), wrap(files.fstat);
  wrap(files.lstat), wrap(files.mkdir), wrap(files.rename), wrap(files.unlink), wrap(files.touch);
  wrap(files.list);
  return files;
}

TEST(DiskCache, P7_each_call_fails_once_and_nothing_wrong_is_read) {
  const timespec long_ago[2] = {{1000, 0}, {1000, 0}};
  for (const int error : {ENOSPC, EROFS, EACCES, EDQUOT, EIO, ESTALE, EINTR}) {
    for (int failing = 1, calls = failing; calls >= failing; ++failing) {
      calls = 0;
      const ScratchFolder dir;
      const CaughtWarnings caught;
      DiskCache cache(dir / "cache", 2000, failing_once(failing, error, calls));
      for (int key = 0; key < 4; ++key) {
        const std::string name = "key" + std::to_string(key), payload(600, 'x');
        cache.store(program, name, payload);
        ::utimensat(AT_FDCWD, cache.path_of(program, name).c_str(), long_ago, 0);
        const std::string seen = payload_of(cache, name);
        EXPECT_TRUE(seen == payload || seen == "(miss)") << failing;
      }
      EXPECT_LE(caught.texts.size(), 1u) << failing << ' ' << error_text(error);
      ASSERT_LT(failing, 200);
    }
  }
}

TEST(DiskCache, P7_an_unreadable_entry_is_a_miss) {
  const ScratchFolder dir;
  DiskCache(dir.path(), plenty).store(program, "key", "payload");
  FileSystem files = FileSystem::system();
  files.read = [](int, void*, size_t) -> ssize_t { return errno = EIO, -1; };
  const CaughtWarnings caught;
  DiskCache cache(dir.path(), plenty, files);
  EXPECT_EQ(payload_of(cache, "key"), "(miss)");
  EXPECT_THAT(caught.texts, ElementsAre(HasSubstr("EIO")));
  EXPECT_TRUE(
      std::filesystem::exists(dir / entry_file_name(program, "key")));  // not damage: left alone
}

TEST(DiskCache, P7_a_folder_deleted_meanwhile_is_made_again) {
  const ScratchFolder dir;
  const CaughtWarnings caught;
  DiskCache cache(dir / "cache", plenty);
  cache.store(program, "one", "payload");
  std::filesystem::remove_all(dir / "cache");
  EXPECT_EQ(payload_of(cache, "one"), "(miss)");
  cache.store(program, "two", "payload");
  EXPECT_EQ(payload_of(cache, "two"), "payload");
  EXPECT_THAT(caught.texts, IsEmpty());
}

TEST(DiskCache, P8_the_least_recently_used_entries_go_when_the_folder_is_full) {
  const ScratchFolder dir;
  const std::string payload(1000, 'x');
  DiskCache cache(dir.path(), 10'000);
  for (int i = 0; i < 5; ++i) cache.store(program, "old" + std::to_string(i), payload);
  for (int i = 0; i < 5; ++i) {
    const timespec long_ago[2] = {{1000 + i, 0}, {1000 + i, 0}};
    ::utimensat(AT_FDCWD, (dir / entry_file_name(program, "old" + std::to_string(i))).c_str(),
                long_ago, 0);
  }
  EXPECT_EQ(payload_of(cache, "old3"), payload);  // a hit makes it young again
  for (int i = 0; i < 20; ++i) {
    cache.store(program, "new" + std::to_string(i), payload);
    std::uint64_t total = 0;
    for (const auto& file : std::filesystem::directory_iterator(dir.path()))
      total += file.file_size();
    EXPECT_LE(total, 10'000u);
    if (i == 4) {
      EXPECT_EQ(payload_of(cache, "old0"), "(miss)");
      EXPECT_EQ(payload_of(cache, "old3"), payload);
    }
  }
}

TEST(DiskCache, P8_what_is_larger_than_the_cap_is_not_written) {
  const ScratchFolder dir;
  DiskCache cache(dir.path(), 100);
  cache.store(program, "key", std::string(1000, 'x'));
  EXPECT_THAT(names_with(dir.path(), ""), IsEmpty());
}

TEST(DiskCache, temporary_files_of_killed_processes_are_swept) {
  const ScratchFolder dir;
  const auto stale = dir.write(".tmp-1-2-3", "half an entry"),
             young = dir.write(".tmp-1-2-4", "being written");
  const timespec long_ago[2] = {{1000, 0}, {1000, 0}};
  ::utimensat(AT_FDCWD, stale.c_str(), long_ago, 0);
  DiskCache(dir.path(), plenty).store(program, "key", "payload");
  EXPECT_FALSE(std::filesystem::exists(stale));
  EXPECT_TRUE(std::filesystem::exists(young));
}

}  // namespace
}  // namespace treadle::compile

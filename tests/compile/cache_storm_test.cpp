// SPDX-License-Identifier: MIT
// Many processes on one folder, some of which are killed at random moments.
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/mman.h>

#include <atomic>
#include <random>

#include "children.hpp"
#include "compile/disk_cache.hpp"
#include "compile/statistics.hpp"
#include "sanitized.hpp"
#include "scratch.hpp"
#include "treadle/compile/cache.hpp"

namespace treadle::compile {
namespace {

using testing::IsEmpty;

constexpr auto stormed_kind = EntryKind::program;
constexpr unsigned processes = 64, keys = 200, kills = repeats(200);

std::string key_of(unsigned number) { return "key " + std::to_string(number); }

// Several versions of each entry, of different sizes; each byte tells key and version.
std::string payload_of(unsigned key, unsigned version) {
  const std::string word = std::to_string(key) + ':' + std::to_string(version) + ' ';
  std::string payload;
  for (unsigned i = 0; i < 1 + (key * 37 + version * 911) % 3000; ++i) payload += word;
  return payload;
}

bool is_whole(unsigned key, std::string_view payload) {
  const auto colon = payload.find(':'), blank = payload.find(' ');
  if (colon == std::string_view::npos || blank == std::string_view::npos || blank < colon)
    return false;
  const auto version =
      static_cast<unsigned>(std::stoul(std::string(payload.substr(colon + 1, blank - colon - 1))));
  return payload == payload_of(key, version);
}

/// What all processes of a storm count together.
struct Tally {
  std::atomic<unsigned> hits{0}, misses{0}, wrong{0}, healed{0};
};

class CacheStorm : public testing::Test {
 protected:
  CacheStorm()
      : tally_(*new(::mmap(nullptr, sizeof(Tally), PROT_READ | PROT_WRITE,
                           MAP_SHARED | MAP_ANONYMOUS, -1, 0)) Tally) {}
  ~CacheStorm() override { ::munmap(&tally_, sizeof(Tally)); }

  // Every key once, in an order of its own: looked up, checked, written anew.
  int work(std::uint64_t max_bytes, unsigned seed) {
    std::minstd_rand random(seed + 1);
    DiskCache cache(dir_ / "cache", max_bytes);
    const auto start = static_cast<unsigned>(random() % keys);
    for (unsigned i = 0; i < keys; ++i) {
      const unsigned key = (start + i * 7) % keys;  // 7 and 200 have no common divisor
      if (const auto entry = cache.load(stormed_kind, key_of(key))) {
        ++tally_.hits;
        if (!is_whole(key, entry->payload)) ++tally_.wrong;
      } else {
        ++tally_.misses;
      }
      if (random() % 4 != 0)
        cache.store(stormed_kind, key_of(key),
                    payload_of(key, static_cast<unsigned>(random() % 50)));
    }
    tally_.healed += static_cast<unsigned>(counters().healed);
    return counters().io_errors == 0 ? 0 : 1;
  }

  std::uint64_t bytes_in_cache() const { return cache_state(dir_ / "cache").bytes; }

  const ScratchFolder dir_;
  Tally& tally_;
};

TEST_F(CacheStorm, P1_readers_see_whole_entries_while_writers_are_killed) {
  constexpr std::uint64_t plenty = 1 << 30;
  reset_statistics();
  std::minstd_rand random(7);
  unsigned seed = 0, killed = 0;
  std::vector<pid_t> children(processes);
  const auto start = [&] { return start_child([&] { return work(plenty, seed); }); };
  for (pid_t& child : children) ++seed, child = start();
  for (unsigned i = 0; i < kills; ++i) {
    ::usleep(static_cast<useconds_t>(random() % 8000));
    pid_t& child = children[random() % processes];
    ::kill(child, SIGKILL);
    const int end = end_of(child);
    if (end == -SIGKILL) ++killed;
    EXPECT_TRUE(end == -SIGKILL || end == 0) << end;
    ++seed;
    child = start();
  }
  for (const pid_t child : children) EXPECT_EQ(end_of(child), 0);
  EXPECT_GT(killed, 0u);
  EXPECT_GT(tally_.hits, 0u);
  EXPECT_EQ(tally_.wrong, 0u);
  EXPECT_EQ(tally_.healed, 0u) << "an entry was half there";
  EXPECT_THAT(verify_cache(dir_ / "cache").damaged, IsEmpty());
  DiskCache cache(dir_ / "cache", plenty);
  for (unsigned key = 0; key < keys; ++key)
    if (const auto entry = cache.load(stormed_kind, key_of(key))) {
      EXPECT_TRUE(is_whole(key, entry->payload)) << key;
    }
}

TEST_F(CacheStorm, P8_a_tiny_cap_is_kept_and_readers_survive_eviction) {
  constexpr std::uint64_t cap = 200'000;
  reset_statistics();
  std::vector<pid_t> children;
  for (unsigned seed = 0; seed < 16; ++seed)
    children.push_back(start_child([&] { return work(cap, seed); }));
  for (const pid_t child : children) EXPECT_EQ(end_of(child), 0);
  EXPECT_LE(bytes_in_cache(), cap);
  EXPECT_GT(bytes_in_cache(), 0u);
  EXPECT_GT(tally_.misses, 0u);
  EXPECT_EQ(tally_.wrong, 0u);
  EXPECT_EQ(tally_.healed, 0u);
}

TEST_F(CacheStorm, P6_a_writer_that_stops_or_dies_holds_nobody_up) {
  const pid_t child = start_child([&] {
    FileSystem files = FileSystem::system();
    files.write = [](int file, const void* from, size_t size) {
      const ssize_t half = ::write(file, from, size / 2);
      ::raise(SIGSTOP);
      return half;
    };
    DiskCache(dir_ / "cache", 1 << 20, files).store(stormed_kind, key_of(1), payload_of(1, 1));
    return 0;
  });
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, WUNTRACED), child);
  ASSERT_TRUE(WIFSTOPPED(status));
  DiskCache cache(dir_ / "cache", 1 << 20);
  EXPECT_FALSE(cache.load(stormed_kind, key_of(1)));
  cache.store(stormed_kind, key_of(1), payload_of(1, 2));
  EXPECT_EQ(cache.load(stormed_kind, key_of(1))->payload, payload_of(1, 2));
  ::kill(child, SIGKILL);
  EXPECT_EQ(end_of(child), -SIGKILL);
  EXPECT_EQ(cache.load(stormed_kind, key_of(1))->payload, payload_of(1, 2));
  EXPECT_THAT(verify_cache(dir_ / "cache").damaged, IsEmpty());
}

TEST_F(CacheStorm, P6_a_listing_that_is_out_of_date_is_no_obstacle) {
  FileSystem files = FileSystem::system();
  files.list = [](const char* path, std::vector<std::string>& names) {
    const int result = FileSystem::system().list(path, names);
    names.push_back(entry_file_name(stormed_kind, "gone meanwhile"));
    names.emplace_back(".tmp-gone-too");
    return result;
  };
  const CaughtWarnings caught;
  DiskCache cache(dir_ / "cache", 20'000, files);
  for (unsigned key = 0; key < 40; ++key)
    cache.store(stormed_kind, key_of(key), std::string(900, 'x'));
  EXPECT_LE(bytes_in_cache(), 20'000u);
  EXPECT_TRUE(cache.load(stormed_kind, key_of(39)));
  EXPECT_THAT(caught.texts, IsEmpty());
}

}  // namespace
}  // namespace treadle::compile

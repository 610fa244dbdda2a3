// SPDX-License-Identifier: MIT
#include "compile/memory_cache.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <new>
#include <thread>
#include <vector>

#include "compile/process.hpp"
#include "scratch.hpp"
#include "treadle/base/error.hpp"

namespace {
thread_local bool memory_is_refused = false;
}  // namespace

// For all tests of this program: they differ where a test wants a thread to find no memory.
// ThreadSanitizer has its own, which cannot be replaced.
#if !defined(__SANITIZE_THREAD__)
void* operator new(std::size_t size) {
  void* const block = memory_is_refused ? nullptr : std::malloc(size == 0 ? 1 : size);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}
void operator delete(void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { std::free(block); }
#endif

namespace treadle::compile {
namespace {

std::shared_ptr<Compiled> result_with(const std::string& log) {
  auto result = std::make_shared<Compiled>();
  result->log = log;
  return result;
}

TEST(MemoryCache, builds_once_and_then_finds) {
  MemoryCache cache(1 << 20);
  int builds = 0;
  const auto build = [&] { return ++builds, result_with("made"); };
  bool found = true;
  EXPECT_EQ(cache.get("request", build, found)->log, "made");
  EXPECT_FALSE(found);
  EXPECT_EQ(cache.get("request", build, found)->log, "made");
  EXPECT_TRUE(found);
  EXPECT_EQ(builds, 1);
  cache.forget({});
  cache.get("request", build, found);
  EXPECT_EQ(builds, 2);
}

TEST(MemoryCache, threads_with_the_same_request_do_the_work_once) {
  MemoryCache cache(1 << 20);
  std::atomic<int> builds{0}, founds{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      bool found = false;
      const auto result = cache.get(
          "request",
          [&] {
            ++builds;
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            return result_with("made");
          },
          found);
      EXPECT_EQ(result->log, "made");
      founds += found ? 1 : 0;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(builds, 1);
  EXPECT_EQ(founds, 7);
}

TEST(MemoryCache, different_requests_are_built_side_by_side) {
  MemoryCache cache(1 << 20);
  std::atomic<int> inside{0};
  const auto build = [&] {
    // Each waits for the other to be inside as well: a lock around the builds would never let that
    // happen.
    ++inside;
    for (int i = 0; i < 2000 && inside < 2; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return result_with(inside == 2 ? "together" : "alone");
  };
  std::string logs[2];
  std::thread threads[2];
  for (int i = 0; i < 2; ++i)
    threads[i] = std::thread([&, i] {
      bool found = false;
      logs[i] = cache.get("request " + std::to_string(i), build, found)->log;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(logs[0], "together");
  EXPECT_EQ(logs[1], "together");
}

TEST(MemoryCache, a_failure_reaches_all_who_wait_and_is_not_kept) {
  MemoryCache cache(1 << 20);
  bool found = false;
  const auto fail = []() -> MemoryCache::Result { throw CompileError("no", "log", "source", {}); };
  EXPECT_THROW(cache.get("request", fail, found), CompileError);
  EXPECT_THROW(cache.get("request", fail, found), CompileError);
  EXPECT_EQ(cache.get("request", [] { return result_with("made"); }, found)->log, "made");
}

TEST(MemoryCache, a_result_that_cannot_be_held_reaches_all_who_wait) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "ThreadSanitizer's operator new is not replaced";
#endif
  MemoryCache cache(1 << 20);
  const std::string request(100, 'r');
  std::promise<void> building;
  auto builder = std::async(std::launch::async, [&] {
    bool found = false;
    const auto result = cache.get(
        request,
        [&] {
          auto made = result_with("made");
          building.set_value();
          std::this_thread::sleep_for(std::chrono::milliseconds(100));  // until the other waits
          memory_is_refused = true;
          return made;
        },
        found);
    memory_is_refused = false;
    return result->log;
  });
  building.get_future().wait();
  auto waiter = std::async(std::launch::async, [&] {
    bool found = false;
    return cache.get(request, [] { return result_with("made again"); }, found)->log;
  });
  if (waiter.wait_for(std::chrono::seconds(30)) != std::future_status::ready) {
    std::fputs("nobody wakes the one who waits\n", stderr);  // its future would wait for ever, too
    std::_Exit(1);
  }
  EXPECT_EQ(builder.get(), "made");
  EXPECT_EQ(waiter.get(), "made");
  bool found = true;
  cache.get(request, [] { return result_with("made later"); }, found);
  EXPECT_FALSE(found);  // it was not held
  cache.get(request, [] { return result_with("never"); }, found);
  EXPECT_TRUE(found);
}

TEST(MemoryCache, what_may_not_be_kept_is_built_again) {
  MemoryCache cache(1 << 20);
  int builds = 0;
  bool found = false;
  const auto build = [&] {
    auto result = result_with("made");
    result->not_cached = "it names the time";
    ++builds;
    return result;
  };
  cache.get("request", build, found);
  cache.get("request", build, found);
  EXPECT_EQ(builds, 2);
}

TEST(MemoryCache, a_changed_header_is_noticed) {
  const ScratchFolder dir;
  const auto header = dir.write("a.h", "1");
  MemoryCache cache(1 << 20);
  int builds = 0;
  bool found = false;
  const auto build = [&] {
    auto result = result_with(read_text_file(header));
    result->closure = follow_includes(
        "#include <a.h>",
        {.user_dirs = {dir.path()}, .toolkit_dirs = {}, .pre_includes = {}, .is_embedded = {}});
    ++builds;
    return result;
  };
  EXPECT_EQ(cache.get("request", build, found)->log, "1");
  EXPECT_EQ(cache.get("request", build, found)->log, "1");
  EXPECT_EQ(builds, 1);
  overwrite(header, "2");
  EXPECT_EQ(cache.get("request", build, found)->log, "2");
  EXPECT_EQ(builds, 2);
}

TEST(MemoryCache, the_least_recently_used_go_when_it_is_full) {
  MemoryCache cache(8'000);
  int builds = 0;
  bool found = false;
  const auto build = [&] { return ++builds, result_with(std::string(1000, 'x')); };
  cache.get("kept", build, found);
  for (int i = 0; i < 50; ++i) {
    cache.get("request " + std::to_string(i), build, found);
    cache.get("kept", build, found);
    EXPECT_TRUE(found);
  }
  cache.get("request 0", build, found);
  EXPECT_FALSE(found);
}

}  // namespace
}  // namespace treadle::compile

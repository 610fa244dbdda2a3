// SPDX-License-Identifier: MIT
#include "treadle/compile/cached.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>
#include <thread>

#include "scratch.hpp"
#include "treadle/base/error.hpp"
#include "treadle/compile/cache.hpp"

namespace treadle::compile {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

Binary binary_of(const std::string& text, const std::string& log = {}) {
  Binary binary;
  binary.code.resize(text.size());
  std::memcpy(binary.code.data(), text.data(), text.size());
  binary.log = log;
  return binary;
}

std::string text_of(const CompileResult& result) {
  const auto& code = result.image.code;
  return {reinterpret_cast<const char*>(code.data()), code.size()};
}

/// A compiler that counts its runs; each test has a cache folder of its own and nothing in memory.
class CachedTest : public testing::Test {
 protected:
  void SetUp() override {
    clear_memory_cache();
    reset_statistics();
  }
  CompileResult build(const BinaryKey& key) {
    return cached(
        key,
        [this] {
          ++runs_;
          return binary_of("binary " + std::to_string(runs_), "log");
        },
        place_);
  }
  /// As a new process would see it: only the disk remembers.
  CompileResult build_anew(const BinaryKey& key) {
    clear_memory_cache();
    return build(key);
  }
  bool compiles(const BinaryKey& key) {
    const int before = runs_;
    build_anew(key);
    return runs_ != before;
  }

  const ScratchFolder dir_;
  CachePlace place_{.use = CacheUse::enabled, .folder = dir_ / "cache"};
  std::atomic<int> runs_{0};
  BinaryKey key_{.language = Language::opencl_c,
                 .source = "__kernel void k(__global int* a) { a[0] = 1; }",
                 .source_name = "k.cl",
                 .options = {"-cl-std=CL2.0", "-DN=1"},
                 .include_dirs = {dir_ / "include"},
                 .identity = {{"platform", "a platform"},
                              {"platform version", "OpenCL 3.0"},
                              {"driver version", "1.0"},
                              {"device", "a device"}},
                 .holds_paths = false};
};

TEST_F(CachedTest, is_built_once_then_found_in_memory_then_on_disk) {
  const CompileResult first = build(key_);
  EXPECT_EQ(first.origin, Origin::compiled);
  EXPECT_EQ(text_of(first), "binary 1");
  EXPECT_EQ(first.log, "log");
  EXPECT_THAT(first.not_cached, IsEmpty());
  const CompileResult second = build(key_);
  EXPECT_EQ(second.origin, Origin::memory_cache);
  const CompileResult third = build_anew(key_);
  EXPECT_EQ(third.origin, Origin::disk_cache);
  EXPECT_EQ(third.entry, first.entry);
  for (const CompileResult& hit : {second, third}) {
    EXPECT_EQ(text_of(hit), "binary 1");
    EXPECT_EQ(hit.log, "log");
  }
  EXPECT_EQ(statistics().misses, 1u);
  EXPECT_EQ(statistics().memory_hits, 1u);
  EXPECT_EQ(statistics().disk_hits, 1u);
}

TEST_F(CachedTest, P3_each_part_of_the_key_changed_alone_is_a_miss) {
  const std::function<void(BinaryKey&)> changes[] = {
      [](BinaryKey& k) { k.language = Language::cuda_c; },
      [](BinaryKey& k) { k.source += ' '; },
      [](BinaryKey& k) { k.source_name = "other.cl"; },
      [](BinaryKey& k) { k.options[0] = "-cl-std=CL3.0"; },
      [](BinaryKey& k) { k.options.pop_back(); },
      [](BinaryKey& k) { std::swap(k.options[0], k.options[1]); },
      [](BinaryKey& k) { k.identity[0].value = "another platform"; },
      [](BinaryKey& k) { k.identity[1].value = "OpenCL 3.1"; },
      [](BinaryKey& k) { k.identity[2].value = "1.1"; },
      [](BinaryKey& k) { k.identity[3].value = "another device"; },
      [](BinaryKey& k) { k.identity[3].name = "sub-device"; },
      [](BinaryKey& k) { k.identity.pop_back(); },
      [](BinaryKey& k) { std::swap(k.identity[2], k.identity[3]); },
      [](BinaryKey& k) { k.holds_paths = true; },
  };
  build(key_);
  for (std::size_t i = 0; i < std::size(changes); ++i) {
    BinaryKey changed = key_;
    changes[i](changed);
    EXPECT_TRUE(compiles(changed)) << "change " << i;
    EXPECT_FALSE(compiles(changed)) << "change " << i;
  }
  EXPECT_FALSE(compiles(key_));
}

TEST_F(CachedTest, P3_names_of_folders_and_the_current_one_are_no_part_of_the_key) {
  build(key_);
  BinaryKey elsewhere = key_;
  elsewhere.include_dirs = {"/elsewhere", "relative"};
  EXPECT_FALSE(compiles(elsewhere));
  elsewhere.source_name = "some/folder/k.cl";
  EXPECT_FALSE(compiles(elsewhere));
  const auto here = std::filesystem::current_path();
  std::filesystem::current_path(dir_.path());
  EXPECT_FALSE(compiles(key_));
  std::filesystem::current_path(here);
}

TEST_F(CachedTest, P3_the_contents_of_headers_count_wherever_the_compiler_may_find_them) {
  key_.source = "#include \"n.h\"\n" + key_.source;
  key_.include_dirs = {dir_ / "one", dir_ / "two"};
  const auto second = dir_.write("two/n.h", "#define N 1\n");
  const auto nested = dir_.write("two/m.h", "");
  EXPECT_TRUE(compiles(key_));
  EXPECT_FALSE(compiles(key_));
  overwrite(second, "#define N 2\n#include \"m.h\"\n");
  EXPECT_TRUE(compiles(key_));
  overwrite(nested, "#define M 2\n");
  EXPECT_TRUE(compiles(key_));
  dir_.write("one/n.h", "#define N 3\n");
  EXPECT_TRUE(compiles(key_)) << "appears earlier on the path";
  overwrite(second, "#define N 4\n");
  EXPECT_TRUE(compiles(key_)) << "a compiler may search in another order";
  const auto here = std::filesystem::current_path();
  dir_.write("work/n.h", "#define N 5\n");
  std::filesystem::current_path(dir_ / "work");
  EXPECT_TRUE(compiles(key_)) << "beside the text, which stands in the current folder";
  std::filesystem::current_path(here);
  EXPECT_FALSE(compiles(key_));
}

TEST_F(CachedTest, P3_a_header_that_changes_is_noticed_in_memory_too) {
  key_.source = "#include <n.h>\n" + key_.source;
  const auto header = dir_.write("include/n.h", "#define N 1\n");
  build(key_);
  EXPECT_EQ(build(key_).origin, Origin::memory_cache);
  overwrite(header, "#define N 2\n");
  EXPECT_EQ(build(key_).origin, Origin::compiled);
}

TEST_F(CachedTest, P3_what_the_cache_cannot_know_is_not_cached) {
  reset_statistics();
  key_.source = "#include HEADER\n";
  EXPECT_THAT(build(key_).not_cached, HasSubstr("#include of a macro"));
  EXPECT_EQ(build(key_).origin, Origin::compiled);
  key_.source = "__constant char t[] = __TIME__;";
  EXPECT_THAT(build(key_).not_cached, HasSubstr("time"));
  EXPECT_EQ(statistics().not_cached, 3u);
  EXPECT_EQ(statistics().misses, 3u);
}

TEST_F(CachedTest, what_a_build_throws_reaches_the_caller_and_nothing_is_kept) {
  const auto failing = [&]() -> Binary {
    ++runs_;
    throw CompileError("no", "log", key_.source, key_.options);
  };
  EXPECT_THROW(cached(key_, failing, place_), CompileError);
  EXPECT_THROW(cached(key_, failing, place_), CompileError);
  EXPECT_EQ(runs_, 2);
  EXPECT_EQ(build(key_).origin, Origin::compiled);
}

TEST_F(CachedTest, disabled_caches_are_neither_read_nor_written) {
  place_.use = CacheUse::disabled;
  build(key_);
  EXPECT_EQ(build(key_).origin, Origin::compiled);
  EXPECT_FALSE(std::filesystem::exists(place_.folder));
}

TEST_F(CachedTest, who_only_reads_finds_what_is_there_and_keeps_nothing) {
  place_.use = CacheUse::reading;
  build(key_);
  EXPECT_EQ(build(key_).origin, Origin::compiled);
  place_.use = CacheUse::enabled;
  EXPECT_EQ(build(key_).origin, Origin::compiled);
  place_.use = CacheUse::reading;
  EXPECT_EQ(build_anew(key_).origin, Origin::disk_cache);
}

TEST_F(CachedTest, P9_a_damaged_entry_is_built_again_and_reported_once) {
  const CompileResult first = build(key_);
  std::string bytes = file_bytes(first.entry);
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  overwrite(first.entry, bytes);
  const CaughtWarnings caught;
  EXPECT_TRUE(compiles(key_));
  EXPECT_FALSE(compiles(key_));
  EXPECT_THAT(caught.texts, ElementsAre(HasSubstr("damaged")));
}

TEST_F(CachedTest, P9_a_binary_that_cannot_be_loaded_is_discarded) {
  const CompileResult first = build(key_);
  const CaughtWarnings caught;
  discard_cached(first);
  EXPECT_FALSE(std::filesystem::exists(first.entry));
  EXPECT_EQ(build(key_).origin, Origin::compiled);
  EXPECT_THAT(caught.texts, SizeIs(1));
}

/// Two binaries, loaded together by a run-time that refuses what `refuses` says.
class LoadCachedTest : public CachedTest {
 protected:
  std::vector<CompileResult> load(
      const std::function<bool(const std::vector<CompileResult>&)>& refuses) {
    BinaryKey other = key_;
    other.identity.push_back({"device", "another"});
    const auto build = [this] { return binary_of("binary " + std::to_string(++runs_)); };
    return load_cached(
        {{key_, build}, {other, build}},
        [&](const std::vector<CompileResult>& results) {
          ++loads_;
          if (refuses(results)) throw InvalidState("refused");
        },
        place_);
  }
  static bool takes_all(const std::vector<CompileResult>&) { return false; }
  static bool refuses_kept(const std::vector<CompileResult>& results) {
    return std::ranges::any_of(
        results, [](const CompileResult& each) { return each.origin != Origin::compiled; });
  }
  int loads_ = 0;
};

TEST_F(LoadCachedTest, what_is_taken_is_loaded_once) {
  EXPECT_THAT(load(takes_all), SizeIs(2));
  clear_memory_cache();
  const auto again = load(takes_all);
  EXPECT_EQ(again[0].origin, Origin::disk_cache);
  EXPECT_EQ(again[1].origin, Origin::disk_cache);
  EXPECT_EQ(runs_, 2);
  EXPECT_EQ(loads_, 2);
}

TEST_F(LoadCachedTest, P9_refused_binaries_are_made_anew_counted_and_reported_once) {
  load(takes_all);
  clear_memory_cache();
  const CaughtWarnings caught;
  const auto mended = load(refuses_kept);
  EXPECT_EQ(mended[0].origin, Origin::compiled);
  EXPECT_EQ(mended[1].origin, Origin::compiled);
  EXPECT_EQ(runs_, 4);
  EXPECT_EQ(statistics().healed, 2u);
  EXPECT_THAT(caught.texts, ElementsAre(HasSubstr("could not be loaded")));
  clear_memory_cache();
  EXPECT_EQ(load(takes_all)[0].origin, Origin::disk_cache);
}

TEST_F(LoadCachedTest, P9_what_memory_holds_is_made_anew_too) {
  load(takes_all);
  const CaughtWarnings caught;
  EXPECT_EQ(load(refuses_kept)[0].origin, Origin::compiled);
  EXPECT_EQ(load(takes_all)[0].origin, Origin::memory_cache);
}

TEST_F(LoadCachedTest, only_what_was_kept_is_made_anew) {
  build(key_);  // the first of the two
  const CaughtWarnings caught;
  const auto mended = load([](const std::vector<CompileResult>& results) {
    return results[0].origin != Origin::compiled;
  });
  EXPECT_EQ(runs_, 3);
  EXPECT_EQ(mended[0].origin, Origin::compiled);
  EXPECT_EQ(mended[1].origin, Origin::memory_cache);
}

TEST_F(LoadCachedTest, what_was_built_just_now_and_is_refused_is_an_error) {
  EXPECT_THROW(load([](const auto&) { return true; }), InvalidState);
  EXPECT_EQ(loads_, 1);
}

TEST_F(LoadCachedTest, a_second_refusal_is_an_error) {
  load(takes_all);
  const CaughtWarnings caught;
  loads_ = 0;
  EXPECT_THROW(load([](const auto&) { return true; }), InvalidState);
  EXPECT_EQ(loads_, 2);
}

TEST_F(LoadCachedTest, lack_of_memory_is_no_fault_of_the_binaries) {
  load(takes_all);
  const CaughtWarnings caught;
  EXPECT_THROW(load([](const auto&) -> bool {
                 throw OutOfMemory(DeviceFailure{-4, "CODE", "call", "out of memory"});
               }),
               OutOfMemory);
  EXPECT_THAT(caught.texts, IsEmpty());
  EXPECT_EQ(load(takes_all)[0].origin, Origin::memory_cache);
}

TEST_F(CachedTest, P7_without_a_usable_folder_memory_does) {
  dir_.write("cache", "a file");
  const CaughtWarnings caught;
  EXPECT_EQ(build(key_).origin, Origin::compiled);
  EXPECT_EQ(build(key_).origin, Origin::memory_cache);
  EXPECT_THAT(caught.texts, ElementsAre(HasSubstr("not a folder")));
}

TEST_F(CachedTest, P11_threads_share_one_build) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) threads.emplace_back([&] { build(key_); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(runs_, 1);
}

TEST_F(CachedTest, a_deleted_current_folder_is_no_obstacle) {
  const auto here = std::filesystem::current_path();
  std::filesystem::create_directory(dir_ / "gone");
  std::filesystem::current_path(dir_ / "gone");
  std::filesystem::remove(dir_ / "gone");
  EXPECT_NO_THROW(build(key_));
  std::filesystem::current_path(here);
}

TEST_F(CachedTest, entries_tell_who_made_them) {
  build(key_);
  const auto entries = list_cache(place_.folder);
  ASSERT_THAT(entries, SizeIs(1));
  EXPECT_EQ(entries[0].language, "OpenCL C");
  EXPECT_EQ(entries[0].source, key_.source);
  EXPECT_EQ(entries[0].identity, key_.identity);
}

}  // namespace
}  // namespace treadle::compile

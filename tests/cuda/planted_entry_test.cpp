// SPDX-License-Identifier: MIT
// An entry of the disk cache that is whole and of no use: what a driver that refuses it leads to.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>
#include <vector>

#include "cuda/providers.hpp"
#include "treadle/compile/cache.hpp"
#include "treadle/compile/cached.hpp"
#include "treadle/cuda/module.hpp"
#include "treadle/process/warning.hpp"

namespace treadle::cuda {
namespace {

using compile::Origin;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class OnPlantedEntries : public OnEachProvider {
 protected:
  void SetUp() override {
    OnEachProvider::SetUp();
    if (IsSkipped()) return;
    std::string name = (std::filesystem::temp_directory_path() / "treadle-test-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    compile::reset_statistics();
    before_ = set_warning_handler([this](std::string_view text) { warnings_.emplace_back(text); });
    try {
      first_ = compile();
    } catch (const LibraryNotFound& error) {
      GTEST_SKIP() << error.library() << " is not there";
    }
  }
  void TearDown() override {
    if (!folder_.empty()) {
      set_warning_handler(before_);
      std::filesystem::remove_all(folder_);
    }
    OnEachProvider::TearDown();
  }

  /// As a new process would: only the disk remembers.
  compile::CompileResult compile() const {
    compile::clear_memory_cache();
    return compile_cuda("extern \"C\" __global__ void nothing() {}",
                        compile::Target::parse(device().target()), {.cache_dir = folder_});
  }
  /// Puts `code` where the kernel's entry is, with its key and a digest that is right.
  void plant(std::vector<std::byte> code) const {
    const compile::CacheEntry entry = compile::list_cache(folder_).at(0);
    const compile::BinaryKey key{.language = language_named(entry.language),
                                 .source = entry.source,
                                 .source_name = entry.source_name,
                                 .options = entry.options,
                                 .include_dirs = {},
                                 .identity = entry.identity};
    std::filesystem::remove(folder_ / entry.name);
    compile::clear_memory_cache();
    cached(key, [&] { return compile::Binary{std::move(code), {}}; }, {.folder = folder_});
    ASSERT_TRUE(std::filesystem::exists(folder_ / entry.name));
  }

  std::filesystem::path folder_;
  std::optional<compile::CompileResult> first_;
  std::vector<std::string> warnings_;
  WarningHandler before_;
};

TEST_P(OnPlantedEntries, P9_CodeThatCannotBeLoadedIsCompiledAnewCountedAndReportedOnce) {
  plant(std::vector<std::byte>(4096, std::byte{'x'}));
  const compile::CompileResult planted = compile();
  ASSERT_EQ(planted.origin, Origin::disk_cache);
  ASSERT_NE(planted.image.code, first_->image.code);
  EXPECT_NO_THROW(Module(planted.image).function("nothing"));
  EXPECT_EQ(compile::statistics().healed, 1u);
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("could not be loaded")));

  const compile::CompileResult mended = compile();
  EXPECT_EQ(mended.origin, Origin::disk_cache);
  EXPECT_EQ(mended.image.code, first_->image.code);
  EXPECT_NO_THROW(Module(mended.image).function("nothing"));
  EXPECT_EQ(compile::statistics().healed, 1u);
}

TEST_P(OnPlantedEntries, P9_MemoryForgetsTheUselessCodeToo) {
  plant(std::vector<std::byte>(4096, std::byte{'x'}));
  const compile::CompileResult planted = compile();
  const Module loaded(planted.image);
  const compile::CompileResult again =
      compile_cuda("extern \"C\" __global__ void nothing() {}",
                   compile::Target::parse(device().target()), {.cache_dir = folder_});
  EXPECT_EQ(again.origin, Origin::memory_cache);
  EXPECT_EQ(again.image.code, first_->image.code);
}

TEST_P(OnPlantedEntries, P9_CodeOfThisProcessIsNotCompiledTwice) {
  EXPECT_FALSE(first_->image.remake);
  EXPECT_NO_THROW(Module(first_->image).function("nothing"));
  EXPECT_THAT(warnings_, IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Providers, OnPlantedEntries, each_provider, provider_name);

}  // namespace
}  // namespace treadle::cuda

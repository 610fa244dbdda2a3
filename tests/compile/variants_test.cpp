// SPDX-License-Identifier: MIT
#include "treadle/compile/variants.hpp"

#include <gmock/gmock.h>

#include <set>
#include <stdexcept>
#include <thread>

#include "treadle/base/error.hpp"

namespace treadle::compile {
namespace {

using testing::HasSubstr;

class Variants : public testing::Test {
 protected:
  void SetUp() override {
    try {
      compile_cuda(text, target_, variant(0).options);
    } catch (const LibraryNotFound& error) {
      GTEST_SKIP() << "no compiler: " << error.library();
    }
  }
  static constexpr const char* text = "extern \"C\" __global__ void f(int* x) { *x = N + 0; }";
  static Variant variant(int number) {
    return {text, {.flags = {"-DN=" + std::to_string(number)}, .cache = CacheUse::disabled}};
  }
  const Target target_ = Target::parse("cpu");
};

TEST_F(Variants, ResultsComeInTheirOrder) {
  std::vector<Variant> variants;
  for (int i = 0; i < 6; ++i) variants.push_back(variant(i));
  std::vector<std::size_t> seen;
  const auto results = compile_variants(
      variants, target_, {.threads = 3, .listener = [&](const VariantProgress& progress) {
                            EXPECT_EQ(progress.total, 6u);
                            EXPECT_GE(progress.seconds, 0);
                            seen.push_back(progress.done);
                          }});
  ASSERT_EQ(results.size(), 6u);
  ASSERT_FALSE(seen.empty());
  EXPECT_EQ(seen.back(), 6u);
  EXPECT_TRUE(std::ranges::is_sorted(seen));
  for (std::size_t i = 0; i < 6; ++i) {
    const auto alone = compile_cuda(text, target_, variants[i].options);
    EXPECT_EQ(results[i].image.code, alone.image.code) << i;
  }
  EXPECT_NE(results[0].image.code, results[5].image.code);
}

TEST_F(Variants, NoneIsNoWork) { EXPECT_TRUE(compile_variants({}, target_).empty()); }

TEST_F(Variants, TheFirstThatFailsIsTold) {
  std::vector<Variant> variants{variant(1), variant(2), variant(3)};
  variants[1].source = "this is no C";
  variants[1].options.source_name = "second.cu";
  try {
    compile_variants(variants, target_, {.threads = 1});
    FAIL();
  } catch (const CompileError& error) {
    EXPECT_THAT(error.log(), HasSubstr("second.cu"));
  }
}

TEST_F(Variants, WhatAListenerThrowsEndsTheCall) {
  std::vector<Variant> variants;
  for (int i = 0; i < 50; ++i) variants.push_back(variant(100 + i));
  const auto before = statistics().misses;
  EXPECT_THROW(compile_variants(variants, target_,
                                {.threads = 1,
                                 .listener =
                                     [](const VariantProgress& progress) {
                                       if (progress.done > 0) throw std::runtime_error("enough");
                                     }}),
               std::runtime_error);
  EXPECT_LT(statistics().misses - before, 40u);
}

TEST_F(Variants, TheListenerIsCalledOnTheCallersThread) {
  const std::vector<Variant> variants{variant(7), variant(8)};
  const auto caller = std::this_thread::get_id();
  compile_variants(variants, target_, {.listener = [&](const VariantProgress&) {
                     EXPECT_EQ(std::this_thread::get_id(), caller);
                   }});
}

}  // namespace
}  // namespace treadle::compile

// SPDX-License-Identifier: MIT
#include "treadle/base/cpu_features.hpp"

#include <gtest/gtest.h>

#include <set>

namespace treadle {
namespace {

TEST(CpuFeatures, TheFirstBitsAreAFileFormatAndStay) {
  // Modules and cache entries hold these numbers: a failure here means that old files are misread.
  EXPECT_EQ(cpu_feature_bit("sse2"), 5);
  EXPECT_EQ(cpu_feature_bit("avx"), 16);
  EXPECT_EQ(cpu_feature_bit("avx2"), 29);
  EXPECT_EQ(cpu_feature_bit("avx512f"), 31);
  EXPECT_EQ(cpu_feature_bit("avx512fp16"), 55);
  EXPECT_EQ(cpu_feature_bit("xsavec"), 68);
  EXPECT_EQ(cpu_feature_bit("no such feature"), -1);
}

TEST(CpuFeatures, NamesAreUnique) {
  const auto names = cpu_feature_names();
  EXPECT_EQ(std::set<std::string_view>(names.begin(), names.end()).size(), names.size());
}

#if defined(__x86_64__)
TEST(CpuFeatures, TheHostHasWhatTheCompilerSaysItHas) {
  __builtin_cpu_init();
  const CpuFeatures& host = host_cpu_features();
  const auto has = [&](const char* name) {
    return host.has(static_cast<unsigned>(cpu_feature_bit(name)));
  };
  EXPECT_TRUE(has("sse2"));
  EXPECT_FALSE(has("avx512fp16"));  // of which the compiler makes wrong comparisons
  EXPECT_EQ(has("avx"), __builtin_cpu_supports("avx") != 0);
  EXPECT_EQ(has("avx2"), __builtin_cpu_supports("avx2") != 0);
  EXPECT_EQ(has("fma"), __builtin_cpu_supports("fma") != 0);
  EXPECT_EQ(has("avx512f"), __builtin_cpu_supports("avx512f") != 0);
  EXPECT_EQ(has("avx512vl"), __builtin_cpu_supports("avx512vl") != 0);
  EXPECT_EQ(has("bmi2"), __builtin_cpu_supports("bmi2") != 0);
  EXPECT_FALSE(cpu_name().empty());
}
#endif

TEST(CpuFeatures, CodeRunsWhereAllItsFeaturesAre) {
  CpuFeatures host, code;
  host.set(3);
  host.set(200);
  EXPECT_TRUE(host.covers(code));
  code.set(200);
  EXPECT_TRUE(host.covers(code));
  code.set(64);
  EXPECT_FALSE(host.covers(code));
}

TEST(CpuFeatures, TextsAreStable) {
  CpuFeatures set;
  set.set(static_cast<unsigned>(cpu_feature_bit("avx")));
  set.set(static_cast<unsigned>(cpu_feature_bit("cx8")));
  EXPECT_EQ(llvm_feature_string(set), "+cx8,+avx");
  EXPECT_EQ(feature_digits(set), "0000000000010001" + std::string(48, '0'));
  EXPECT_EQ(llvm_feature_string({}), "");
}

}  // namespace
}  // namespace treadle

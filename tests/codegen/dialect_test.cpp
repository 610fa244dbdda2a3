// SPDX-License-Identifier: MIT
#include "treadle/codegen/dialect.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "golden.hpp"

namespace treadle::codegen {
namespace {

class EveryDialect : public testing::TestWithParam<Language> {};
INSTANTIATE_TEST_SUITE_P(Dialect, EveryDialect,
                         testing::Values(Language::cuda_c, Language::opencl_c));

TEST_P(EveryDialect, EachNameStandsForOneType) {
  std::set<std::string_view> names;
  for (const TypeName& known : dialect_of(GetParam()).type_names)
    EXPECT_TRUE(names.insert(known.name).second) << known.name;
}

TEST_P(EveryDialect, HasANameForEveryNumber) {
  const auto names = dialect_of(GetParam()).type_names;
  for (const Scalar scalar :
       {Scalar::int8, Scalar::int16, Scalar::int32, Scalar::int64, Scalar::uint8, Scalar::uint16,
        Scalar::uint32, Scalar::uint64, Scalar::float16, Scalar::float32, Scalar::float64})
    EXPECT_TRUE(std::any_of(names.begin(), names.end(), [&](const auto& n) {
      return n.scalar == scalar;
    })) << DType(scalar).name();
}

TEST(Dialect, OpenClHasNoBoolForArguments) {
  for (const TypeName& known : dialect_of(Language::opencl_c).type_names)
    EXPECT_NE(known.scalar, Scalar::boolean);
}

TEST(Dialect, SpellsWhatTheHeaderDefines) {
  const Dialect &cuda = dialect_of(Language::cuda_c), &opencl = dialect_of(Language::opencl_c);
  EXPECT_EQ(cuda.function, "static __device__ inline");
  EXPECT_EQ(opencl.restrict, "restrict");
  EXPECT_EQ(cuda.barrier, "__syncthreads()");
  EXPECT_EQ(opencl.barrier, "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)");
  EXPECT_EQ(cuda.fence, "__threadfence()");
}

TEST(Dialect, WordsBecomeWhatTheHeaderDefines) {
  EXPECT_EQ(expand_words("treadle_popcount(a + b)", dialect_of(Language::cuda_c)), "__popc(a + b)");
  EXPECT_EQ(expand_words("treadle_popcount(a + b)", dialect_of(Language::opencl_c)),
            "((int)popcount((uint)(a + b)))");
  EXPECT_EQ(expand_words("popcount(a)", dialect_of(Language::cuda_c)), "popcount(a)");
}

TEST(Dialect, OnlyOpenClSaysInTheTextThatProductsAreRounded) {
  EXPECT_EQ(dialect_of(Language::cuda_c).exact_preamble, "");
  EXPECT_EQ(dialect_of(Language::opencl_c).exact_preamble, "#pragma OPENCL FP_CONTRACT OFF\n");
  EXPECT_EQ(dialect_of(Language::cuda_c).exact_flags, std::vector<std::string>{"--fmad=false"});
  EXPECT_EQ(dialect_of(Language::cuda_c).exact_division_flag, "");
}

TEST(Dialect, OnlyOpenClMarksDeviceMemory) {
  EXPECT_EQ(dialect_of(Language::cuda_c).global, "");
  EXPECT_EQ(dialect_of(Language::opencl_c).global, "__global ");
}

/// A generator asks the table; a third language is a third table. Those who read CUDA's words,
/// the headers that the tables are read from, and nodes of one language are what they are.
TEST(Dialect, OnlyTablesKnowLanguages) {
  const char* root = std::getenv("TREADLE_SOURCE_DIR");
  if (root == nullptr) GTEST_SKIP() << "no source tree";
  std::size_t files = 0;
  for (const char* folder : {"src/codegen", "include/treadle/codegen"})
    for (const auto& entry :
         std::filesystem::directory_iterator(std::filesystem::path(root) / folder)) {
      const std::string name = entry.path().filename().string();
      if (name.starts_with("dialect") || name.starts_with("cuda_words") || name.starts_with("tree"))
        continue;
      ++files;
      const std::string text = codegen::text_of(entry.path());
      for (const char* branch : {"Language::", "cuda ?", "opencl ?", "is_cuda", "is_opencl"})
        EXPECT_EQ(text.find(branch), std::string::npos) << name << " has " << branch;
    }
  EXPECT_GT(files, 40u);
  const std::string tables =
      codegen::text_of(std::filesystem::path(root) / "src" / "codegen" / "dialect.cpp");
  EXPECT_EQ(tables.find("cuda ?"), std::string::npos);
}

}  // namespace
}  // namespace treadle::codegen

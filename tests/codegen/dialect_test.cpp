// SPDX-License-Identifier: MIT
#include "treadle/codegen/dialect.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

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
  EXPECT_EQ(cuda.kernel, "extern \"C\" __global__ void");
  EXPECT_EQ(opencl.kernel, "__kernel void");
  EXPECT_EQ(cuda.function, "static __device__ inline");
  EXPECT_EQ(cuda.local, "__shared__");
  EXPECT_EQ(opencl.local, "__local");
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

}  // namespace
}  // namespace treadle::codegen

// SPDX-License-Identifier: MIT
#include "treadle/codegen/family_text.hpp"

#include <gtest/gtest.h>

#include "both_dialects.hpp"
#include "treadle/codegen/counting.hpp"

namespace treadle::codegen {
namespace {

TEST(FamilyText, SaysWhatItsKernelsTake) {
  const FamilyText made =
      generate_count({Scalar::int32, false, 256}, tiling_of(Schedule::wide), cuda);
  EXPECT_EQ(made.name, "count_bins_int32");
  EXPECT_EQ(made.group_size, tiling_of(Schedule::wide).group_size);
  ASSERT_EQ(made.kernels.size(), 1u);
  EXPECT_EQ(made.kernels[0].name, made.name);
  ASSERT_EQ(made.kernels[0].parameters.size(), 6u);
  EXPECT_EQ(made.kernels[0].parameters[0],
            (ParameterSpec{ParameterSpec::Kind::vector, Scalar::int32, "elements"}));
}

TEST(FamilyText, TakesOffsetsWhereThereAreNoAddresses) {
  const FamilyText made =
      generate_count({Scalar::int32, false, 256}, tiling_of(Schedule::narrow), opencl);
  EXPECT_EQ(made.kernels[0].parameters[1].kind, ParameterSpec::Kind::vector_with_offset);
  EXPECT_NE(made.text.find("elements__offset"), std::string::npos);
}

}  // namespace
}  // namespace treadle::codegen

// SPDX-License-Identifier: MIT
// tests/array/sobol_test.cpp compares points with those of SciPy.
#include "treadle/codegen/sobol.hpp"

#include <gtest/gtest.h>

#include "both_dialects.hpp"

namespace treadle::codegen {
namespace {

TEST(Sobol, StatementsAreOfTheFloat) {
  const std::string single = sobol_statements(Scalar::float32, opencl);
  EXPECT_NE(single.find("word ^= vectors[dimension * 32 + bit];"), std::string::npos) << single;
  EXPECT_TRUE(single.ends_with("5.9604644775390625e-08f")) << single;
  EXPECT_NE(sobol_statements(Scalar::float64, cuda).find("dimension * 64"), std::string::npos);
}

}  // namespace
}  // namespace treadle::codegen

// SPDX-License-Identifier: MIT
// The texts; tests/kernel/scan_kernel_test.cpp runs them on every device.
#include "treadle/codegen/expression_snippet.hpp"

#include <gtest/gtest.h>

#include "treadle/base/error.hpp"

namespace treadle::codegen {
namespace {

TEST(ExpressionSnippet, IsAFunctionOfTheElement) {
  ExpressionBuilder build;
  const Value x = build.leaf(Scalar::float32), s = build.scalar(Scalar::float32);
  build.output(build.step(Op::multiply, Scalar::float32, {x, s}));
  const ExpressionSnippet made =
      snippet_of(build.build(), dialect_of(Language::opencl_c), "scaled");
  EXPECT_EQ(made.arguments, "const float *x0, float s0");
  EXPECT_EQ(made.value, "scaled(i, x0, s0)");
  EXPECT_NE(made.preamble.find("scaled(\n    long i, const __global float *x0, float s0) {\n"
                               "  const float x0_i = x0[i];\n"),
            std::string::npos)
      << made.preamble;
  EXPECT_EQ(made.preamble.find("#pragma OPENCL FP_CONTRACT OFF"), 0u);
}

TEST(ExpressionSnippet, RefusesWhatIsNoValue) {
  const Dialect& dialect = dialect_of(Language::cuda_c);
  ExpressionBuilder two, in_place;
  two.output(two.position());
  two.output(two.position());
  EXPECT_THROW((void)snippet_of(two.build(), dialect), InvalidArgument);
  in_place.output(in_place.leaf(Scalar::int32, 0));
  EXPECT_THROW((void)snippet_of(in_place.build(), dialect), InvalidArgument);
}

}  // namespace
}  // namespace treadle::codegen

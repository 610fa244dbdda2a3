// SPDX-License-Identifier: MIT
#include "treadle/codegen/tree_builders.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "treadle/base/error.hpp"
#include "treadle/codegen/tree_printer.hpp"

namespace treadle::codegen::tree {
namespace {

TEST(TreeBuilders, WriteNumbersThatAreReadAgainAsTheSame) {
  EXPECT_EQ(print_inline(literal(0.1)), "0.1");
  EXPECT_EQ(print_inline(literal(0.1, Scalar::float32)), "0.1f");
  EXPECT_EQ(print_inline(literal(2.0)), "2.0");
  EXPECT_EQ(print_inline(literal(1e30)), "1e+30");
  EXPECT_EQ(print_inline(literal(std::numeric_limits<double>::infinity())), "INFINITY");
  EXPECT_EQ(print_inline(var("a") * literal(-1.5)), "a * -1.5");
  EXPECT_EQ(print_inline(literal(std::int64_t{-1}, Scalar::uint32)), "4294967295u");
  EXPECT_EQ(print_inline(literal(std::numeric_limits<std::int64_t>::min(), Scalar::int64)),
            "(-9223372036854775807l - 1)");
  EXPECT_THROW(literal(1.0, Scalar::complex64), DTypeError);
}

TEST(TreeBuilders, EscapeStrings) {
  EXPECT_EQ(print_inline(string_literal("a \"b\"\n\\")), "\"a \\\"b\\\"\\n\\\\\"");
}

TEST(TreeBuilders, RememberTheLineThatCalled) {
  const auto here = Position::here();
  const auto made = statement("a()");
  EXPECT_EQ(made->made.line, here.line + 1);
  EXPECT_STREQ(made->made.file, here.file);
}

TEST(TreeBuilders, MakeFunctionsAndKernelsForEveryLanguage) {
  const auto twice =
      device_function(scalar(Scalar::float32, "twice"), {scalar(Scalar::float32, "x")},
                      block({return_(2 * var("x"))}));
  EXPECT_EQ(print(twice, Language::cuda_c),
            "static __device__ inline float twice(float x) {\n  return 2 * x;\n}\n");
  const auto kernel =
      kernel_function("k", {}, block({declare(local(array(value("int", "x"), 64)))}), 64);
  EXPECT_EQ(print(kernel, Language::opencl_c),
            "__kernel void __attribute__((reqd_work_group_size(64, 1, 1))) k() {\n"
            "  __local int x[64];\n}\n");
}

TEST(TreeBuilders, SpellMemoryAsEachLanguageDoes) {
  const auto table = initialize_array(constant_table(array(value("int", "t"))), {1, 2});
  const auto loop =
      kernel_function("k", {local_pointer(value("int", "x")), restrict_pointer(value("int", "y"))},
                      block({while_loop("1", block({if_then("x", continue_()), break_()}))}));
  const std::string body = "  while (1) {\n    if (x)\n      continue;\n    break;\n  }\n}\n";
  EXPECT_EQ(print(collection({table, loop}), Language::cuda_c),
            "__constant__ const int t[] = {1, 2};\n"
            "extern \"C\" __global__ void k(int *x, int *__restrict__ y) {\n" +
                body);
  EXPECT_EQ(print(collection({table, loop}), Language::opencl_c),
            "__constant int t[] = {1, 2};\n"
            "__kernel void k(__local int *x, int *restrict y) {\n" +
                body);
}

TEST(TreeBuilders, TakeTextWhereverANodeMayStand) {
  EXPECT_EQ(print(block({"already(written);", if_then("a", "return;")})),
            "{\n  already(written);\n  if (a)\n    return;\n}\n");
}

}  // namespace
}  // namespace treadle::codegen::tree

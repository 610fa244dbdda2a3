// SPDX-License-Identifier: MIT
#include "treadle/codegen/product.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "golden.hpp"
#include "treadle/base/error.hpp"

namespace treadle::codegen {
namespace {

using testing::HasSubstr;
using testing::Not;

/// tanh of the sum with a row, and the product itself.
ProductEpilogue activation(Scalar dtype) {
  ExpressionBuilder builder;
  const Value product = builder.leaf(dtype), row = builder.leaf(dtype);
  builder.output(builder.step(Op::tanh, dtype, {builder.step(Op::add, dtype, {product, row})}));
  builder.output(product);
  return {builder.build(), {true, false, true}};
}

TEST(ProductText, GoldenTexts) {
  const std::pair<std::string, ProductForm> forms[] = {
      {"float32", {.dtype = Scalar::float32, .side = 4}},
      {"float16", {.dtype = Scalar::float16, .side = 8, .x_along_k = false, .y_along_k = true}},
      {"activation_float32",
       {.dtype = Scalar::float32, .side = 4, .epilogue = activation(Scalar::float32)}}};
  for (const auto& [name, form] : forms)
    for (const Schedule schedule : {Schedule::wide, Schedule::narrow})
      for (const Language language : {Language::cuda_c, Language::opencl_c})
        expect_golden("product",
                      name + "_" + std::string(schedule_name(schedule)) +
                          (language == Language::cuda_c ? ".cu" : ".cl"),
                      generate_product(form, tiling_of(schedule), dialect_of(language)));
}

TEST(ProductText, SmallMatricesAreCutIntoSmallBlocks) {
  const Tiling& wide = tiling_of(Schedule::wide);
  EXPECT_EQ(product_side(Scalar::float32, wide, 4096, 4096, 132), 8u);
  EXPECT_EQ(product_side(Scalar::float64, wide, 4096, 4096, 132), 4u);
  EXPECT_EQ(product_side(Scalar::float32, wide, 100, 100, 132), 2u);
  EXPECT_EQ(product_side(Scalar::float32, tiling_of(Schedule::narrow), 1, 1, 132), 4u);
  Tiling stretched = wide;
  stretched.product_stretch = 2;
  EXPECT_EQ(product_side(Scalar::float32, stretched, 1400, 1400, 132), 4u);
  EXPECT_EQ(product_side(Scalar::float32, wide, 1400, 1400, 121), 8u);
  const ProductText text = generate_product({.dtype = Scalar::float32, .side = 4}, stretched,
                                            dialect_of(Language::cuda_c));
  EXPECT_EQ(text.rows, 64u);
  EXPECT_EQ(text.columns, 128u);
}

TEST(ProductText, IntegersOfFewBitsAreAddedUpInMore) {
  const auto text = [](Scalar dtype) {
    return generate_product({.dtype = dtype, .side = 4}, tiling_of(Schedule::wide),
                            dialect_of(Language::cuda_c))
        .text;
  };
  EXPECT_THAT(text(Scalar::int8), HasSubstr("int sums[16]"));
  EXPECT_THAT(text(Scalar::float16), HasSubstr("float sums[16]"));
  EXPECT_THAT(text(Scalar::int8), Not(HasSubstr("fma(")));
  EXPECT_THROW(text(Scalar::structure), DTypeError);
}

}  // namespace
}  // namespace treadle::codegen

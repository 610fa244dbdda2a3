// SPDX-License-Identifier: MIT
#include "treadle/codegen/reduction.hpp"

#include <gtest/gtest.h>

#include "golden.hpp"
#include "treadle/base/error.hpp"

namespace treadle::codegen {
namespace {

using ReducedStrides = std::vector<std::int64_t>;

Expression one_leaf(Scalar dtype) {
  ExpressionBuilder build;
  build.output(build.leaf(dtype));
  return build.build();
}
ReductionExpression dot() {
  ExpressionBuilder build;
  const Value x = build.leaf(Scalar::float32);
  build.output(build.step(Op::multiply, Scalar::float32, {x, build.leaf(Scalar::float32)}));
  return reduction_of(Reduction::sum, build.build());
}
/// The root of sum(sqrt(a) * y), maximum(sqrt(a), y): a is one number, and each part has a sqrt.
ReductionExpression roots() {
  ExpressionBuilder map;
  const Value a = map.leaf(Scalar::float32), root = map.step(Op::sqrt, Scalar::float32, {a});
  const Value y = map.leaf(Scalar::float32);
  map.output(map.step(Op::multiply, Scalar::float32, {root, y}));
  map.output(map.step(Op::maximum, Scalar::float32, {root, y}));
  ExpressionBuilder epilogue;
  const Value sum = epilogue.leaf(Scalar::float32);
  epilogue.output(epilogue.step(Op::sqrt, Scalar::float32, {sum}));
  epilogue.output(epilogue.leaf(Scalar::float32));
  return {map.build(), {Fold::sum, Fold::maximum}, epilogue.build()};
}

/// A reduction and the layout it is lowered for, strides in elements.
struct ReductionExample {
  std::string name;
  ReductionExpression expression;
  ReducedStrides kept, folded;                 ///< extents
  std::vector<ReducedStrides> kept_strides;    ///< of each operand
  std::vector<ReducedStrides> folded_strides;  ///< of those of elements
};

std::vector<ReductionExample> reduction_examples() {
  const auto sum = reduction_of(Reduction::sum, one_leaf(Scalar::float32));
  return {
      {"full_small", sum, {}, {1000}, {{}, {}}, {{1}}},
      {"full_dot", dot(), {}, {1 << 24}, {{}, {}, {}}, {{1}, {1}}},
      {"full_roots", roots(), {}, {1000}, {{}, {}, {}, {}}, {{0}, {1}}},
      {"full_strided", sum, {}, {1000, 7}, {{}, {}}, {{20, 2}}},
      {"rows_mean",
       reduction_of(Reduction::mean, one_leaf(Scalar::int8)),
       {40, 50},
       {200},
       {{10000, 200}, {50, 1}},
       {{1}}},
      {"rows_pieces", sum, {3}, {500, 600}, {{700}, {1}}, {{2100, 1}}},
      {"columns", sum, {4096}, {4096}, {{1}, {1}}, {{4096}}},
      {"argmax",
       reduction_of(Reduction::argmax, one_leaf(Scalar::float64)),
       {},
       {100000},
       {{}, {}, {}},
       {{1}, {1}}},
      {"any_short_rows",
       reduction_of(Reduction::any, one_leaf(Scalar::boolean)),
       {5000},
       {6},
       {{6}, {1}},
       {{1}}},
  };
}

ReductionLowering lowered(const ReductionExample& example, Schedule schedule) {
  const auto operands = operands_of(example.expression);
  auto kept = example.kept_strides, folded = example.folded_strides;
  folded.resize(operands.size());
  std::vector<ReducedLayout> layouts;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    const std::size_t size = operands[k].is_memory() ? operands[k].dtype.size_bytes() : 0;
    for (auto* strides : {&kept[k], &folded[k]})
      for (std::int64_t& stride : *strides)
        stride *= static_cast<std::int64_t>(std::max<std::size_t>(1, size));
    layouts.push_back({kept[k], folded[k], size, 0, operands[k].is_of_elements()});
  }
  return lower_reduction(example.kept, example.folded, layouts,
                         target_of(example.expression, tiling_of(schedule), 132));
}

TEST(Reduction, GoldenTexts) {
  for (const ReductionExample& example : reduction_examples())
    for (const Schedule schedule : {Schedule::wide, Schedule::narrow})
      for (const Language language : {Language::cuda_c, Language::opencl_c}) {
        std::string name = example.name + "_";
        name += schedule_name(schedule);
        name += language == Language::cuda_c ? ".cu" : ".cl";
        const ReductionText text =
            generate_reduction(example.expression, lowered(example, schedule).loop,
                               tiling_of(schedule), dialect_of(language));
        expect_golden("reduction", name, text);
      }
}

TEST(Reduction, GoldenFolderHoldsNothingElse) {
  const auto folder = golden_folder("reduction");
  if (!folder) GTEST_SKIP() << "TREADLE_SOURCE_DIR does not name the source tree";
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(*folder))
    files += entry.path().filename().string().starts_with("snippet") ? 0 : 1;
  EXPECT_EQ(files, 4 * reduction_examples().size());
}

TEST(Reduction, GroupsShareResultsWhereThereAreTooFew) {
  const auto examples = reduction_examples();
  const auto of = [&](const std::string& name) {
    return lowered(*std::ranges::find(examples, name, &ReductionExample::name), Schedule::wide);
  };
  EXPECT_FALSE(of("full_small").loop.is_split);
  EXPECT_EQ(of("full_small").groups, 1u);
  EXPECT_TRUE(of("full_dot").loop.is_split);
  EXPECT_EQ(of("full_dot").groups, 132u * 8);
  EXPECT_TRUE(of("full_dot").loop.folded.has_vectors);
  EXPECT_TRUE(of("columns").loop.has_columns);
  EXPECT_EQ(of("columns").tiles, 4096u / 64);
  EXPECT_FALSE(of("rows_mean").loop.has_columns);
  EXPECT_EQ(of("any_short_rows").loop.depth_log2, 0);
}

TEST(Reduction, GroupsFoldRowsThatAllTheirWorkItemsReadTwice) {
  const auto depth = [](Reduction reduction, Scalar dtype, std::vector<std::int64_t> row) {
    const std::int64_t width = row.back();
    ReducedStrides along(row.size(), 1);
    if (row.size() > 1) along[0] = 2 * width;
    const ReductionExample example{
        "",          reduction_of(reduction, one_leaf(dtype)), {5000}, row, {{8192}, {1}, {1}},
        {along, {1}}};
    return 1u << lowered(example, Schedule::wide).loop.depth_log2;
  };
  EXPECT_EQ(depth(Reduction::sum, Scalar::float32, {2048}), 256u);
  EXPECT_EQ(depth(Reduction::maximum, Scalar::float64, {1024}), 256u);
  EXPECT_EQ(depth(Reduction::sum, Scalar::float32, {2047}), 32u);
  EXPECT_EQ(depth(Reduction::sum, Scalar::uint8, {4096}), 32u);
  EXPECT_EQ(depth(Reduction::sum, Scalar::float32, {16, 256}), 32u);
  EXPECT_EQ(depth(Reduction::argmax, Scalar::float32, {4096}), 32u);
}

TEST(Reduction, GroupsAreSmallerWhereNobodyKnowsHowManyAUnitHolds) {
  ExpressionBuilder build;
  build.output(build.step(Op::sin, Scalar::float32, {build.leaf(Scalar::float32)}));
  const ReductionExample example{
      "sines", reduction_of(Reduction::sum, build.build()), {}, {1 << 24}, {{}, {}}, {{1}}};
  EXPECT_EQ(lowered(example, Schedule::wide).groups, 132u * 24);
}

TEST(Reduction, DtypesAreThoseOfPromotion) {
  const auto sum = reduction_of(Reduction::sum, one_leaf(Scalar::float16));
  EXPECT_EQ(sum.folded_dtype(0), Scalar::float32);
  EXPECT_EQ(sum.epilogue.dtype_of(sum.epilogue.outputs[0]), DType(Scalar::float16));
  EXPECT_EQ(reduction_of(Reduction::argmin, one_leaf(Scalar::int8)).folded_dtype(0), Scalar::int64);
  EXPECT_EQ(bytes_of_partial(reduction_of(Reduction::argmin, one_leaf(Scalar::int8))), 16u);
  const auto kept = reduction_of(Reduction::sum, one_leaf(Scalar::int8),
                                 ReductionDtypes{Scalar::int8, Scalar::int8});
  EXPECT_EQ(kept.folded_dtype(0), Scalar::int8);
}

TEST(Reduction, RefusesWhatIsNoReduction) {
  EXPECT_THROW(reduction_of(Reduction::cumulative_sum, one_leaf(Scalar::int8)), InvalidArgument);
  EXPECT_THROW(reduction_of(Reduction::variance, one_leaf(Scalar::int8)), InvalidArgument);
  ReductionExpression sum = reduction_of(Reduction::sum, one_leaf(Scalar::float32));
  sum.require_valid();
  sum.folds.push_back(Fold::sum);
  EXPECT_THROW(sum.require_valid(), InvalidArgument);
  ReductionExpression bools{one_leaf(Scalar::boolean), {Fold::sum}, one_leaf(Scalar::boolean)};
  EXPECT_THROW(bools.require_valid(), DTypeError);
}

TEST(Reduction, KeysTellFoldsApart) {
  const auto key = [](Reduction reduction) {
    return reduction_of(reduction, one_leaf(Scalar::float32)).key();
  };
  EXPECT_EQ(key(Reduction::sum), key(Reduction::sum));
  EXPECT_NE(key(Reduction::sum), key(Reduction::product));
  EXPECT_NE(key(Reduction::minimum), key(Reduction::maximum));
}

}  // namespace
}  // namespace treadle::codegen

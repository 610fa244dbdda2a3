// SPDX-License-Identifier: MIT
#include "treadle/codegen/elementwise.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "golden.hpp"

namespace treadle::codegen {
namespace {

using Strides = std::vector<std::int64_t>;

/// An expression and the layout it is lowered for.
struct Example {
  std::string name;
  Expression expression;
  Strides extents;
  std::vector<Strides> strides;  ///< of the operands, in elements
  std::uint64_t address = 0;     ///< of them all
};

Expression built(const std::function<void(ExpressionBuilder&)>& describe) {
  ExpressionBuilder build;
  describe(build);
  return build.build();
}

/// z = s0 * x0 + s1 * x1
Expression combination() {
  return built([](ExpressionBuilder& b) {
    const auto product = [&] {
      const Value s = b.scalar(Scalar::float32);
      return b.step(Op::multiply, Scalar::float32, {s, b.leaf(Scalar::float32)});
    };
    const Value first = product();
    b.output(b.step(Op::add, Scalar::float32, {first, product()}));
  });
}
/// z0 = x + z0, in place; z1 = z0 < x of other dtypes
Expression in_place() {
  return built([](ExpressionBuilder& b) {
    const Value z = b.leaf(Scalar::float64, 0);
    const Value x = b.cast(b.leaf(Scalar::int8), Scalar::float64);
    b.output(b.step(Op::add, Scalar::float64, {z, x}));
    b.output(b.step(Op::less, Scalar::boolean, {z, x}));
  });
}
Expression counted() {
  return built([](ExpressionBuilder& b) {
    const Value position = b.cast(b.position(), Scalar::float32);
    b.output(b.step(Op::multiply, Scalar::float32, {position, b.scalar(Scalar::float32)}));
  });
}

/// z = x0[x1]
Expression gathered() {
  return built(
      [](ExpressionBuilder& b) { b.output(b.gather(Scalar::float32, b.leaf(Scalar::int64))); });
}
/// z[x0] = x1
Expression scattered() {
  return built([](ExpressionBuilder& b) {
    b.scatter(b.leaf(Scalar::int64));
    b.output(b.leaf(Scalar::float32));
  });
}

/// z = x, of records that NumPy names by their fields
Expression copied_records() {
  const DType record = DType::structure("[('a', '<i4'), ('b', '<f4')]",
                                        {{"a", Scalar::int32, 0}, {"b", Scalar::float32, 4}}, 8, 4);
  return built([&](ExpressionBuilder& b) { b.output(b.leaf(record)); });
}

std::vector<Example> examples() {
  return {
      {"linear", combination(), {5000}, {{1}, {1}, {1}}},
      {"linear_unaligned", combination(), {5000}, {{1}, {1}, {1}}, 4},
      {"linear_broadcast", combination(), {5000}, {{1}, {0}, {2}}},
      {"linear_in_place", in_place(), {5000}, {{1}, {1}, {1}}},
      {"linear_position", counted(), {5000}, {{1}, {1}}},
      {"linear_records", copied_records(), {5000}, {{1}, {1}}},
      {"rows", combination(), {30, 40, 200}, {{8000, 200, 1}, {0, 200, 1}, {1, 0, 0}}},
      {"strided", combination(), {30, 20, 4}, {{80, 4, 1}, {0, 20, 5}, {0, 0, 0}}},
      {"gather_rows", gathered(), {30, 200}, {{200, 1}, {1, 0}, {0, 1}}},
      {"scatter", scattered(), {30, 20}, {{0, 1}, {20, 1}, {20, 1}}},
      {"tiled", combination(), {3, 64, 65}, {{4160, 65, 1}, {4160, 1, 64}, {0, 1, 0}}},
  };
}

ElementwiseText text_for(const Example& example, Schedule schedule, Language language) {
  std::vector<OperandLayout> layouts;
  const auto operands = operands_of(example.expression);
  std::vector<Strides> strides = example.strides;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    const bool is_memory = operands[k].kind != KernelOperand::Kind::position;
    const std::size_t size = is_memory ? operands[k].dtype.size_bytes() : 0;
    if (is_memory)
      for (std::int64_t& stride : strides[k]) stride *= static_cast<std::int64_t>(size);
    layouts.push_back({strides[k], size, example.address, operands[k].is_indirect});
  }
  const Tiling& tiling = tiling_of(schedule);
  const Lowering space = lower(example.extents, layouts, example.expression.outputs.size(), tiling);
  return generate_elementwise(example.expression, space.loop, tiling, dialect_of(language));
}

TEST(Elementwise, GoldenTexts) {
  for (const Example& example : examples())
    for (const Schedule schedule : {Schedule::wide, Schedule::narrow})
      for (const Language language : {Language::cuda_c, Language::opencl_c}) {
        std::string name = example.name + "_";
        name += schedule_name(schedule);
        name += language == Language::cuda_c ? ".cu" : ".cl";
        expect_golden("elementwise", name, text_for(example, schedule, language));
      }
}

// Their accesses to neighbours go by variables, which are in another address space.
TEST(Elementwise, ComplexNumbersAreReadInPartsWhereTheyAreInGlobalMemory) {
  const auto doubled = built([](ExpressionBuilder& b) {
    const Value x = b.leaf(Scalar::complex64);
    b.output(b.step(Op::add, Scalar::complex64, {x, x}));
  });
  const Example example{"complex", doubled, {5000}, {{1}, {1}}};
  const std::string wide = text_for(example, Schedule::wide, Language::opencl_c).text,
                    narrow = text_for(example, Schedule::narrow, Language::opencl_c).text;
  EXPECT_EQ(wide.find("treadle_read_complex64"), std::string::npos);
  EXPECT_EQ(wide.find("treadle_write_complex64"), std::string::npos);
  EXPECT_NE(narrow.find("treadle_read_complex64(&x[i])"), std::string::npos);
  EXPECT_NE(narrow.find("treadle_write_complex64(&z[i]"), std::string::npos);
}

TEST(Elementwise, GoldenFolderHoldsNothingElse) {
  const auto folder = golden_folder("elementwise");
  if (!folder) GTEST_SKIP() << "TREADLE_SOURCE_DIR does not name the source tree";
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(*folder))
    files += entry.path().filename().string().starts_with("snippet") ? 0 : 1;
  EXPECT_EQ(files, 4 * examples().size());
}

TEST(Elementwise, NamesSpellTheirOperationsUpToALength) {
  const auto name = [](const Expression& expression) {
    return text_for({"", expression, {10}, {{1}, {1}, {1}}}, Schedule::wide, Language::cuda_c).name;
  };
  EXPECT_EQ(name(combination()), "fused_multiply_multiply_add_f32");
  EXPECT_EQ(name(counted()), "fused_cast_multiply_f32");
  EXPECT_EQ(name(built([](auto& b) { b.output(b.leaf(Scalar::uint8)); })), "copy_u8");
  const std::string longest = name(built([](ExpressionBuilder& b) {
    Value x = b.leaf(Scalar::int64);
    for (int i = 0; i < 30; ++i)
      x = b.step(Op::bitwise_xor, Scalar::int64, {x, b.step(Op::add, Scalar::int64, {x, x})});
    b.output(x);
  }));
  EXPECT_LT(longest.size(), 120u);
  EXPECT_NE(longest.find("_more_i64"), std::string::npos) << longest;
}

TEST(Elementwise, OperandsAreOutputsThenLeavesThenThePosition) {
  const Expression expression = built([](ExpressionBuilder& b) {
    const Value z = b.leaf(Scalar::int64, 0), x = b.leaf(Scalar::int64);
    b.output(
        b.step(Op::add, Scalar::int64, {z, b.step(Op::add, Scalar::int64, {x, b.position()})}));
  });
  const auto operands = operands_of(expression);
  ASSERT_EQ(operands.size(), 3u);
  EXPECT_EQ(operands[0].kind, KernelOperand::Kind::output);
  EXPECT_EQ(operands[1].kind, KernelOperand::Kind::leaf);
  EXPECT_EQ(operands[1].index, 1) << "the first leaf is in place";
  EXPECT_EQ(operands[2].kind, KernelOperand::Kind::position);
}

TEST(Elementwise, OnlyFreshOutputsArePromisedToOverlapNothing) {
  const auto text = [](const Expression& expression) {
    return text_for({"", expression, {10}, {{1}, {1}, {1}}}, Schedule::wide, Language::opencl_c)
        .text;
  };
  EXPECT_NE(text(combination()).find("*restrict z,"), std::string::npos);
  EXPECT_EQ(text(in_place()).find("*restrict z0,"), std::string::npos);
  EXPECT_NE(text(in_place()).find("*restrict z1,"), std::string::npos);
}

TEST(Elementwise, OpenClTakesOffsetsForItHasNoAddresses) {
  using Role = ElementwiseParameter::Role;
  const auto offsets = [](Language language) {
    const auto text =
        text_for({"", combination(), {10}, {{1}, {1}, {1}}}, Schedule::wide, language);
    return std::ranges::count_if(text.parameters, [](const ElementwiseParameter& parameter) {
      return parameter.role == Role::output_offset || parameter.role == Role::leaf_offset;
    });
  };
  EXPECT_EQ(offsets(Language::cuda_c), 0);
  EXPECT_EQ(offsets(Language::opencl_c), 3);
}

}  // namespace
}  // namespace treadle::codegen

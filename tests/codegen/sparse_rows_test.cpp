// SPDX-License-Identifier: MIT
#include "treadle/codegen/sparse_rows.hpp"

#include <gtest/gtest.h>

#include "golden.hpp"
#include "treadle/base/error.hpp"
#include "treadle/codegen/signature.hpp"
#include "treadle/codegen/snippet.hpp"

namespace treadle::codegen {
namespace {

const Dialect& cuda() { return dialect_of(Language::cuda_c); }

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(SparseRows, EachLayoutHasItsArguments) {
  EXPECT_TRUE(has(generate_sparse_rows({}, cuda()).arguments,
                  "*data, const int *columns, const "
                  "long *starts"));
  EXPECT_TRUE(has(generate_sparse_rows({.layout = SparseLayout::diagonals}, cuda()).arguments,
                  "*data, const long *shifts, const double *x"));
  const SparseRowsText stencil = generate_sparse_rows({.layout = SparseLayout::stencil}, cuda());
  EXPECT_EQ(stencil.arguments.find("const double *x"), 0u);
}

TEST(SparseRows, AStencilHasItsNumbersInTheText) {
  const double values[] = {-1, 2.5};
  SparseForm form{.layout = SparseLayout::stencil, .shifts = {-3, 7}};
  const auto* const bytes = reinterpret_cast<const std::byte*>(values);
  form.values.assign(bytes, bytes + sizeof values);
  const std::string text = generate_sparse_rows(form, cuda()).operation;
  for (const char* part : {"row - 3", "row + 7", "-1.0", "2.5"}) EXPECT_TRUE(has(text, part));
  form.has_bits = true;
  form.column_dtype = Scalar::uint8;
  EXPECT_TRUE(has(generate_sparse_rows(form, cuda()).operation, "there >> 1"));
}

TEST(SparseRows, HalvesAreAddedAsFloats) {
  const SparseForm form{.stored = Scalar::float16, .dtype = Scalar::float16};
  const SparseRowsText made = generate_sparse_rows(form, cuda());
  EXPECT_TRUE(has(made.operation, "float sum"));
  EXPECT_TRUE(has(made.operation, "treadle_float_to_half"));
  EXPECT_TRUE(has(made.arguments, "const unsigned short *data"));
}

/// The text as an elementwise kernel, with what is told of one for every layout.
SnippetText kernel_of(const SparseForm& form, const Tiling& tiling, const Dialect& dialect) {
  const SparseRowsText made = generate_sparse_rows(form, dialect);
  TypeNames types(dialect);
  return generate_elementwise(
      {.parameters = parse_parameters(made.arguments, types,
                                      dialect.has_addresses ? Offsets::none : Offsets::passed),
       .operation = made.operation,
       .name = made.name,
       .preamble = made.preamble},
      tiling, dialect, types);
}

TEST(SparseRows, GoldenTexts) {
  each_golden([](const std::string& name, const Tiling& tiling, const Dialect& dialect) {
    const unsigned across = tiling.schedule == Schedule::wide ? 1 : 16;
    const auto check = [&](const char* what, SparseForm form) {
      expect_golden("sparse_rows", std::string(what) + "_" + name,
                    kernel_of(form, tiling, dialect).text);
    };
    check("rows", {.dtype = Scalar::float32, .across = across});
    check("columned", {.layout = SparseLayout::columned, .stored = Scalar::float16});
    check("sliced", {.layout = SparseLayout::sliced, .dtype = Scalar::float64, .side = 32});
    check("diagonals", {.layout = SparseLayout::diagonals, .shift_count = 2});
    check("blocks",
          {.layout = SparseLayout::blocks, .across = across, .side = 2, .side_across = 3});
    ExpressionBuilder step;  // b - number * product
    const Value product = step.leaf(Scalar::float64), b = step.leaf(Scalar::float64),
                scaled = step.step(Op::multiply, Scalar::float64,
                                   {step.scalar(Scalar::float64), product});
    step.output(step.step(Op::subtract, Scalar::float64, {b, scaled}));
    check("epilogue",
          {.layout = SparseLayout::columned, .epilogue = SparseEpilogue{step.build(), {false}}});
    SparseForm stencil{.layout = SparseLayout::stencil,
                       .column_dtype = Scalar::uint8,
                       .shifts = {-1, 0},
                       .has_bits = true};
    const double values[] = {-1, 2};
    const auto* const bytes = reinterpret_cast<const std::byte*>(values);
    stencil.values.assign(bytes, bytes + sizeof values);
    check("stencil", stencil);
  });
}

TEST(SparseRows, RefusesWhatHasNoSum) {
  EXPECT_THROW(generate_sparse_rows({.dtype = Scalar::boolean}, cuda()), DTypeError);
}

}  // namespace
}  // namespace treadle::codegen

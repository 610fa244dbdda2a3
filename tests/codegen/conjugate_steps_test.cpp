// SPDX-License-Identifier: MIT
#include "treadle/codegen/conjugate_steps.hpp"

#include <gtest/gtest.h>

#include "golden.hpp"
#include "treadle/base/error.hpp"

namespace treadle::codegen {
namespace {

TEST(ConjugateSteps, GoldenTexts) {
  each_golden([](const std::string& name, const Tiling& tiling, const Dialect& dialect) {
    const auto check = [&](const char* what, const ConjugateForm& form) {
      expect_golden("conjugate_steps", std::string(what) + "_" + name,
                    generate_conjugate_steps(form, tiling, tiling.group_size, dialect));
    };
    check("one_group", {.has_factor = true, .parts = ConjugateParts::one_group});
    check("three_kernels", {.matrix = {.dtype = Scalar::float32}});
    if (tiling.schedule == Schedule::narrow) return;
    check("kept_rows", {.has_factor = true, .parts = ConjugateParts::one_group, .rows_each = 2});
    check("several_groups", {.matrix = {.layout = SparseLayout::diagonals, .shift_count = 2},
                             .parts = ConjugateParts::several_groups});
  });
}

TEST(ConjugateSteps, RefusesWhatIsNoReal) {
  EXPECT_THROW(
      generate_conjugate_steps({.matrix = {.dtype = Scalar::complex64}}, tiling_of(Schedule::wide),
                               256, dialect_of(Language::cuda_c)),
      DTypeError);
}

}  // namespace
}  // namespace treadle::codegen

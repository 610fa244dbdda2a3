// SPDX-License-Identifier: MIT
#include "treadle/codegen/ranks.hpp"

#include <gtest/gtest.h>

#include "golden.hpp"

namespace treadle::codegen {
namespace {

TEST(Ranks, GoldenTexts) {
  each_golden([](const std::string& name, const Tiling& tiling, const Dialect& dialect) {
    expect_golden("ranks", name, generate_ranks(Scalar::float32, tiling, dialect));
  });
}

}  // namespace
}  // namespace treadle::codegen

// SPDX-License-Identifier: MIT
#include "treadle/codegen/top_k.hpp"

#include <gtest/gtest.h>

#include "golden.hpp"

namespace treadle::codegen {
namespace {

TEST(TopK, GoldenTexts) {
  each_golden([](const std::string& name, const Tiling& tiling, const Dialect& dialect) {
    expect_golden("top_k", name, generate_top_k({Scalar::int64, false, 256}, tiling, dialect));
    expect_golden("top_k", "places_" + name,
                  generate_top_k({Scalar::float16, true, 256}, tiling, dialect));
  });
}

}  // namespace
}  // namespace treadle::codegen

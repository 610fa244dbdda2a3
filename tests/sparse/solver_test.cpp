// SPDX-License-Identifier: MIT
#include "treadle/sparse/solver.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string_view>

namespace treadle::sparse {
namespace {

TEST(SolverEnd, HasASentenceEach) {
  std::set<std::string_view> texts;
  for (int k = 0; k <= static_cast<int>(SolverEnd::least_squares); ++k)
    texts.insert(text_of(static_cast<SolverEnd>(k)));
  EXPECT_EQ(texts.size(), 7u);
  EXPECT_FALSE(texts.contains(""));
}

}  // namespace
}  // namespace treadle::sparse

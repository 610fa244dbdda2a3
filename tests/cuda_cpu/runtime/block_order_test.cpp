// SPDX-License-Identifier: MIT
#include "cuda_cpu/runtime/block_order.hpp"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <vector>

namespace treadle::cuda_cpu {
namespace {

using Index = std::array<std::uint32_t, 3>;

std::vector<Index> order_of(const Index& grid, std::uint32_t rows) {
  std::vector<Index> places;
  BlockOrder order(grid, rows);
  Index at{};
  order.locate(0, at.data());
  for (std::uint64_t n = std::uint64_t{grid[0]} * grid[1] * grid[2]; n > 0; --n) {
    places.push_back(at);
    if (n > 1) order.advance(at.data());
  }
  return places;
}

TEST(BlockOrder, OneRowGoesAlongXThenYThenZ) {
  const std::vector<Index> expected{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0},
                                    {0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}};
  EXPECT_EQ(order_of({2, 2, 2}, 1), expected);
}

TEST(BlockOrder, AStripGoesColumnByColumnAndTheLastStripMayBeLower) {
  const std::vector<Index> expected{{0, 0, 0}, {0, 1, 0}, {1, 0, 0},
                                    {1, 1, 0}, {0, 2, 0}, {1, 2, 0}};
  EXPECT_EQ(order_of({2, 3, 1}, 2), expected);
}

TEST(BlockOrder, EveryBlockComesOnceAndChunksBeginWhereTheyShould) {
  for (const Index& grid : {Index{1, 1, 1}, {5, 1, 1}, {1, 9, 1}, {3, 17, 2}, {7, 8, 3}, {2, 1, 4}})
    for (const std::uint32_t rows : {1u, 2u, 8u, 100u}) {
      const std::vector<Index> places = order_of(grid, rows);
      EXPECT_EQ(std::set<Index>(places.begin(), places.end()).size(), places.size());
      BlockOrder order(grid, rows);
      for (std::size_t number = 0; number < places.size(); ++number) {
        Index at{};
        order.locate(number, at.data());
        EXPECT_EQ(at, places[number]) << "number " << number << ", rows " << rows;
        EXPECT_TRUE(at[0] < grid[0] && at[1] < grid[1] && at[2] < grid[2]);
      }
    }
}

TEST(BlockOrder, GridsAsLargeAsCudaHasThem) {
  const Index grid{(1u << 31) - 1, 65535, 1};
  BlockOrder order(grid, 8);
  Index at{};
  order.locate(std::uint64_t{grid[0]} * grid[1] - 1, at.data());
  EXPECT_EQ(at, (Index{grid[0] - 1, grid[1] - 1, 0}));
}

}  // namespace
}  // namespace treadle::cuda_cpu

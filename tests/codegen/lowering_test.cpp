// SPDX-License-Identifier: MIT
#include "treadle/codegen/lowering.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <random>

#include "treadle/base/error.hpp"

namespace treadle::codegen {
namespace {

using Extents = std::vector<std::int64_t>;

/// An operand in memory of its own, which begins at a multiple of 16.
struct Operand {
  Extents strides;  ///< in elements
  std::size_t size_bytes = 4;
  std::uint64_t address = 0;
};

Extents contiguous(const Extents& extents) {
  Extents strides(extents.size());
  std::int64_t step = 1;
  for (std::size_t axis = extents.size(); axis-- > 0; step *= extents[axis]) strides[axis] = step;
  return strides;
}

Lowering lowered(const Extents& extents, const std::vector<Operand>& operands,
                 Schedule schedule = Schedule::wide, std::size_t outputs = 1) {
  std::vector<OperandLayout> layouts;
  std::vector<Extents> strides;
  strides.reserve(operands.size());
  for (const Operand& operand : operands) {
    strides.push_back(operand.strides);
    if (operand.size_bytes > 0)
      for (std::int64_t& stride : strides.back())
        stride *= static_cast<std::int64_t>(operand.size_bytes);
    layouts.push_back({strides.back(), operand.size_bytes, operand.address});
  }
  return lower(extents, layouts, outputs, tiling_of(schedule));
}

/// The places of all operands, for each element, by the place in the first one.
using Places = std::map<std::int64_t, Extents>;

void visit(const Extents& extents, std::size_t axis, Extents at,
           const std::function<std::int64_t(std::size_t, std::size_t)>& stride, Places& places) {
  if (axis == extents.size()) {
    EXPECT_TRUE(places.emplace(at[0], at).second) << "visited twice: " << at[0];
    return;
  }
  for (std::int64_t i = 0; i < extents[axis]; ++i) {
    visit(extents, axis + 1, at, stride, places);
    for (std::size_t k = 0; k < at.size(); ++k) at[k] += stride(k, axis);
  }
}

void expect_same_places(const Extents& extents, const std::vector<Operand>& operands,
                        Schedule schedule) {
  Places expected, got;
  visit(
      extents, 0, Extents(operands.size()),
      [&](std::size_t k, std::size_t axis) { return operands[k].strides[axis]; }, expected);
  const Lowering space = lowered(extents, operands, schedule);
  // One element may count as contiguous.
  visit(
      space.extents, 0, space.offsets,
      [&](std::size_t k, std::size_t axis) { return space.stride(k, axis); }, got);
  EXPECT_EQ(got, expected) << testing::PrintToString(extents);
}

TEST(Lowering, ContiguousOperandsOfAnyRankAreLinear) {
  for (const Extents& extents : std::vector<Extents>{{}, {1}, {5}, {2, 3}, {7, 1, 4}, {2, 3, 4, 5}})
    for (const Schedule schedule : {Schedule::wide, Schedule::narrow}) {
      const Operand operand{contiguous(extents)};
      const Lowering space = lowered(extents, {operand, operand}, schedule);
      EXPECT_EQ(space.loop.kind, SpaceKind::linear);
      EXPECT_EQ(space.loop.steps, (std::vector{Step::unit, Step::unit}));
      EXPECT_EQ(space.loop.has_vectors, schedule == Schedule::wide);
      EXPECT_EQ(space.groups, 1u);
    }
}

TEST(Lowering, AnyPermutationOfContiguousAxesIsLinear) {
  const Extents extents{3, 4, 5}, strides = contiguous(extents);
  Extents order{0, 1, 2};
  do {
    Extents permuted, permuted_strides;
    for (const auto axis : order) {
      permuted.push_back(extents[static_cast<std::size_t>(axis)]);
      permuted_strides.push_back(strides[static_cast<std::size_t>(axis)]);
    }
    const Lowering space = lowered(permuted, {{permuted_strides}, {permuted_strides}});
    EXPECT_EQ(space.loop.kind, SpaceKind::linear);
    EXPECT_EQ(space.extents, Extents{60});
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(Lowering, AxesThatRunBackwardsInEveryOperandAreTurned) {
  const Lowering both = lowered({10}, {{{-1}}, {{-1}}, {{0}}});
  EXPECT_EQ(both.loop.steps, (std::vector{Step::unit, Step::unit, Step::zero}));
  EXPECT_EQ(both.offsets, (Extents{-9, -9, 0}));
  const Lowering one = lowered({10}, {{{1}}, {{-1}}});
  EXPECT_EQ(one.loop.steps, (std::vector{Step::unit, Step::any}));
  EXPECT_EQ(one.offsets, (Extents{0, 0}));
}

TEST(Lowering, NamesTheClassOfEachOperand) {
  // A row and a column broadcast over a matrix.
  const Lowering rows = lowered({300, 200}, {{{200, 1}}, {{0, 1}}, {{1, 0}}, {{400, 2}}});
  EXPECT_EQ(rows.loop.kind, SpaceKind::rows);
  EXPECT_EQ(rows.loop.outer_rank, 1);
  EXPECT_EQ(rows.loop.steps, (std::vector{Step::unit, Step::unit, Step::zero, Step::any}));
  EXPECT_FALSE(rows.loop.has_vectors);
  const Lowering strided = lowered({300, 20}, {{{20, 1}}, {{0, 1}}, {{0, 0}}});
  EXPECT_EQ(strided.loop.kind, SpaceKind::strided);
  EXPECT_EQ(strided.loop.steps, (std::vector{Step::any, Step::any, Step::zero}));
  EXPECT_EQ(lowered({300, 20}, {{{20, 1}}, {{0, 1}}}, Schedule::narrow).loop.kind, SpaceKind::rows);
  const Lowering tiled =
      lowered({4, 300, 200}, {{{60000, 200, 1}}, {{60000, 1, 300}}, {{0, 0, 1}}});
  EXPECT_EQ(tiled.loop.kind, SpaceKind::tiled);
  EXPECT_EQ(tiled.loop.outer_rank, 1);
  EXPECT_EQ(tiled.loop.steps, (std::vector{Step::unit, Step::crossed, Step::unit}));
  EXPECT_EQ(tiled.groups, 4u * 10 * 7);
}

TEST(Lowering, TheTilesOtherAxisStandsBesideTheInnermost) {
  const Lowering space = lowered({40, 3, 50}, {{{150, 50, 1}}, {{1, 2500, 40}}});
  EXPECT_EQ(space.loop.kind, SpaceKind::tiled);
  EXPECT_EQ(space.extents, (Extents{3, 40, 50}));
  EXPECT_EQ(space.strides, (Extents{50, 2500, 150, 1, 1, 40}));
}

TEST(Lowering, ShortRowsOfTheNarrowScheduleAreTakenAcross) {
  // Of each element twice, and of points less a point.
  const Lowering twice = lowered({5000, 2}, {{{2, 1}}, {{1, 0}}}, Schedule::narrow);
  EXPECT_EQ(twice.loop.kind, SpaceKind::tiled);
  EXPECT_EQ(twice.extents, (Extents{2, 5000}));
  EXPECT_EQ(twice.strides, (Extents{1, 0, 2, 1}));
  EXPECT_EQ(twice.loop.steps, (std::vector{Step::any, Step::unit}));
  EXPECT_EQ(twice.pieces, 10u);
  const Lowering points =
      lowered({4, 500, 3}, {{{1500, 3, 1}}, {{1500, 3, 1}}, {{0, 0, 1}}}, Schedule::narrow);
  EXPECT_EQ(points.loop.kind, SpaceKind::tiled);
  EXPECT_EQ(points.extents, (Extents{3, 2000}));
  EXPECT_EQ(lowered({5000, 2}, {{{2, 1}}, {{1, 0}}}).loop.kind, SpaceKind::strided);
  EXPECT_EQ(lowered({31, 2}, {{{2, 1}}, {{1, 0}}}, Schedule::narrow).loop.kind, SpaceKind::rows);
  EXPECT_EQ(lowered({500, 5}, {{{5, 1}}, {{1, 0}}}, Schedule::narrow).loop.kind, SpaceKind::rows);
}

TEST(Lowering, NarrowSidesAreNotTiled) {
  EXPECT_EQ(lowered({31, 300}, {{{300, 1}}, {{1, 31}}}).loop.kind, SpaceKind::rows);
  EXPECT_EQ(lowered({300, 31}, {{{31, 1}}, {{1, 300}}}).loop.kind, SpaceKind::strided);
}

TEST(Lowering, AsManyTilesAsLocalMemoryHolds) {
  const Operand output{{64, 1}, 16}, crossed{{1, 64}, 16};
  const std::vector<Operand> operands{output, crossed, crossed};
  EXPECT_EQ(lowered({64, 64}, operands).loop.steps,
            (std::vector{Step::unit, Step::crossed, Step::any}));
  EXPECT_EQ(lowered({64, 64}, operands, Schedule::narrow).loop.steps,
            (std::vector{Step::unit, Step::crossed, Step::crossed}));
  const Operand record{{1, 64}, 40};
  EXPECT_EQ(lowered({64, 64}, {{{64, 1}, 40}, record}).loop.kind, SpaceKind::strided);
}

TEST(Lowering, WorkItemsTake16BytesOfTheSmallestDtype) {
  const auto items = [](std::vector<std::size_t> sizes) {
    std::vector<Operand> operands;
    for (const std::size_t size : sizes) operands.push_back({{1}, size});
    return lowered({1000}, operands).loop;
  };
  EXPECT_EQ(items({4, 4, 4}).items, 4);
  EXPECT_EQ(items({1, 1}).items, 16);
  EXPECT_EQ(items({1, 8}).items, 8) << "at most 64 bytes of an operand";
  EXPECT_EQ(items({8, 1}).items, 2) << "one access stores them";
  EXPECT_EQ(items({8, 1}).rounds, 4);
  EXPECT_EQ(items({16, 16}).items, 1);
  EXPECT_EQ(items({4, 4}).rounds, 2);
  EXPECT_EQ(items({4, 4, 4}).rounds, 1);
  EXPECT_FALSE(items({12, 4}).has_vectors);
  EXPECT_EQ(items(std::vector<std::size_t>(13, 4)).items, 2) << "registers";
  EXPECT_TRUE(items({4, 0}).has_vectors) << "the position lies in no memory";
}

TEST(Lowering, VectorsNeedAlignedRowsInEveryOperand) {
  const auto has_vectors = [](const Extents& extents, const std::vector<Operand>& operands) {
    return lowered(extents, operands).loop.has_vectors;
  };
  EXPECT_TRUE(has_vectors({999}, {{{1}}, {{1}}}));
  EXPECT_FALSE(has_vectors({999}, {{{1}}, {{1}, 4, 4}}));
  EXPECT_TRUE(has_vectors({999}, {{{1}}, {{0}, 4, 4}})) << "a broadcast element is read as such";
  EXPECT_TRUE(has_vectors({10, 200}, {{{200, 1}}, {{400, 1}}}));
  EXPECT_FALSE(has_vectors({10, 200}, {{{200, 1}}, {{401, 1}}}));
  EXPECT_FALSE(has_vectors({200}, {{{-1}, 4, 0}, {{-1}, 4, 0}})) << "ends at -796";
  EXPECT_TRUE(has_vectors({200}, {{{-1}, 4, 796}, {{-1}, 4, 12}}));
}

TEST(Lowering, EmptySpacesLaunchNothing) {
  for (const Extents& extents : std::vector<Extents>{{0}, {3, 0}, {0, 5, 1}}) {
    const Lowering space = lowered(extents, {{Extents(extents.size(), 0)}});
    EXPECT_EQ(space.groups, 0u);
    EXPECT_EQ(space.count(), 0u);
  }
}

TEST(Lowering, RefusesOutputsThatAreWrittenTwiceAndOddStrides) {
  EXPECT_THROW(lowered({2, 3}, {{{0, 1}}}), InvalidArgument);
  EXPECT_NO_THROW(lowered({1, 3}, {{{0, 1}}}));
  EXPECT_THROW(lowered({-1}, {{{1}}}), InvalidArgument);
  const Extents extents{5}, odd{6};
  const OperandLayout layouts[] = {{odd, 4, 0}};
  EXPECT_THROW(lower(extents, layouts, 1, tiling_of(Schedule::wide)), InvalidArgument);
}

TEST(Lowering, LargeSpacesStayExact) {
  const std::int64_t n = std::int64_t{5} << 32;
  const Lowering linear = lowered({n}, {{{1}, 1}, {{0}, 1}});
  EXPECT_EQ(linear.count(), static_cast<std::uint64_t>(n));
  EXPECT_FALSE(linear.is_too_large);
  EXPECT_EQ(linear.groups * linear.piece, static_cast<std::uint64_t>(n));
  const Lowering rows = lowered({1 << 20, 1 << 20}, {{{1 << 20, 1}, 1}, {{0, 1}, 1}});
  EXPECT_EQ(rows.loop.kind, SpaceKind::rows);
  EXPECT_FALSE(rows.is_too_large);
  EXPECT_TRUE(lowered({1 << 30, 3}, {{{3, 1}, 1}, {{0, 1}, 1}}).is_too_large);
  EXPECT_FALSE(lowered({1 << 29, 3}, {{{3, 1}, 1}, {{0, 1}, 1}}).is_too_large);
  EXPECT_FALSE(lowered({1 << 30, 3}, {{{3, 1}, 1}, {{0, 1}, 1}}, Schedule::narrow).is_too_large);
}

TEST(Lowering, DividersGiveTheQuotient) {
  const auto expect_divides = [](std::uint32_t divisor, std::uint32_t dividend) {
    const std::uint64_t divider = dividing_by(divisor);
    const std::uint64_t high = (divider & 0xFFFFFFFF) * dividend >> 32;
    EXPECT_EQ((high + dividend) >> (divider >> 32), dividend / divisor)
        << dividend << " / " << divisor;
    EXPECT_LT(high + dividend, std::uint64_t{1} << 32);
  };
  std::mt19937 random(7);
  std::uniform_int_distribution<std::uint32_t> any_dividend(0, (1u << 31) - 1);
  std::vector<std::uint32_t> divisors(1000);
  std::iota(divisors.begin(), divisors.end(), 1u);
  for (std::uint32_t power = 1024; power < (1u << 31); power *= 2)
    for (const std::uint32_t near : {power - 1, power, power + 1}) divisors.push_back(near);
  divisors.push_back((1u << 31) - 1);
  divisors.push_back(1u << 31);
  for (const std::uint32_t divisor : divisors) {
    for (std::uint32_t factor = 0; factor < 4; ++factor)
      for (const int near : {-1, 0, 1}) {
        const std::int64_t dividend = std::int64_t{divisor} * factor + near;
        if (dividend >= 0 && dividend < std::int64_t{1} << 31)
          expect_divides(divisor, static_cast<std::uint32_t>(dividend));
      }
    expect_divides(divisor, (1u << 31) - 1);
    for (int i = 0; i < 20; ++i) expect_divides(divisor, any_dividend(random));
  }
}

/// Every view of a small base array by slices and permutations, and axes that are broadcast, as the
/// output and the inputs of one space.
TEST(Lowering, EveryElementKeepsItsPlaces) {
  std::mt19937 random(3);
  const auto pick = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
  };
  const auto view = [&](const Extents& extents, bool is_output) {
    std::vector<std::size_t> order(extents.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (pick(0, 1) == 1) std::ranges::shuffle(order, random);
    Extents strides(extents.size());
    std::int64_t step = pick(0, 3) == 0 ? 2 : 1;
    for (std::size_t i = order.size(); i-- > 0;) {
      const std::size_t axis = order[i];
      strides[axis] = pick(0, 4) == 0 ? -step : step;
      step *= extents[axis] + (pick(0, 3) == 0 ? 1 : 0);
      if (!is_output && pick(0, 3) == 0) strides[axis] = 0;
    }
    return Operand{strides, 4, 0};
  };
  std::map<SpaceKind, int> seen;
  for (int round = 0; round < 1500; ++round) {
    Extents extents(static_cast<std::size_t>(pick(1, 4)));
    for (std::size_t axis = 0; axis < extents.size(); ++axis)
      extents[axis] = axis < 2 && pick(0, 2) == 0 ? pick(32, 40) : pick(1, 4);
    std::ranges::shuffle(extents, random);
    const std::vector<Operand> operands{view(extents, true), view(extents, false),
                                        view(extents, false)};
    const auto schedule = round % 2 == 0 ? Schedule::wide : Schedule::narrow;
    const Lowering space = lowered(extents, operands, schedule);
    ++seen[space.loop.kind];
    const bool is_one_element = space.count() == 1;
    if (!is_one_element) expect_same_places(extents, operands, schedule);
    ASSERT_FALSE(testing::Test::HasFailure());
  }
  EXPECT_EQ(seen.size(), 4u) << "a class was never met";
}

TEST(Lowering, KeysHoldTheClassAndNoNumbers) {
  const auto key = [](const Lowering& space) {
    std::string bytes;
    space.loop.append_key(bytes);
    return bytes;
  };
  EXPECT_EQ(key(lowered({1000}, {{{1}}, {{1}}})), key(lowered({7, 9}, {{{9, 1}}, {{9, 1}}})));
  EXPECT_NE(key(lowered({1000}, {{{1}}, {{1}}})), key(lowered({1000}, {{{1}}, {{0}}})));
  EXPECT_EQ(key(lowered({30, 200}, {{{200, 1}}, {{0, 1}}})),
            key(lowered({40, 400}, {{{400, 1}}, {{0, 1}}})));
}

TEST(Lowering, EveryParameterHasItsValue) {
  const Lowering space = lowered({6, 5, 4}, {{{20, 4, 1}}, {{40, 8, 2}}, {{0, 0, 1}}});
  EXPECT_EQ(space.loop.kind, SpaceKind::strided);
  std::vector<std::uint64_t> values;
  for (const SpaceParameter& parameter : space_parameters(space.loop, Schedule::wide))
    values.push_back(space.value(parameter));
  EXPECT_EQ(values, (std::vector<std::uint64_t>{120, 4, dividing_by(4), 4, 1, 8, 2, 0, 1}));
}

}  // namespace
}  // namespace treadle::codegen

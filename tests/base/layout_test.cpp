// SPDX-License-Identifier: MIT
// tests/python/layout_test.py compares the views with NumPy's.
#include "treadle/base/layout.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>
#include <new>
#include <random>

#include "base/message_of.hpp"
#include "treadle/base/error.hpp"

namespace {
thread_local int allocations = 0;
}  // namespace

// For all tests of this program: they are counted. ThreadSanitizer has its own, which cannot be
// replaced.
#if !defined(__SANITIZE_THREAD__)
void* operator new(std::size_t size) {
  ++allocations;
  void* const block = std::malloc(size == 0 ? 1 : size);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}
void operator delete(void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { std::free(block); }
// Those of arrays would call these, but for AddressSanitizer.
void* operator new[](std::size_t size) { return operator new(size); }
void operator delete[](void* block) noexcept { std::free(block); }
void operator delete[](void* block, std::size_t) noexcept { std::free(block); }
#endif

namespace treadle {
namespace {

using Values = std::vector<std::int64_t>;

Layout floats(Values shape, MemoryOrder order = MemoryOrder::c) {
  return Layout::contiguous(shape, 4, order);
}
Values strides_of(const Layout& layout) {
  return {layout.strides().begin(), layout.strides().end()};
}

// Byte offsets of all elements in C order.
Values places(const Layout& layout) {
  Values all{layout.offset_bytes()};
  for (std::size_t axis = 0; axis < layout.shape().size(); ++axis) {
    Values next;
    for (const std::int64_t place : all)
      for (std::int64_t i = 0; i < layout.shape()[axis]; ++i)
        next.push_back(place + i * layout.strides()[axis]);
    all = next;
  }
  return all;
}

TEST(Layout, WithoutAxesIsOneElement) {
  const Layout scalar;
  EXPECT_EQ(scalar.rank(), 0);
  EXPECT_EQ(scalar.size(), 1);
  EXPECT_TRUE(scalar.is_contiguous(8));
  EXPECT_EQ(scalar.byte_range(8), (ByteRange{0, 8}));
}

TEST(Layout, OfManyAxesIsCopiedMovedAndCompared) {
  const Layout wide = floats({2, 1, 3, 1, 2, 2});
  Layout copy = wide;
  EXPECT_EQ(copy, wide);
  copy = copy.swapped(0, 2);
  EXPECT_NE(copy, wide);
  EXPECT_EQ(copy.swapped(0, 2), wide);
  Layout moved = std::move(copy);
  moved = floats({2});
  moved = wide;
  EXPECT_EQ(strides_of(moved), (Values{48, 48, 16, 16, 8, 4}));
  EXPECT_NE(floats({6}), floats({6, 1}));
}

TEST(Layout, OrdersOfContiguousMemory) {
  const Layout c = floats({2, 3}), fortran = floats({2, 3}, MemoryOrder::fortran);
  EXPECT_TRUE(c.is_contiguous(4));
  EXPECT_FALSE(c.is_contiguous(4, MemoryOrder::fortran));
  EXPECT_TRUE(fortran.is_contiguous(4, MemoryOrder::fortran));
  EXPECT_EQ(strides_of(fortran), (Values{4, 8}));
  EXPECT_TRUE(floats({0, 3}).transposed().is_contiguous(4));
  EXPECT_FALSE(c.sliced(1, 0, 2).is_contiguous(4));
}

TEST(Layout, WhatCannotBeAShapeIsRefused) {
  EXPECT_THROW(floats({3, -1}), ShapeError);
  EXPECT_THROW(floats({std::int64_t{1} << 40, std::int64_t{1} << 40}), ShapeError);
  EXPECT_THROW(floats(Values(65, 1)), ShapeError);
  EXPECT_EQ(floats(Values(64, 1)).size(), 1);
  EXPECT_THROW(Layout(Values{2}, Values{4, 4}), ShapeError);
  EXPECT_EQ(message_of([] { floats({2, 3}).broadcast_to(Values{4, 3}); }),
            "shapes (2, 3) and (4, 3) differ in axis 0");
  EXPECT_THROW(floats({2, 3}).broadcast_to(Values{3}), ShapeError);
}

TEST(Layout, BroadcastingNamesShapesAndAxis) {
  const Layout a = floats({3, 4}), b = floats({2, 1});
  const Layout* both[] = {&a, &b};
  EXPECT_EQ(message_of([&] { broadcast(both, 4); }),
            "shapes (2, 1) and (3, 4) could not be broadcast together in axis 0");
}

TEST(Layout, ResultsKeepTheOrderOfTheirOperands) {
  const Layout a = floats({3, 4, 5}).permuted(std::vector{2, 0, 1}), row = floats({4});
  const Layout* both[] = {&row, &a};
  EXPECT_EQ(strides_of(broadcast(both, 8)), (Values{8, 160, 40}));
  const Layout matrix = floats({3, 4});
  const Layout* lower_first[] = {&row, &matrix};
  EXPECT_EQ(broadcast(lower_first, 4), matrix);
  const Layout c = floats({2, 2}), f = floats({2, 2}, MemoryOrder::fortran);
  const Layout* mixed[] = {&f, &c};
  EXPECT_TRUE(broadcast(mixed, 4).is_contiguous(4));
}

TEST(Layout, IndexErrorsNameIndexAxisAndExtent) {
  const Layout a = floats({3, 5});
  EXPECT_EQ(message_of([&] { a.indexed(std::vector{Index::all(), Index::at(7)}); }),
            "index 7 is out of bounds for axis 1 of extent 5");
  EXPECT_EQ(message_of([&] { a.indexed(std::vector(3, Index::at(0))); }),
            "3 indices for the 2 axes of shape (3, 5)");
  EXPECT_THROW(a.indexed(std::vector(2, Index::ellipsis())), IndexError);
  EXPECT_THROW(a.indexed(std::vector{Index{.step = 0}}), InvalidArgument);
  EXPECT_THROW(a.flipped(2), IndexError);
  EXPECT_THROW(a.moved(0, -3), IndexError);
}

TEST(Layout, SlicesOfTheLargestNumbersAreThoseOfPython) {
  const Layout a = floats({5});
  constexpr auto largest = std::numeric_limits<std::int64_t>::max();
  constexpr auto smallest = std::numeric_limits<std::int64_t>::min();
  const auto sized = [&](Index index) { return a.indexed(std::vector{index}).size(); };
  EXPECT_EQ(sized({Index::Kind::slice, smallest, largest, 1}), 5);
  EXPECT_EQ(sized({Index::Kind::slice, {}, {}, smallest}), 1);
  EXPECT_EQ(sized({Index::Kind::slice, largest, smallest, -1}), 5);
  EXPECT_EQ(sized({Index::Kind::slice, 1, {}, largest}), 1);
}

TEST(Layout, AxesThatCannotChangeSoAreRefused) {
  const Layout a = floats({3, 5});
  EXPECT_THROW(a.squeezed(0), ShapeError);
  EXPECT_THROW(a.permuted(std::vector{0}), InvalidArgument);
  EXPECT_THROW(a.permuted(std::vector{0, 0}), InvalidArgument);
  EXPECT_THROW(a.diagonal(0, 1, 1), InvalidArgument);
  EXPECT_THROW(a.windows(0, 4), ShapeError);
  EXPECT_THROW(a.windows(0, 0), InvalidArgument);
  EXPECT_EQ(message_of([&] { a.reshaped(Values{4, -1}, 4); }),
            "shape (3, 5) of 15 elements cannot become (4, -1)");
  EXPECT_THROW(a.reshaped(Values{-1, -1}, 4), ShapeError);
  EXPECT_THROW(a.reshaped(Values{-2, 15}, 4), ShapeError);
  EXPECT_FALSE(a.transposed().reshaped(Values{15}, 4));
}

TEST(Layout, UpToFourAxesNothingIsAllocated) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "ThreadSanitizer's operator new is not replaced";
#endif
  const Values shape = {2, 3, 4, 5}, flat = {6, -1};
  const std::vector<Index> indices = {Index::at(1), Index::new_axis(), Index::ellipsis()};
  const int before = allocations;
  const Layout a = Layout::contiguous(shape, 4);
  const Layout b = a.indexed(indices).swapped(0, 0).broadcast_to(shape).flipped(2);
  const Layout* both[] = {&a, &b};
  const Layout result = broadcast(both, 8);
  const auto matrix = a.reshaped(flat, 4);
  const bool same = matrix->sliced(0, 0, 2) == result, repeats = b.may_repeat_elements(4);
  EXPECT_EQ(allocations, before);
  EXPECT_FALSE(same);
  EXPECT_TRUE(repeats);
  EXPECT_EQ(a.expanded(0).rank(), 5);
  EXPECT_GT(allocations, before);
}

TEST(Layout, RepeatedElementsAreKnown) {
  EXPECT_FALSE(floats({3, 5}).transposed().flipped(0).may_repeat_elements(4));
  EXPECT_TRUE(floats({1, 5}).broadcast_to(Values{2, 5}).may_repeat_elements(4));
  EXPECT_FALSE(floats({1, 5}).broadcast_to(Values{1, 5}).may_repeat_elements(4));
  EXPECT_TRUE(floats({9}).windows(0, 3).may_repeat_elements(4));
}

TEST(Layout, InterleavedAndNeighbouringPartsDoNotOverlap) {
  const Layout a = floats({1000, 1001});
  const auto part = [&](std::vector<Index> indices) { return a.indexed(indices); };
  const auto from = [](std::int64_t start, std::int64_t step) {
    return Index{Index::Kind::slice, start, {}, step};
  };
  const auto between = [](std::int64_t start, std::int64_t stop) {
    return Index{Index::Kind::slice, start, stop};
  };
  const auto meet = [&](const Layout& x, const Layout& y) { return overlap(x, 4, y, 4); };
  EXPECT_EQ(meet(part({from(0, 2)}), part({from(1, 2)})), Overlap::none);
  EXPECT_EQ(meet(part({Index::all(), from(0, 2)}), part({Index::all(), from(1, 2)})),
            Overlap::none);
  EXPECT_EQ(meet(part({Index::all(), between(0, 500)}), part({Index::all(), between(500, 1000)})),
            Overlap::none);
  EXPECT_EQ(meet(part({Index::all(), between(0, 501)}), part({Index::all(), between(500, 1000)})),
            Overlap::partial);
  EXPECT_EQ(meet(a, a), Overlap::same);
  EXPECT_EQ(meet(a, a.flipped(0)), Overlap::partial);
  const Layout line = floats({1 << 20});
  EXPECT_EQ(meet(line.indexed(std::vector{from(0, 2)}), line.indexed(std::vector{from(1, 4)})),
            Overlap::none);
}

TEST(Layout, SmallLayoutsOverlapAsCountingBytesSays) {
  std::mt19937 random(7);
  const auto among = [&](int low, int high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
  };
  std::map<Overlap, int> seen;
  for (int i = 0; i < 20000; ++i) {
    const auto some = [&] {
      Values shape, strides;
      for (std::int64_t rank = among(0, 3); rank > 0; --rank) {
        shape.push_back(among(i % 50 == 0 ? 0 : 1, 4));
        strides.push_back(among(-9, 9));
      }
      return Layout(shape, strides, among(-20, 20));
    };
    const Layout a = some(), b = i % 7 == 0 ? a : some();
    const auto a_bytes = static_cast<std::size_t>(among(1, 4));
    const auto b_bytes = i % 7 == 0 ? a_bytes : static_cast<std::size_t>(among(1, 4));
    bool touches = false;
    for (const std::int64_t x : places(a))
      for (const std::int64_t y : places(b))
        touches |= x < y + std::int64_t(b_bytes) && y < x + std::int64_t(a_bytes);
    const bool same = touches && a_bytes == b_bytes && a.same_shape(b) && places(a) == places(b);
    const Overlap expected = same ? Overlap::same : touches ? Overlap::partial : Overlap::none;
    ASSERT_EQ(overlap(a, a_bytes, b, b_bytes), expected) << i;
    ++seen[expected];
    Values sorted = places(a);
    std::ranges::sort(sorted);
    const bool repeats = std::ranges::adjacent_find(sorted, [&](auto x, auto y) {
                           return y - x < std::int64_t(a_bytes);
                         }) != sorted.end();
    if (repeats) {
      ASSERT_TRUE(a.may_repeat_elements(a_bytes)) << i;
    }
    if (a.size() > 0) {
      const auto [low, high] = std::ranges::minmax(std::as_const(sorted));
      ASSERT_EQ(a.byte_range(a_bytes), (ByteRange{low, high + std::int64_t(a_bytes)}));
    }
  }
  EXPECT_EQ(seen.size(), 3u);
}

}  // namespace
}  // namespace treadle

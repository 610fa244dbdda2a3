// SPDX-License-Identifier: MIT
// Elements chosen by arrays of indices.
#include "treadle/array/indexing.hpp"

#include <algorithm>
#include <string>

#include "array/each_array_device.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/elementwise.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/array/reduction.hpp"
#include "treadle/device/null.hpp"

namespace treadle::array {
namespace {

class IndexingTest : public OnEachArrayDevice {
 protected:
  Array matrix() { return reshape(make(count_up(12)), {3, 4}); }
  Array integers(const std::vector<std::int32_t>& values) { return Array::from(values, here()); }
  static Shape shape_of(const Array& x) { return {x.shape().begin(), x.shape().end()}; }
};
INSTANTIATE_TEST_SUITE_P(Devices, IndexingTest, each_device(), device_test_name);

TEST_P(IndexingTest, TakeIsPartOfAnExpression) {
  const device::StreamScope scope(shared_stream());
  const Array x = matrix(), taken = take(x, integers({2, -3, 1}), 0) * 2 + 1;
  EXPECT_TRUE(taken.is_pending());
  EXPECT_EQ(shape_of(taken), (Shape{3, 4}));
  expect(taken, {17, 19, 21, 23, 1, 3, 5, 7, 9, 11, 13, 15});
  expect(take(x, {3, 0}, 1), {3, 0, 7, 4, 11, 8});
  expect(take(transpose(x), {1, -1}), {4, 11});
  expect(take(flip(x), integers({0, 11})), {11, 0});
  EXPECT_EQ(shape_of(take(x, IndexArray({0, 1, 2, 0}, {2, 2}), 1)), (Shape{3, 2, 2}));
  const Array pending = make({1, 2}) + 1;
  expect(take(pending, integers({1, 0, 1})), {3, 2, 3});
}

TEST_P(IndexingTest, AReductionOfChosenElementsIsOneKernel) {
  const device::StreamScope scope(shared_stream());
  Array x = matrix(), rows = integers({2, -3, 1, 1});
  const Array y = make({1, 10, 100, 1000});
  const bool counts = info().runtime == "null";
  if (counts) clear_null_calls(*device());
  const Array total = sum(take(x, rows, 0) * y, {.axes = 1});
  expect(total, {12098, 3210, 7654, 7654});
  if (counts) {
    EXPECT_EQ(
        std::ranges::count_if(null_calls(*device()),
                              [](const std::string& call) { return call.starts_with("launch"); }),
        1);
  }
  expect(sum(take(x, rows, 0), {.axes = 0}), {16, 20, 24, 28});
  expect(max(take(x, integers({3, 0}), 1), {.axes = 1}) - 1, {2, 6, 10});
  expect(cast(argmin(take(flip(x), rows, 0), {.axes = 0}), Scalar::float32), {0, 0, 0, 0});
  expect(mean(at(x, std::vector<AnyIndex>{IndexArray({0, 2}), IndexArray({1, 3})}) + 1), {7});
  expect(sum(take(x, rows, 0), {.axes = 1}) * take(y, {0, 1, 1, 0}), {38, 60, 220, 22});
  // As they were when it was recorded.
  const Array before = sum(take(x, rows, 0)), after = sum(take(x, rows, 0), {.keeps_axes = true});
  x += 1;
  rows.assign(0);
  expect(before, {88});
  expect(reshape(after, {1}), {88});
  Array z = make({1, 2, 3});
  z.assign(sum(take(z, {0, 2}), {.keeps_axes = true}));
  expect(z, {4, 4, 4});
}

TEST_P(IndexingTest, IndicesOfTheHostAreChecked) {
  const Array x = matrix();
  EXPECT_THROW(take(x, {0, 3}, 0), IndexError);
  EXPECT_THROW(take(x, {-13}), IndexError);
  EXPECT_THROW(put(x, {12}, 1), IndexError);
  EXPECT_THROW(take(x, {0}, 2), IndexError);
  EXPECT_THROW(take(zeros({0}, Scalar::float32, here()), integers({0}), 0), IndexError);
  EXPECT_THROW(take(x, make({1})), DTypeError);
  EXPECT_THROW(IndexArray({1, 2}, {3}), ShapeError);
  const Array there = zeros({1}, Scalar::int64, {.stream = foreign()->default_stream()});
  EXPECT_THROW(take(x, there, 0), InvalidArgument);
  EXPECT_THROW(put(x, there, 0), InvalidArgument);
}

TEST_P(IndexingTest, IndicesOnTheDeviceReachNoOtherMemory) {
  const device::StreamScope scope(shared_stream());
  const Array x = make({1, 2, 3, 4, 5}).at({Index{.start = 1, .stop = 4}});
  const Array wild = integers({0, 3, -4, 1 << 30, -(1 << 30)});
  expect(take(x, wild), {2, 4, 2, 4, 2});
  expect(take(x, wild, Bounds::wrap), {2, 2, 4, 3, 4});
  expect(take(x, wild, Bounds::clip), {2, 4, 2, 4, 2});
  expect(take(x, {5, -1}, Bounds::clip), {4, 2});
  expect(take(x, {5, -1}, Bounds::wrap), {4, 4});
  put(x, wild, 9);
  expect(x, {9, 3, 4});
  put(flip(x), integers({0, 7, -9}), 8);
  expect(x, {9, 3, 8});
}

TEST_P(IndexingTest, ArraysOfIndicesAreBroadcastTogether) {
  const device::StreamScope scope(shared_stream());
  const Array x = reshape(make(count_up(24)), {2, 3, 4});
  const IndexArray rows{1, 0}, columns = integers({2, -1});
  const AnyIndex beside[] = {Index::all(), rows, columns}, apart[] = {rows, Index::all(), columns};
  expect(at(x, beside), {6, 3, 18, 15});
  EXPECT_EQ(shape_of(at(x, beside)), (Shape{2, 2}));
  expect(at(x, apart), {14, 18, 22, 3, 7, 11});
  const AnyIndex integer_apart[] = {Index::at(1), Index::ellipsis(), columns};
  EXPECT_EQ(shape_of(at(x, integer_apart)), (Shape{2, 3}));
  expect(at(x, integer_apart), {14, 18, 22, 15, 19, 23});
  const AnyIndex added[] = {Index::new_axis(), Index{.step = -1}, IndexArray({0, 2}, {2, 1})};
  EXPECT_EQ(shape_of(at(x, added)), (Shape{1, 2, 2, 1, 4}));
  const AnyIndex unequal[] = {rows, IndexArray{0, 1, 2}};
  EXPECT_THROW(at(x, unequal), ShapeError);
  const AnyIndex many[] = {rows, rows, rows, rows};
  EXPECT_THROW(at(x, many), IndexError);
}

TEST_P(IndexingTest, AssignmentByIndices) {
  const device::StreamScope scope(shared_stream());
  const Array x = matrix();
  const AnyIndex columns[] = {Index::all(), IndexArray{3, 0}};
  assign_at(x, columns, reshape(make({10, 20, 30}), {3, 1}));
  expect(x, {10, 1, 2, 10, 20, 5, 6, 20, 30, 9, 10, 30});
  const AnyIndex rows[] = {integers({2, 0})};
  assign_at(x, rows, take(x, {0, 2}, 0));  // what it reads is what it writes
  expect(x, {30, 9, 10, 30, 20, 5, 6, 20, 10, 1, 2, 10});
  EXPECT_THROW(assign_at(x, rows, make({1, 2})), ShapeError);
  EXPECT_THROW(assign_at(broadcast_to(make({1}), {3}), rows, 1), InvalidArgument);
}

TEST_P(IndexingTest, PutCountsInCOrderAndRepeatsValues) {
  const device::StreamScope scope(shared_stream());
  const Array x = matrix();
  put(x, {0, 5, -1}, make({100, 200}));
  expect(x, {100, 1, 2, 3, 4, 200, 6, 7, 8, 9, 10, 100});
  put(transpose(x), integers({1}), 7);
  EXPECT_EQ(x.at({Index::at(1), Index::at(0)}).size(), 1);
  expect(x.at({Index::at(1), Index::at(0)}), {7});
  EXPECT_THROW(put(x, {1}, make({})), InvalidArgument);
}

TEST_P(IndexingTest, AlongAnAxis) {
  const device::StreamScope scope(shared_stream());
  const Array x = matrix();
  const Array order = reshape(integers({3, 0, 1, 1, 2, -1}), {3, 2});
  expect(take_along_axis(x, order, 1), {3, 0, 5, 5, 10, 11});
  expect(take_along_axis(x, IndexArray({2}, {1, 1}), 0), {8, 9, 10, 11});
  put_along_axis(x, IndexArray({3, 2, 1}, {3, 1}), 0, -1);
  expect(x, {0, 1, 2, 0, 4, 5, 0, 7, 8, 0, 10, 11});
  EXPECT_THROW(take_along_axis(x, {0}, 0), ShapeError);
}

TEST_P(IndexingTest, RepeatByCounts) {
  const device::StreamScope scope(shared_stream());
  const std::vector<std::int64_t> counts{2, 0, 1};
  expect(repeat(make({5, 6, 7}), counts, 0), {5, 5, 7});
  EXPECT_THROW(repeat(make({5, 6}), counts, 0), InvalidArgument);
}

TEST_P(IndexingTest, BesideReductions) {
  const device::StreamScope scope(shared_stream());
  const Array x = make({1, 5, 3, 4});
  expect(sum(take(x, integers({1, 1, 0})) * 2), {22});
  expect(take(x, argmax(x)), {5});
  expect(sum(x) + take(x, integers({2})), {16});
  put(x, argmax(x), sum(x));
  expect(x, {1, 13, 3, 4});
}

TEST_P(IndexingTest, WhatIsGatheredIsReadBeforeItIsChanged) {
  const device::StreamScope scope(shared_stream());
  const Array x = make({1, 2, 3, 4});
  const Array before = take(x, integers({3, 2, 1, 0}));
  x.assign(take(x, integers({1, 1, 0, 0})) + x);
  expect(before, {4, 3, 2, 1});
  expect(x, {3, 4, 4, 5});
  // A mask and indices that count positions do so in their own shape.
  const Array rows = zeros({2, 3}, Scalar::float32, here());
  rows.assign_where(arange(0, 3, 1, Scalar::int64, here()) > 0, 1);
  expect(rows, {0, 1, 1, 0, 1, 1});
  expect(take(reshape(rows, {6}) + arange(0, 6, 1, Scalar::float32, here()),
              arange(5, 2, -1, Scalar::int64, here())),
         {6, 5, 3});
}

TEST_P(IndexingTest, PlacesAndBits) {
  if (!runs_kernels()) GTEST_SKIP() << "places are looked at";
  const device::StreamScope scope(shared_stream());
  // Devices keep the workspace of wide reductions.
  packbits(integers({1, 0, 0, 0, 0, 2, 0, 1, 1})).as<std::uint8_t>();
  memory::pool_of(*device()).free_held();
  note_live_memory();
  const Array places = integers({3, 11, 0, 7});
  const std::vector<Array> indices = unravel_index(places, {3, 4});
  expect(cast(indices[0], Scalar::float32), {0, 2, 0, 1});
  expect(cast(indices[1], Scalar::float32), {3, 3, 0, 3});
  expect(cast(ravel_multi_index(indices, {3, 4}), Scalar::float32), {3, 11, 0, 7});
  expect(cast(ravel_multi_index(indices, {3, 4}, Bounds::checked, MemoryOrder::fortran),
              Scalar::float32),
         {9, 11, 0, 10});
  EXPECT_THROW(ravel_multi_index(indices, {3}), ShapeError);
  EXPECT_THROW(unravel_index(make({1}), {3}), DTypeError);
  EXPECT_THROW(unravel_index(places, {11}), InvalidArgument);
  EXPECT_THROW(ravel_multi_index(indices, {3, 3}), InvalidArgument);
  const Array bits = integers({1, 0, 0, 0, 0, 2, 0, 1, 1});
  expect(cast(packbits(bits), Scalar::float32), {0x85, 0x80});
  expect(cast(packbits(bits, 0, BitOrder::little), Scalar::float32), {0xa1, 1});
  expect(cast(unpackbits(packbits(bits)).at({Index{.stop = 9}}), Scalar::float32),
         {1, 0, 0, 0, 0, 1, 0, 1, 1});
  EXPECT_THROW(packbits(make({1})), DTypeError);
  EXPECT_THROW(unpackbits(bits), DTypeError);
}

}  // namespace
}  // namespace treadle::array

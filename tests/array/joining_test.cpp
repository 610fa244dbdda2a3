// SPDX-License-Identifier: MIT
// Arrays put together from others.
#include "treadle/array/joining.hpp"

#include "array/each_array_device.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/manipulation.hpp"

namespace treadle::array {
namespace {

class JoiningTest : public OnEachArrayDevice {
 protected:
  Array matrix() { return reshape(make(count_up(6)), {2, 3}); }
};
INSTANTIATE_TEST_SUITE_P(Devices, JoiningTest, each_device(), device_test_name);

TEST_P(JoiningTest, ConcatenateJoinsInTheDtypeThatHoldsAll) {
  const device::StreamScope scope(shared_stream());
  const Array x = matrix(), parts[] = {x, transpose(reshape(make({7, 8}), {1, 2})) * 1};
  const Array joined = concatenate(parts, -1);
  EXPECT_EQ(joined.shape()[1], 4);
  expect(joined, {0, 1, 2, 7, 3, 4, 5, 8});
  const Array mixed[] = {Array::from(std::vector<std::int32_t>{1}, here()), make({2.5f})};
  EXPECT_EQ(concatenate(mixed).dtype(), DType(Scalar::float64));
  const Array none[] = {make({}), make({1}), make({})};
  expect(concatenate(none), {1});
}

TEST_P(JoiningTest, JoinedPartsMustFit) {
  const Array x = matrix(), y = make({1, 2});
  const Array there = ones({3}, Scalar::float32, {.stream = foreign()->default_stream()});
  const Array one_axis_less[] = {x, y}, other_device[] = {make({1}), there};
  EXPECT_THROW(concatenate(one_axis_less), ShapeError);
  EXPECT_THROW(stack(one_axis_less), ShapeError);
  EXPECT_THROW(concatenate(other_device), InvalidArgument);
  EXPECT_THROW(stack(std::span(&there, 0)), InvalidArgument);
  EXPECT_THROW(concatenate({}), InvalidArgument);
  EXPECT_THROW(concatenate(std::span(&x, 1), 2), IndexError);
}

TEST_P(JoiningTest, StackAddsAnAxis) {
  const device::StreamScope scope(shared_stream());
  const Array parts[] = {make({1, 2}), make({3, 4}) + 1};
  expect(stack(parts), {1, 2, 4, 5});
  expect(stack(parts, -1), {1, 4, 2, 5});
  const std::vector<Array> back = unstack(stack(parts, 1), 1);
  ASSERT_EQ(back.size(), 2u);
  expect(back[1], {4, 5});
}

TEST_P(JoiningTest, RollMovesElementsInACircle) {
  const device::StreamScope scope(shared_stream());
  const Array x = matrix();
  expect(roll(x, 1, 1), {2, 0, 1, 5, 3, 4});
  expect(roll(x, -1), {1, 2, 3, 4, 5, 0});
  expect(roll(x, std::vector<std::int64_t>{1, 7}, std::vector<int>{0, -1}), {5, 3, 4, 2, 0, 1});
  // An array of one axis, by any shift: on GPUs, one kernel that reads elsewhere.
  const Array row = make({1, 2, 3, 4, 5});
  for (std::int64_t shift = -11; shift <= 11; ++shift) {
    std::vector<float> expected{1, 2, 3, 4, 5};
    std::ranges::rotate(expected, expected.end() - (shift % 5 + 5) % 5);
    expect(roll(row, shift), expected);
    expect(roll(row, shift) * 2 - row, [&] {
      std::vector<float> made(5);
      for (std::size_t i = 0; i < 5; ++i) made[i] = expected[i] * 2 - static_cast<float>(i + 1);
      return made;
    }());
  }
  expect(roll(make({}), 3), {});
  EXPECT_THROW(roll(x, 1, 2), IndexError);
}

TEST_P(JoiningTest, RepeatAndTile) {
  const device::StreamScope scope(shared_stream());
  const Array x = reshape(make({1, 2}), {1, 2});
  expect(repeat(x, 2, 1), {1, 1, 2, 2});
  expect(repeat(x, 2, 0), {1, 2, 1, 2});
  EXPECT_EQ(repeat(x, 0, 0).size(), 0);
  const Array tiled = tile(x, std::vector<std::int64_t>{2, 1, 2});
  EXPECT_EQ(Shape(tiled.shape().begin(), tiled.shape().end()), (Shape{2, 1, 4}));
  expect(tiled, {1, 2, 1, 2, 1, 2, 1, 2});
  EXPECT_THROW(repeat(x, -1, 0), InvalidArgument);
}

TEST_P(JoiningTest, PartsAreViews) {
  const device::StreamScope scope(shared_stream());
  const Array x = make(count_up(5));
  const std::vector<Array> parts = array_split(x, 2);
  parts[0].assign(7);
  expect(x, {7, 7, 7, 3, 4});
  expect(parts[1], {3, 4});
  EXPECT_EQ(split(x, std::vector<std::int64_t>{1, 1}).size(), 3u);
  EXPECT_THROW(array_split(x, 0), InvalidArgument);
  const Array coordinates[] = {make({1, 2}), make({5, 6, 7})};
  const std::vector<Array> grid = meshgrid(coordinates);
  expect(grid[0] + grid[1], {6, 7, 8, 7, 8, 9});
  EXPECT_EQ(broadcast_arrays(grid)[1].shape()[0], 2);
  const std::vector<Array> cartesian = meshgrid(coordinates, {.is_cartesian = true});
  expect(cartesian[0] + 10 * cartesian[1], {51, 52, 61, 62, 71, 72});
  const std::vector<Array> sparse =
      meshgrid(coordinates, {.is_cartesian = true, .is_sparse = true});
  EXPECT_EQ(sparse[0].size(), 2);
  expect(sparse[0] + 10 * sparse[1], {51, 52, 61, 62, 71, 72});
}

TEST_P(JoiningTest, StacksByNumpysNames) {
  const device::StreamScope scope(shared_stream());
  const Array rows[] = {make({1, 2}), make({3, 4})};
  expect(hstack(rows), {1, 2, 3, 4});
  expect(vstack(rows), {1, 2, 3, 4});
  EXPECT_EQ(vstack(rows).rank(), 2);
  expect(dstack(rows), {1, 3, 2, 4});
  expect(column_stack(rows), {1, 3, 2, 4});
  const Array squares[] = {vstack(rows), vstack(rows)};
  expect(hstack(squares), {1, 2, 1, 2, 3, 4, 3, 4});
  expect(append(squares[0], rows[0]), {1, 2, 3, 4, 1, 2});
  expect(append(squares[0], squares[1], 1), {1, 2, 1, 2, 3, 4, 3, 4});
  expect(hsplit(squares[0], 2)[1], {2, 4});
  expect(vsplit(squares[0], 2)[1], {3, 4});
  EXPECT_THROW(dsplit(squares[0], 2), ShapeError);
  EXPECT_THROW(hsplit(make({1, 2, 3}), 2), ShapeError);
}

TEST_P(JoiningTest, PutsElementsInAndTakesThemOut) {
  const device::StreamScope scope(shared_stream());
  const Array x = reshape(make({1, 2, 3, 4, 5, 6}), {2, 3});
  expect(insert(x, std::vector<std::int64_t>{1, -3}, make({8, 9}), 1),
         {9, 1, 8, 2, 3, 9, 4, 8, 5, 6});
  expect(insert(x, std::vector<std::int64_t>{2}, make({7}), 0), {1, 2, 3, 4, 5, 6, 7, 7, 7});
  expect(erase(x, std::vector<std::int64_t>{-1, 0, 2}, 1), {2, 5});
  expect(erase(x, {}, 0), {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(erase(x, std::vector<std::int64_t>{0, 1}, 0).shape()[0], 0);
  expect(resize(x, {2, 4}), {1, 2, 3, 4, 5, 6, 1, 2});
  expect(resize(x, {2}), {1, 2});
  EXPECT_THROW(insert(x, std::vector<std::int64_t>{4}, make({7}), 1), IndexError);
  EXPECT_THROW(insert(x, std::vector<std::int64_t>{0}, make({7, 8}), 0), ShapeError);
  EXPECT_THROW(erase(x, std::vector<std::int64_t>{2}, 0), IndexError);
  expect(resize(make({}), {2}), {0, 0});
  EXPECT_THROW(resize(x, {-1}), ShapeError);
  EXPECT_FALSE(may_share_memory(resize(x, {2, 3}), x));
}

}  // namespace
}  // namespace treadle::array

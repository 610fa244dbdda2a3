// SPDX-License-Identifier: MIT
// Lines as programs write them: short calls, braced lists, elements, and arrays as conditions.
#include <sstream>
#include <type_traits>

#include "array/each_array_device.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/elementwise.hpp"
#include "treadle/array/joining.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/array/order_statistics.hpp"
#include "treadle/array/ordering.hpp"
#include "treadle/array/padding.hpp"
#include "treadle/array/reduction.hpp"
#include "treadle/array/user_kernel.hpp"
#include "treadle/base/error.hpp"

namespace treadle::array {
namespace {

class EverydayTest : public OnEachArrayDevice {};
INSTANTIATE_TEST_SUITE_P(Devices, EverydayTest, each_device(), device_test_name);

TEST_P(EverydayTest, CreationTakesTheDTypeOfNumbers) {
  const device::StreamScope scope(shared_stream());
  EXPECT_EQ(arange(5).dtype(), Scalar::int64);
  EXPECT_EQ(arange(2, 5).size(), 3);
  EXPECT_EQ(arange(0, 10, 2).size(), 5);
  EXPECT_EQ(arange(std::uint64_t{1} << 63, (std::uint64_t{1} << 63) + 2).dtype(), Scalar::uint64);
  EXPECT_EQ(full({2}, true).dtype(), Scalar::boolean);
  EXPECT_EQ(full({2}, 7).dtype(), Scalar::int64);
  EXPECT_EQ(full({2}, 7u).dtype(), Scalar::int64);
  expect(arange(4, Scalar::float32), {0, 1, 2, 3});
  expect(eye(2, Scalar::float32), {1, 0, 0, 1});
  expect(Array::from({1.f, 2.f, 4.f}, here()), {1, 2, 4});
  const Array rows = Array::from({{1.f, 2.f}, {3.f, 4.f}, {5.f, 6.f}}, here());
  EXPECT_EQ(rows.shape()[0], 3);
  expect(transpose(rows), {1, 3, 5, 2, 4, 6});
  EXPECT_EQ(Array::from({1, 2}, here()).dtype(), Scalar::int32);
  EXPECT_THROW(Array::from({{1.f, 2.f}, {3.f}}, here()), ShapeError);
  EXPECT_EQ(arange(0.0, 1.0, 0.25).dtype(), Scalar::float64);
  EXPECT_EQ(full({2}, 7.5).dtype(), Scalar::float64);
}

TEST_P(EverydayTest, BracedLists) {
  const device::StreamScope scope(shared_stream());
  const Array x = make({1, 2}), y = make({3, 4});
  expect(concatenate({x, y}), {1, 2, 3, 4});
  expect(stack({x, y}, 1), {1, 3, 2, 4});
  expect(vstack({x, y, x}), {1, 2, 3, 4, 1, 2});
  expect(tile(x, {2}), {1, 2, 1, 2});
  expect(permute_dims(stack({x, y}), {1, 0}), {1, 3, 2, 4});
  expect(transpose(stack({x, y}), {1, 0}), {1, 3, 2, 4});
  expect(flip(stack({x, y}), {0, 1}), {4, 3, 2, 1});
  expect(roll(stack({x, y}), {1, 1}, {0, 1}), {4, 3, 2, 1});
  expect(pad(x, {{1, 2}}), {0, 1, 2, 0, 0});
  expect(pad(x, {{1, 1}}, PadMode::edge), {1, 1, 2, 2});
  expect(meshgrid({x, y})[1], {3, 4, 3, 4});
  expect(select({x > 1.f, y > 3.f}, {x, y}), {0, 2});
  expect(repeat(x, 2), {1, 1, 2, 2});
  expect(repeat(x, {2, 1}, 0), {1, 1, 2});
  expect(insert(x, {1}, y.at({Index{.stop = 1}}), 0), {1, 3, 2});
  evaluate({x + y, x - y});
  // A number of parts and a list of positions are not the same.
  const Array four = concatenate({x, y});
  EXPECT_EQ(split(four, 4).size(), 4u);
  EXPECT_EQ(split(four, {3}).size(), 2u);
  expect(split(four, {3})[1], {4});
  EXPECT_THROW(split(four, 3), ShapeError);
  EXPECT_THROW(split(four, 2, 1), IndexError);
}

TEST_P(EverydayTest, ElementsAreReadAndWritten) {
  const device::StreamScope scope(shared_stream());
  const Array m = reshape(make({0, 1, 2, 3, 4, 5}), {2, 3});
  expect(m(1, 2), {5});
  expect(m[1], {3, 4, 5});
  expect(m[-1] + 1, {4, 5, 6});
  expect(m(Index::all(), 0), {0, 3});
  m(0, 0) = 7;
  m(Index::all(), 1) = make({8, 9});
  m(1, Index{.start = 2}) += 1;
  expect(m, {7, 8, 2, 3, 9, 6});
  m[0] = m[1];  // elements, not names
  expect(m, {3, 9, 6, 3, 9, 6});
  Array name = m[0];
  name = make({1});
  expect(m, {3, 9, 6, 3, 9, 6});
  EXPECT_THROW(m(2, 0), IndexError);
  // What would change nothing does not compile.
  static_assert(!std::is_assignable_v<Array&&, Array>);
  static_assert(!std::is_assignable_v<Array&, int>);
  static_assert(std::is_assignable_v<View, int>);
}

TEST_P(EverydayTest, ArraysAsNumbersAndConditions) {
  const device::StreamScope scope(shared_stream());
  const Array x = make({1, 2, 4});
  if (runs_kernels()) {
    EXPECT_EQ(float(sum(x)), 7);
    EXPECT_EQ(int(max(x)), 4);
    if (any(x > 5.f)) FAIL() << "the condition is the element, not whether there is an array";
    EXPECT_TRUE(all(x > 0.f));
    EXPECT_EQ(static_cast<long>(x[2].item()), 4);
    EXPECT_FALSE(!x[0]);
  }
  EXPECT_THROW(static_cast<void>(static_cast<bool>(x)), ShapeError);
  EXPECT_TRUE(x.has_value());
  EXPECT_FALSE(Array().has_value());
  EXPECT_THROW(static_cast<void>(static_cast<bool>(Array())), InvalidState);
  std::ostringstream text;
  text << x.dtype();
  EXPECT_EQ(text.str(), "float32");
}

TEST_P(EverydayTest, OtherNames) {
  const device::StreamScope scope(shared_stream());
  const Array x = make({1, 2, 3, 4});
  expect(+x, {1, 2, 3, 4});
  expect(pow(2, x), {2, 4, 8, 16});
  expect(atan2(x - x, x), {0, 0, 0, 0});
  expect(asin(x - x), {0, 0, 0, 0});
  expect(quantile(x, 0.5), {2.5f});
  EXPECT_EQ(quantile(x, 0.5).rank(), 0);
  EXPECT_EQ(quantile(x, {0.5}).rank(), 1);
  expect(percentile(x, {0, 50, 100}), {1, 2.5f, 4});
  expect(percentile(x, 25), {1.75f});
  EXPECT_THROW(percentile(x, 101), InvalidArgument);
  ElementwiseKernel scaled("const float *x, float a, float *y", "y[i] = a * x[i]");
  expect(scaled.call({x, 2.f})[0], {2, 4, 6, 8});
}

}  // namespace
}  // namespace treadle::array

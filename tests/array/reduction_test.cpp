// SPDX-License-Identifier: MIT
// Reductions of arrays: what they give, and how many kernels that takes.
#include "treadle/array/reduction.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "array/each_array_device.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/evaluate.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/base/error.hpp"
#include "treadle/device/null.hpp"

namespace treadle::array {
namespace {

using Integers = std::vector<std::int64_t>;

class ArrayReductionTest : public OnEachArrayDevice {
 protected:
  Array matrix() { return reshape(make(count_up(6)), {2, 3}); }
  void expect_integers(const Array& array, const Integers& expected) {
    const Integers values = array.as<std::int64_t>();
    if (runs_kernels()) {
      EXPECT_EQ(values, expected);
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Devices, ArrayReductionTest, each_device(), device_test_name);

TEST_P(ArrayReductionTest, OverAllAxesOrSomeOfThem) {
  const device::StreamScope scope(shared_stream());
  const Array x = matrix();
  expect(sum(x), {15});
  EXPECT_EQ(sum(x).rank(), 0);
  expect(sum(x, {.axes = 0}), {3, 5, 7});
  expect(sum(x, {.axes = -1}), {3, 12});
  expect(sum(x, {.axes = {1, 0}}), {15});
  expect(sum(x, {.axes = std::vector<int>{}}), {0, 1, 2, 3, 4, 5});
  const Array kept = prod(x + 1, {.axes = 1, .keeps_axes = true});
  EXPECT_EQ(Shape(kept.shape().begin(), kept.shape().end()), (Shape{2, 1}));
  expect(kept, {6, 120});
  expect(sum(transpose(x), {.axes = 0}), {3, 12});
  expect(max(flip(x), {.axes = 1}), {5, 2});
  EXPECT_THROW(sum(x, {.axes = 2}), IndexError);
  EXPECT_THROW(sum(x, {.axes = {1, -1}}), InvalidArgument);
}

TEST_P(ArrayReductionTest, PlacesAmongNumbersOnly) {
  if (!runs_kernels()) GTEST_SKIP() << "it looks at elements, which are never computed here";
  const device::StreamScope scope(shared_stream());
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  const Array x = reshape(make({nan, 3, 1, 2, nan, 5}), {2, 3});
  expect(cast(nanargmax(x, 1), Scalar::float32), {1, 2});
  expect(cast(reshape(nanargmin(x), {1}), Scalar::float32), {2});
  EXPECT_EQ(nanargmin(x, 0, true).shape()[0], 1);
  EXPECT_THROW(nanargmax(make({nan, nan})), InvalidArgument);
  EXPECT_THROW(nanargmin(reshape(make({nan, 1}), {2, 1}), 1), InvalidArgument);
}

TEST_P(ArrayReductionTest, OfAnArrayWithoutAxesAlongTheFirstIsTheArray) {
  const device::StreamScope scope(shared_stream());
  const Array one = sum(matrix());
  for (const int axis : {0, -1}) {
    expect(max(one, {.axes = axis, .keeps_axes = true}), {15});
    expect(mean(one, {.axes = axis, .ignores_nan = true}), {15});
    EXPECT_THROW(mean(one, {.axes = axis}), IndexError);
  }
  EXPECT_THROW(sum(one, {.axes = 1}), IndexError);
}

TEST_P(ArrayReductionTest, EachFunction) {
  const device::StreamScope scope(shared_stream());
  const Array x = matrix();
  expect(mean(x, {.axes = 1}), {1, 4});
  expect(variance(make({1, 2, 3, 4})), {1.25});
  expect(standard_deviation(make({1, 3, 1, 3}), {.axes = 0}), {1});
  expect(variance(make({1, 3}), {.correction = 1}), {2});
  expect(min(x), {0});
  expect(ptp(x, {.axes = 1}), {2, 2});
  expect_integers(argmax(x, {.axes = 0}), {1, 1, 1});
  expect_integers(argmin(make({3, 1, 1})), {1});
  expect_integers(count_nonzero(x), {5});
  expect(cast(any(x > 4, {.axes = 1}), Scalar::float32), {0, 1});
  expect(cast(all(x, {.axes = 1}), Scalar::float32), {0, 1});
  expect(average(make({1, 3}), make({3, 1})), {1.5});
  expect(average(x, make({1, 0, 3}), {.axes = 1}), {1.5, 4.5});
  expect(dot_of_vectors(make({1, 2, 3}), make({4, 5, 6})), {32});
  expect(vdot(x, x), {55});
  expect(norm(make({3, -4})), {5});
  const Array vector = make({3, 0, -4});
  const double infinity = std::numeric_limits<double>::infinity();
  for (const auto& [order, expected] :
       std::vector<std::pair<double, float>>{{infinity, 4}, {-infinity, 0}, {0, 2}, {1, 7}, {2, 5}})
    expect(vector_norm(vector, order), {expected});
  const Array out = make({0});
  expect(vector_norm(make({1}), 3, {.axes = 0, .keeps_axes = true, .out = &out}), {1});
  expect(out, {1});
  EXPECT_THROW(dot_of_vectors(x, x), ShapeError);
  EXPECT_THROW(dot_of_vectors(make({1, 2}), make({1})), ShapeError);
  EXPECT_THROW(argmax(x, {.axes = {0, 1}}), InvalidArgument);
  EXPECT_THROW(average(x, make({1, 2, 3})), ShapeError);
}

TEST_P(ArrayReductionTest, DtypesAreThoseOfNumpy) {
  const Array bytes = Array::from(std::vector<std::int8_t>{100, 100}, here());
  expect_integers(sum(bytes), {200});
  EXPECT_EQ(mean(bytes).dtype(), DType(Scalar::float64));
  EXPECT_EQ(min(bytes).dtype(), DType(Scalar::int8));
  EXPECT_EQ(sum(bytes, {.dtype = Scalar::float32}).dtype(), DType(Scalar::float32));
  EXPECT_EQ(sum(make({1}) > 0).dtype(), DType(Scalar::int64));
  EXPECT_EQ(dot_of_vectors(bytes, bytes).dtype(), DType(Scalar::int8));
}

TEST_P(ArrayReductionTest, InitialValuesMasksAndNan) {
  const device::StreamScope scope(shared_stream());
  const Array x = make({1, 2, 3, 4}), mask = x > 2;
  expect(sum(x, {.initial = 10, .where = &mask}), {17});
  expect(mean(x, {.where = &mask}), {3.5});
  expect(min(x, {.initial = 9, .where = &mask}), {3});
  expect(max(x, {.initial = 9}), {9});
  EXPECT_THROW(max(x, {.where = &mask}), InvalidArgument);
  EXPECT_THROW(sum(x, {.where = &x}), DTypeError);
  EXPECT_THROW(any(x, {.initial = 1}), InvalidArgument);
  const Array holes = make({1, std::numeric_limits<float>::quiet_NaN(), 3});
  expect(sum(holes, {.ignores_nan = true}), {4});
  expect(mean(holes, {.ignores_nan = true}), {2});
  expect(variance(holes, {.ignores_nan = true}), {1});
  expect(max(holes, {.ignores_nan = true}), {3});
  const float largest = max(holes).as<float>()[0];
  if (runs_kernels()) {
    EXPECT_TRUE(std::isnan(largest));
  }
}

TEST_P(ArrayReductionTest, OfNoElementsOfOneAndOfNoAxes) {
  const device::StreamScope scope(shared_stream());
  const Array none = zeros({0, 3}, Scalar::float32, here());
  expect(sum(none), {0});
  expect(prod(none, {.axes = 0}), {1, 1, 1});
  expect(max(none, {.axes = 1}), {});
  expect(max(none, {.axes = 0, .initial = 7}), {7, 7, 7});
  EXPECT_THROW(max(none), ShapeError);
  EXPECT_THROW(argmin(none, {.axes = 0}), ShapeError);
  const Array one = full({}, 3, Scalar::float32, here());
  expect(sum(one), {3});
  expect_integers(argmax(one), {0});
  expect(sum(ones({1, 4, 1}, Scalar::float32, here()), {.axes = {0, 2}}), {1, 1, 1, 1});
  expect(sum(arange(0, 100, 1, Scalar::float32, here())), {4950});
}

TEST_P(ArrayReductionTest, ExpressionsBeforeAndAfterAreOneExpression) {
  const device::StreamScope scope(shared_stream());
  const Array x = make({1, 2, 3}), y = make({2, 2, 1});
  const Array ratio = sqrt(sum(x * y + 7)) / max(x);
  EXPECT_TRUE(ratio.is_pending());
  expect(ratio, {std::sqrt(30.f) / 3});
  expect(x / sum(x), {1 / 6.f, 2 / 6.f, 3 / 6.f});
  const Array rows = matrix();
  expect(rows - mean(rows, {.axes = 1, .keeps_axes = true}), {-1, 0, 1, -1, 0, 1});
  expect(sum(rows, {.axes = 0}) * make({1, 10, 100}) + arange(0, 3, 1, Scalar::float32, here()),
         {3, 51, 702});
  expect(sum(sum(rows, {.axes = 0}) * 2), {30});
  expect(sum(rows, {.axes = 0}) + sum(rows), {18, 20, 22});
  Array many = sum(x);
  for (int i = 0; i < 20; ++i) many = many + sum(x + i);
  expect(many, {6 * 21 + 3 * 190});
}

TEST_P(ArrayReductionTest, IntoAnArrayThatIsThere) {
  const device::StreamScope scope(shared_stream());
  const Array x = matrix(), out = zeros({3}, Scalar::float32, here()), seen = out + 1;
  const Array result = sum(x, {.axes = 0, .out = &out});
  expect(out, {3, 5, 7});
  expect(seen, {1, 1, 1});
  EXPECT_EQ(result.layout(), out.layout());
  expect(max(x, {.axes = 0, .out = &out}), {3, 4, 5});
  const Array backwards = zeros({2, 3}, Scalar::float32, here());
  const Array middle = flip(backwards).at({Index{}, Index::at(1)});
  mean(x, {.axes = 1, .out = &middle});
  expect(backwards, {0, 4, 0, 0, 1, 0});
  const Array row = x.at({Index::at(1)});
  sum(x, {.axes = 0, .out = &row});
  expect(x, {0, 1, 2, 3, 5, 7});
  x.assign(make({0, 1, 2}));
  Array total = make({1});
  total += sum(x, {.axes = 1, .keeps_axes = true}).at({Index{.stop = 1}, Index::at(0)});
  expect(total, {4});
  const Array counts = Array::from(std::vector<std::int32_t>{1, 2, 3}, here());
  EXPECT_THROW(sum(x, {.axes = 0, .out = &counts}), DTypeError);
  EXPECT_THROW(sum(x, {.axes = 1, .out = &out}), ShapeError);
}

TEST_P(ArrayReductionTest, ChangesOfWhatTheyReadComeAfter) {
  const device::StreamScope scope(shared_stream());
  Array x = make({1, 2, 3});
  const Array total = sum(x), half = total / 2;
  x += 10;
  expect(half, {3});
  expect(total, {6});
  x.assign(x - min(x));
  expect(x, {0, 1, 2});
  const Array before = sum(x);
  (void)x.location();
  EXPECT_FALSE(before.is_pending());
  EXPECT_FALSE(mean(x).is_pending());
}

// What was recorded while a reduction was pending, and is computed after it, is no part of one.
TEST_P(ArrayReductionTest, ReductionsThatWereComputedMeanwhileAreLeavesToTheRest) {
  const device::StreamScope scope(shared_stream());
  const Array x = matrix(), means = mean(x, {.axes = 0}), doubled = means * 2, apart = x - means;
  EXPECT_FALSE(means.is_pending());
  expect(x / doubled, {0, 0.2f, 2 / 7.f, 1, 0.8f, 5 / 7.f});
  expect(apart, {-1.5f, -1.5f, -1.5f, 1.5f, 1.5f, 1.5f});
  const Array vector = make({1, 2, 2}), square = sum(vector * vector), root = sqrt(square);
  const Array scaled = vector * square, norm = vector / root;
  expect(scaled, {9, 18, 18});
  expect(norm, {1 / 3.f, 2 / 3.f, 2 / 3.f});
  expect(root, {3});
  // Beside one that is pending still.
  const Array total = sum(x), half = total / 5, further = x + total;
  const Array columns = sum(x, {.axes = 0}), both = columns * half;
  expect(both, {9, 15, 21});
  expect(half, {3});
  expect(further, {15, 16, 17, 18, 19, 20});
}

// Values of the elements that do not change along the loop, of what was folded and of the results.
TEST_P(ArrayReductionTest, ValuesBeforeAndAfterHaveNamesOfTheirOwn) {
  const device::StreamScope scope(shared_stream());
  const Array a = reshape(make({4}), {}), y = make(count_up(9));
  expect(sqrt(sum(sqrt(a) * y * 2)), {12});
  expect(2 * sum((2 * a) * y), {576});
  const Array column = reshape(make({1, 2}), {2, 1});
  expect(-sum((-column) * matrix(), {.axes = 1}), {3, 24});
  for (const std::int64_t count : {1, 9, 900}) {
    const float root = std::sqrt(static_cast<float>(count));
    expect(sqrt(sum(ones({count}, Scalar::float32))), {root});
    expect(cast(sum(ones({count}, Scalar::float16)), Scalar::float32), {root * root});
  }
  const Array largest = max(maximum(a, y) * 1), least = min(y), third = max(maximum(a, a) + y);
  evaluate({least, largest, third});
  expect(least + largest + third, {20});
}

TEST_P(ArrayReductionTest, StreamsAreOrdered) {
  const Array x = make(std::vector<float>(1000, 1));
  Array total;
  {
    const device::StreamScope other(shared_stream()->device().make_stream());
    const Array y = x + 1;
    evaluate({y});
    total = sum(y);
  }
  const device::StreamScope scope(shared_stream());
  expect(total * 2, {4000});
}

/// What is launched on a device that computes nothing.
class ReductionLaunches : public testing::Test {
 protected:
  /// The names of the kernels that `work` launches.
  template <class Work>
  std::vector<std::string> launches(Work work) {
    device::clear_null_calls(*device_);
    work();
    std::vector<std::string> names;
    for (const std::string& call : device::null_calls(*device_))
      if (call.starts_with("launch ")) names.push_back(call.substr(7, call.find(' ', 7) - 7));
    return names;
  }
  using Names = std::vector<std::string>;

  std::shared_ptr<device::Device> device_ = device::make_null_device();
  device::DeviceScope scope_{device_};
  Array x_ = zeros_in_memory(), y_ = zeros_in_memory();

 private:
  static Array zeros_in_memory() {
    const Array made = empty({2100, 8}, Scalar::float32);  // few are folded as float64
    return made;
  }
};

TEST_F(ReductionLaunches, AnExpressionAndItsReductionAreOneKernel) {
  EXPECT_EQ(launches([&] { evaluate({sum(sin(x_) * y_ + x_ * x_)}); }),
            Names{"sin_multiply_multiply_add_sum_f32"});
  EXPECT_EQ(launches([&] { evaluate({mean(x_, {.axes = 0})}); }), Names{"sum_divide_f32"});
  EXPECT_EQ(launches([&] { evaluate({sqrt(sum(x_ * x_)) / 3}); }),
            Names{"multiply_sum_sqrt_divide_f32"});
  EXPECT_EQ(launches([&] { evaluate({ptp(x_)}); }), Names{"maximum_minimum_subtract_f32"});
}

TEST_F(ReductionLaunches, ReductionsOfTheSameElementsAreOneKernel) {
  EXPECT_EQ(launches([&] { evaluate({sum(x_), max(x_)}); }), Names{"sum_maximum_f32"});
  EXPECT_EQ(launches([&] { evaluate({sum(x_), mean(x_)}); }).size(), 1u);
  EXPECT_EQ(launches([&] { evaluate({sum(x_, {.axes = 0}), sum(x_)}); }).size(), 2u);
  EXPECT_EQ(launches([&] { evaluate({sum(x_), x_ + 1}); }).size(), 2u);
}

TEST_F(ReductionLaunches, WhatIsSeenOfAReductionIsComputedWithIt) {
  EXPECT_EQ(launches([&] {
              const Array total = sum(x_), half = total / 2;
              half.get(std::vector<float>(1).data());
              total.get(std::vector<float>(1).data());
            }),
            Names{"sum_divide_f32"});
}

TEST_F(ReductionLaunches, ResultsThatMeetAllElementsAreComputedBefore) {
  EXPECT_EQ(launches([&] { evaluate({x_ / sum(x_)}); }), (Names{"sum_f32", "divide_f32"}));
  EXPECT_EQ(launches([&] { evaluate({variance(x_)}); }).size(), 2u);
  EXPECT_EQ(launches([&] { x_ -= mean(x_, {.axes = 0}); }).size(), 2u);
}

TEST_F(ReductionLaunches, EagerEvaluationTakesNoMoreKernels) {
  const bool was = set_lazy(false);
  EXPECT_EQ(launches([&] { mean(x_); }).size(), 1u);
  EXPECT_EQ(launches([&] { average(x_, y_); }).size(), 1u);
  set_lazy(was);
}

TEST_F(ReductionLaunches, ResultsAreWrittenStraightToWhereTheyAreToBe) {
  const Array out = empty({8}, Scalar::float64), row = x_.at({Index::at(0)});
  EXPECT_EQ(launches([&] { sum(x_, {.axes = 0, .out = &out}); }), Names{"sum_cast_f64"});
  EXPECT_EQ(launches([&] { out.assign(mean(x_, {.axes = 0})); }).size(), 2u) << "it is an array";
  EXPECT_EQ(launches([&] { sum(x_, {.axes = 0, .out = &row}); }).size(), 2u) << "it is read";
}

TEST_F(ReductionLaunches, ManyResultsAreSharedBetweenKernelsThatTakeThem) {
  std::vector<Array> sums, sines;
  for (int i = 0; i < 20; ++i) {
    sums.push_back(sum(x_ + i));
    Array y = y_ + i;
    for (int k = 0; k < 30; ++k) y = sin(y);
    sines.push_back(y);
  }
  EXPECT_EQ(launches([&] { evaluate(sums); }).size(), 3u);
  EXPECT_EQ(launches([&] { evaluate(sines); }).size(), 10u);
}

}  // namespace
}  // namespace treadle::array

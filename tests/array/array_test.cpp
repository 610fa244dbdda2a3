// SPDX-License-Identifier: MIT
// What arrays compute, and what changes them.
#include "treadle/array/array.hpp"

#include <complex>
#include <vector>

#include "array/each_array_device.hpp"
#include "treadle/array/creation.hpp"

namespace treadle::array {
namespace {

class ArrayTest : public OnEachArrayDevice {};
INSTANTIATE_TEST_SUITE_P(Devices, ArrayTest, each_device(), device_test_name);

TEST_P(ArrayTest, ShapesAndDtypesAreCheckedAtOnce) {
  const Array x = make({1, 2, 3});
  EXPECT_THROW(x + make({1, 2}), ShapeError);
  EXPECT_THROW(x & x, DTypeError);
  EXPECT_THROW(Array::from(std::vector<std::int8_t>{1}, here()) + 300, OverflowError);
  EXPECT_THROW(Array() + 1, InvalidState);
  EXPECT_EQ((Array::from(std::vector<std::int32_t>{1}, here()) / 2).dtype(),
            DType(Scalar::float64));
}

TEST_P(ArrayTest, ComplexNumbersOfTheHost) {
  const device::StreamScope scope(shared_stream());
  const std::vector<std::complex<float>> values{{1, 2}, {3, -4}};
  const Array x = Array::from(values, here());
  EXPECT_EQ(x.dtype(), DType(Scalar::complex64));
  EXPECT_EQ(x.as<std::complex<float>>(), values);
  EXPECT_THROW(x.as<std::complex<double>>(), DTypeError);
  EXPECT_TRUE(may_share_memory(in_dtype(x, Scalar::complex64), x));
  EXPECT_EQ(in_dtype(x, Scalar::complex128).dtype(), DType(Scalar::complex128));
  const auto conjugates = conjugate(cast(x, Scalar::complex128)).as<std::complex<double>>();
  if (runs_kernels()) {
    EXPECT_EQ(conjugates, (std::vector<std::complex<double>>{{1, -2}, {3, 4}}));
  }
}

TEST_P(ArrayTest, BoolsOfTheHost) {
  const device::StreamScope scope(shared_stream());
  const Array x = Array::from(std::vector<int>{1, 5, 3});
  const std::vector<bool> given{true, false, true};
  const Array mask = Array::from(given);
  EXPECT_EQ(mask.dtype(), DType(Scalar::boolean));
  EXPECT_EQ(mask.as<bool>(), given);
  if (runs_kernels()) {
    EXPECT_EQ((x > 2).as<bool>(), (std::vector<bool>{false, true, true}));
    EXPECT_EQ(where(mask, x, 0).as<int>(), (std::vector<int>{1, 0, 3}));
  }
  EXPECT_TRUE(Array::from(std::vector<bool>{}).as<bool>().empty());
  EXPECT_THROW(x.as<bool>(), DTypeError);
}

TEST_P(ArrayTest, InPlaceOperatorsWriteIntoTheSameMemory) {
  const device::StreamScope scope(shared_stream());
  Array x = make({1, 2, 3, 4});
  const Array shared = x, before = x * 1;
  x += 10;
  expect(shared, {11, 12, 13, 14});
  expect(before, {1, 2, 3, 4});
  Array counts = Array::from(std::vector<std::int32_t>{1, 2}, here());
  EXPECT_THROW(counts /= 2, DTypeError);
  EXPECT_THROW(x += make({1, 2}), ShapeError);
}

TEST_P(ArrayTest, WritesAreCounted) {
  const Array x = make({1, 2, 3});
  const std::uint64_t before = x.writes();
  const Array y = x + 1;
  EXPECT_TRUE(x.is_shared());     // y reads it
  static_cast<void>(y.buffer());  // computes it
  EXPECT_FALSE(x.is_shared());
  EXPECT_EQ(x.writes(), before);
  {
    const Array view = x.at({Index{.start = 1}});
    EXPECT_TRUE(x.is_shared());
    view.assign(5);
  }
  EXPECT_FALSE(x.is_shared());
  EXPECT_NE(x.writes(), before);
}

TEST_P(ArrayTest, ViewsThatOverlapAreReadBeforeTheyAreWritten) {
  const device::StreamScope scope(shared_stream());
  const Array x = make(count_up(8));
  Array front = x.at({Index{.stop = 7}}), back = x.at({Index{.start = 1}});
  back += front;
  expect(x, {0, 1, 3, 5, 7, 9, 11, 13});
  x.assign(x.at({Index{.step = -1}}));
  expect(x, {13, 11, 9, 7, 5, 3, 1, 0});
}

TEST_P(ArrayTest, AssignmentBroadcastsAndCasts) {
  const device::StreamScope scope(shared_stream());
  const Array x = zeros({2, 3}, Scalar::float32, here());
  x.assign(Array::from(std::vector<std::int32_t>{1, 2, 3}, here()));
  expect(x, {1, 2, 3, 1, 2, 3});
  x.at({Index::at(1)}).assign(7.5);
  expect(x, {1, 2, 3, 7.5, 7.5, 7.5});
  x.assign_where(x > 5, -1);
  expect(x, {1, 2, 3, -1, -1, -1});
  x.assign_where(x < 0, x * 2);
  expect(x, {1, 2, 3, -2, -2, -2});
  EXPECT_THROW(x.assign(make({1, 2})), ShapeError);
  const Array repeated =
      x.viewed(x.at({Index::at(0)}).layout().broadcast_to(Shape{4, 3}), x.dtype());
  EXPECT_THROW(repeated.assign(0), InvalidArgument);
}

TEST_P(ArrayTest, AnElementStaysWhatItWas) {
  const device::StreamScope scope(shared_stream());
  const Array x = make({1, 2});
  const Array view = x.at({Index::at(0)}), first = element(view);
  EXPECT_TRUE(first.is_scalar() && !view.is_scalar() && (first + 1).is_scalar());
  x.assign(7);
  expect(view, {7});
  expect(first, {1});
  EXPECT_THROW(element(x), ShapeError);
}

TEST_P(ArrayTest, EmptyAndZeroDimensionalArrays) {
  const device::StreamScope scope(shared_stream());
  const Array none = zeros({0, 3}, Scalar::float32, here());
  expect(none + 1, {});
  EXPECT_EQ((none + make({1, 2, 3})).size(), 0);
  const Array one = full({}, 3, Scalar::float32, here());
  EXPECT_EQ(one.rank(), 0);
  if (runs_kernels()) {
    EXPECT_EQ((one * 2).item().as_double(), 6);
  }
  EXPECT_THROW(none.item(), ShapeError);
}

TEST_P(ArrayTest, ArraysOfAnotherDeviceAreRefusedBeforeAnythingIsChanged) {
  const device::StreamScope scope(shared_stream());
  const Array there = ones({3}, Scalar::float32, {.stream = foreign()->default_stream()});
  const Array mask_there = there > 0;
  Array x = make({1, 2, 3});
  const Operand operands[] = {there, 1};
  EXPECT_THROW(x + there, InvalidArgument);
  EXPECT_THROW(x += there, InvalidArgument);
  EXPECT_THROW(x.assign(there), InvalidArgument);
  EXPECT_THROW(x.assign_where(mask_there, 7), InvalidArgument);
  EXPECT_THROW(x.assign_where(x > 0, there), InvalidArgument);
  EXPECT_THROW(apply_into(x, Op::add, operands), InvalidArgument);
  const Array pending = x * 2;
  EXPECT_THROW(pending.assign(there), InvalidArgument);
  EXPECT_TRUE(pending.is_pending());
  EXPECT_TRUE(mask_there.is_pending());
  expect(x, {1, 2, 3});
}

TEST_P(ArrayTest, ResultsAreWrittenIntoArraysThatFit) {
  const device::StreamScope scope(shared_stream());
  const Array x = make({1, 2, 3}), out = zeros({3}, Scalar::float32, here());
  write_into(out, x + 1);
  expect(out, {2, 3, 4});
  EXPECT_THROW(write_into(zeros({3}, Scalar::int32, here()), x), DTypeError);
  EXPECT_THROW(write_into(zeros({1, 3}, Scalar::float32, here()), x), ShapeError);
  const Array rows = zeros({2, 3}, Scalar::float32, here());
  EXPECT_THROW(write_into(rows, x), ShapeError);
  write_into(rows, x, OutShape::broadcast);
  expect(rows.at({Index::at(1)}) - x, {0, 0, 0});
  const Operand operands[] = {x, 5};
  const Array odd = x == 2, *mask = &odd;
  apply_into(out, Op::multiply, operands, mask);
  expect(out, {2, 10, 4});
  EXPECT_THROW(apply_into(out, Op::add, operands, &x), DTypeError);
  EXPECT_THROW(write_into(out, ones({3}, Scalar::float32, {.stream = foreign()->default_stream()})),
               InvalidArgument);
}

TEST_P(ArrayTest, StreamsAreOrderedByWhatTheyShare) {
  const Array x = make(std::vector<float>(1000, 1));
  Array y;
  {
    const device::StreamScope other(shared_stream()->device().make_stream());
    y = x + 1;
    static_cast<void>(y.buffer());  // computes it
    y += 1;
  }
  const device::StreamScope scope(shared_stream());
  expect(y * 2, std::vector<float>(1000, 6));
}

}  // namespace
}  // namespace treadle::array

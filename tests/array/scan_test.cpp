// SPDX-License-Identifier: MIT
#include "treadle/array/scan.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "array/each_array_device.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/evaluate.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/base/error.hpp"

namespace treadle::array {
namespace {

class ArrayScanTest : public OnEachArrayDevice {
 protected:
  Array integers(const std::vector<std::int64_t>& values) { return Array::from(values, here()); }
  void expect_integers(const Array& array, const std::vector<std::int64_t>& expected) {
    const std::vector<std::int64_t> values = array.as<std::int64_t>();
    if (runs_kernels()) {
      EXPECT_EQ(values, expected);
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Devices, ArrayScanTest, each_device(), device_test_name);

TEST_P(ArrayScanTest, ScansByAnyOperationAlongAnAxis) {
  const device::StreamScope scope(shared_stream());
  const Array x = reshape(make({3, 1, 4, 1, 5, 9}), {2, 3});
  expect(scan(x), {3, 4, 8, 9, 14, 23});
  expect(scan(x, {}, {.axis = 1}), {3, 4, 8, 1, 6, 15});
  expect(scan(x, {.op = Op::maximum}, {.axis = 0}), {3, 1, 4, 3, 5, 9});
  expect(scan(x, {}, {.axis = 1, .is_exclusive = true}), {0, 3, 4, 0, 1, 6});
  expect(scan(x, {}, {.is_reversed = true}), {23, 20, 19, 15, 14, 9});
  expect(scan(x, {}, {.axis = 1, .is_exclusive = true, .is_reversed = true}), {5, 4, 0, 14, 9, 0});
  expect(scan(x + 1, {.op = Op::minimum}, {.is_exclusive = true}),
         {std::numeric_limits<float>::infinity(), 4, 2, 2, 2, 2});
  const Array own = scan(integers({3, 5, 7, 11}), {.combine = "a * b % 97", .neutral = "1"},
                         {.is_exclusive = true});
  expect_integers(own, {1, 3, 15, 105 % 97});
  EXPECT_EQ(scan(zeros({2, 0}, Scalar::int8, here()), {}, {.axis = 1}).dtype(),
            DType(Scalar::int8));
}

TEST_P(ArrayScanTest, SegmentsBeginAtStartsAndKeys) {
  const device::StreamScope scope(shared_stream());
  const Array x = integers({1, 2, 3, 4, 5, 6});
  const Array starts = integers({0, 0, 1, 1, 0, 0}), keys = integers({7, 7, 7, 2, 2, 7});
  expect_integers(segmented_scan(x, starts), {1, 3, 3, 4, 9, 15});
  expect_integers(segmented_scan(x, starts, {}, {.is_exclusive = true}), {0, 1, 0, 0, 4, 9});
  expect_integers(segmented_scan(x, starts, {}, {.is_reversed = true}), {3, 2, 3, 15, 11, 6});
  expect_integers(scan_by_key(keys, x), {1, 3, 6, 4, 9, 6});
  expect_integers(scan_by_key(keys, x, {}, {.is_exclusive = true, .is_reversed = true}),
                  {5, 3, 0, 5, 0, 0});
  if (runs_kernels()) {
    const KeyedValues made = reduce_by_key(keys, x);
    expect_integers(made.keys, {7, 2, 7});
    expect_integers(made.values, {6, 9, 6});
  }
  const KeyedValues few = reduce_by_key(keys, x, {.op = Op::multiply}, {2}),
                    many = reduce_by_key(keys, x, {}, {4});
  expect_integers(few.keys, {7, 2});
  expect_integers(few.values, {6, 20});
  expect_integers(few.count, {3});
  expect_integers(many.values, {6, 9, 6, 0});
}

TEST_P(ArrayScanTest, RunsAreTheirValuesAndLengths) {
  const device::StreamScope scope(shared_stream());
  const Array x = make({2, 2, 2, 7, 7, 2});
  if (runs_kernels()) {
    const Runs found = run_length_encode(x);
    expect(found.values, {2, 7, 2});
    expect_integers(found.lengths, {3, 2, 1});
    expect(run_length_decode(found.values, found.lengths), {2, 2, 2, 7, 7, 2});
  }
  const Runs few = run_length_encode(x, {2}), many = run_length_encode(x, {5});
  expect(few.values, {2, 7});
  expect_integers(few.lengths, {3, 2});
  expect_integers(few.count, {3});
  expect(many.values, {2, 7, 2, 0, 0});
  expect_integers(many.lengths, {3, 2, 1, 0, 0});
  EXPECT_EQ(run_length_encode(zeros({0}, Scalar::float32, here())).values.size(), 0);
  const Array none = integers({});
  EXPECT_EQ(run_length_decode(make({}), none).size(), 0);
}

/// Short segments, and so long ones that groups fold them; empty ones, and ends beyond the axis.
TEST_P(ArrayScanTest, FoldsSegments) {
  const device::StreamScope scope(shared_stream());
  const Array x = make(count_up(10'000));
  const auto sum = [](std::int64_t from, std::int64_t to) {
    return static_cast<float>((from + to - 1) * (to - from) / 2);
  };
  expect(segmented_reduce(x, integers({0, 3, 3, 40})), {sum(0, 3), 0, sum(3, 40)});
  // Sums of so small integers are exact.
  const Array small = make(std::vector<float>(10'000, 1.f));
  expect(segmented_reduce(small, integers({0, 9000, 20'000})), {9000, 1000});
  expect(segmented_reduce(small, integers({0, 100, 400, 401})), {100, 300, 1});
  std::vector<std::int64_t> offsets(1001);
  for (std::size_t i = 0; i < offsets.size(); ++i) offsets[i] = static_cast<std::int64_t>(i * 10);
  expect(segmented_reduce(x, integers(offsets), {.op = Op::maximum}), [] {
    std::vector<float> last(1000);
    for (std::size_t i = 0; i < last.size(); ++i) last[i] = static_cast<float>(i * 10 + 9);
    return last;
  }());
  const Array rows = reshape(make(count_up(6)), {2, 3});
  expect(segmented_reduce(rows, integers({0, 1}), integers({2, 9}), {.op = Op::multiply}),
         {0, 2, 12, 20});
  expect(segmented_reduce(rows, integers({0, 2}), {}, 0), {3, 5, 7});
  if (!runs_kernels()) return;  // it looks at the indices
  expect(reduceat(small, integers({0, 4, 2, 9990}), {}, 0), {4, 1, 9988, 10});
}

TEST_P(ArrayScanTest, CombinesAtPlacesThatComeSeveralTimes) {
  const device::StreamScope scope(shared_stream());
  const Array x = make({10, 20, 30, 40});
  const Array places = integers({3, 0, 3, -1});
  const AnyIndex indices[] = {IndexArray(places)};
  combine_at(x, indices, make({1, 2, 3, 4}));
  expect(x, {12, 20, 30, 48});
  combine_at(x, indices, 100, {.op = Op::maximum});
  expect(x, {100, 20, 30, 100});
  const Array turned = transpose(reshape(make({1, 2, 3, 4}), {2, 2}));
  const AnyIndex second[] = {Index::at(1), IndexArray(integers({0, 0}))};
  combine_at(turned, second, 5);
  expect(turned, {1, 3, 12, 4});
}

TEST_P(ArrayScanTest, RefusesWhatItDoesNotTake) {
  const device::StreamScope scope(shared_stream());
  const Array x = make(count_up(6)), two = reshape(x, {2, 3});
  EXPECT_THROW(scan(x, {.op = Op::subtract}), InvalidArgument);
  EXPECT_THROW(scan(x, {.op = Op::bitwise_or}), DTypeError);
  EXPECT_THROW(scan(x, {.combine = "a + b"}, {.is_exclusive = true}), InvalidArgument);
  EXPECT_THROW(scan(two, {}, {.axis = 2}), IndexError);
  EXPECT_THROW(segmented_scan(two, two), ShapeError);
  EXPECT_THROW(segmented_scan(x, make({1})), ShapeError);
  EXPECT_THROW(scan_by_key(cast(x, Scalar::complex64), x), DTypeError);
  EXPECT_THROW(reduce_by_key(x, x, {}, {-1}), InvalidArgument);
  EXPECT_THROW(run_length_encode(two), ShapeError);
  EXPECT_THROW(run_length_decode(x, x), DTypeError);
  EXPECT_THROW(segmented_reduce(x, integers({})), ShapeError);
  EXPECT_THROW(segmented_reduce(x, x), DTypeError);
  EXPECT_THROW(segmented_reduce(x, integers({0, 1}), {.combine = "a + b"}), InvalidArgument);
  if (!runs_kernels()) return;
  EXPECT_THROW(run_length_decode(make({1, 2}), integers({1, -1})), InvalidArgument);
  EXPECT_THROW(reduceat(x, integers({6})), IndexError);
}

}  // namespace
}  // namespace treadle::array

// SPDX-License-Identifier: MIT
// Arrays of more than 2^32 elements, one test for each family of generated
// kernels. They need 24 GiB of a GPU's memory; the layouts' arithmetic at such
// sizes is tested without a device, in base.
#include <gtest/gtest.h>

#include <optional>

#include "array/each_array_device.hpp"
#include "treadle/array/array.hpp"
#include "treadle/array/counting.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/cumulative.hpp"
#include "treadle/array/indexing.hpp"
#include "treadle/array/joining.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/array/ordering.hpp"
#include "treadle/array/random.hpp"
#include "treadle/array/reduction.hpp"
#include "treadle/array/searching.hpp"
#include "treadle/array/selection.hpp"

namespace treadle::array {
namespace {

constexpr std::int64_t side = 65'536;
constexpr std::int64_t rows = side + 1;
constexpr std::int64_t count = rows * side;  // 2^32 + 2^16

/// On native devices, which keep the workspace of their default stream.
class LargeTest : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    device_ = device::find_device(GetParam());
    constexpr std::uint64_t needed_bytes = std::uint64_t{24} << 30;
    if (device_->info().kind != device::DeviceKind::gpu ||
        device_->info().memory_bytes < needed_bytes)
      GTEST_SKIP() << "needs a GPU with 24 GiB";
    scope_.emplace(device_);
  }
  void TearDown() override {
    device_->default_stream()->synchronize();
    memory::pool_of(*device_).free_held();
  }
  /// Bytes of 0 but for one element.
  Array mark(std::int64_t place) {
    Array x = zeros({count}, Scalar::uint8);
    x.at({Index::at(place)}).assign(7);
    return x;
  }
  static std::int64_t integer(const Array& x) { return x.item().as_int64(); }
  /// Where the only element that is not 0 is, and that there is no other.
  static std::int64_t place_of_mark(const Array& x) {
    EXPECT_EQ(integer(count_nonzero(x)), 1);
    return integer(argmax(x));
  }

 private:
  std::shared_ptr<device::Device> device_;
  std::optional<device::DeviceScope> scope_;
};
INSTANTIATE_TEST_SUITE_P(Devices, LargeTest, device::each_native_device(),
                         device::device_test_name);

TEST_P(LargeTest, LinearExpressions) {
  const Array x = mark(count - 1), y = mark(3);
  EXPECT_EQ(place_of_mark(2 * x), count - 1);
  EXPECT_EQ(place_of_mark(x - y + y), count - 1);
  EXPECT_EQ(integer((x + y).at({Index::at(count - 1)})), 7);
}

TEST_P(LargeTest, ViewsAndBroadcasting) {
  const Array x = mark(count - 1);
  EXPECT_EQ(place_of_mark(copy(flip(x)) + 0), 0);
  EXPECT_EQ(place_of_mark(x.at({Index{.start = 1}}) * x.at({Index{.start = 1}})), count - 2);
  const Array m = reshape(x, {rows, side});
  EXPECT_EQ(place_of_mark(ravel(dense_copy(transpose(m)))), count - 1);
  EXPECT_EQ(place_of_mark(m.at({Index{.start = 1}, Index{.start = 1}}) + 0),
            (rows - 1) * (side - 1) - 1);
  const Array column = zeros({rows, 1}, Scalar::uint8);
  column.at({Index::at(rows - 1), Index::at(0)}).assign(1);
  EXPECT_EQ(integer(sum(m + column, {.dtype = Scalar::int64})), 7 + side);
  const Array one = ones({1}, Scalar::uint8);
  EXPECT_EQ(integer(sum(broadcast_to(one, {2 * count}), {.dtype = Scalar::int64})), 2 * count);
}

TEST_P(LargeTest, ReductionsOverAxes) {
  const Array m = reshape(mark(count - 1), {rows, side});
  EXPECT_EQ(place_of_mark(sum(m, {.axes = 0})), side - 1);
  EXPECT_EQ(place_of_mark(sum(m, {.axes = 1})), rows - 1);
  EXPECT_EQ(integer(argmax(m, {.axes = 0}).at({Index::at(side - 1)})), rows - 1);
  EXPECT_EQ(integer(max(m)), 7);
}

TEST_P(LargeTest, ElementsAtIndices) {
  const Array x = mark(count - 1);
  const std::vector<std::int64_t> places = {count - 1, 0, -1};
  const Array indices = Array::from(places);
  EXPECT_EQ(take(x, indices).as<std::uint8_t>(), (std::vector<std::uint8_t>{7, 0, 7}));
  put(x, Array::from(std::vector<std::int64_t>{count - 1, count - 2}),
      Array::from(std::vector<std::uint8_t>{0, 5}));
  EXPECT_EQ(place_of_mark(x), count - 2);
}

TEST_P(LargeTest, JoinedArrays) {
  const Array x = mark(count - 1);
  const std::vector<Array> parts = {x.at({Index{.start = 9}}), x.at({Index{.stop = 9}})};
  EXPECT_EQ(place_of_mark(concatenate(parts)), count - 10);
  EXPECT_EQ(place_of_mark(roll(x, 5)), 4);
}

TEST_P(LargeTest, Scans) {
  const Array sums = cumulative_sum(mark(count - 3), {.dtype = Scalar::uint8});
  EXPECT_EQ(integer(count_nonzero(sums)), 3);
  EXPECT_EQ(integer(sums.at({Index::at(count - 1)})), 7);
  EXPECT_EQ(integer(searchsorted(sums, Array::from(std::vector<std::uint8_t>{7}))), count - 3);
}

TEST_P(LargeTest, Selections) {
  const Array x = mark(count - 3);
  EXPECT_EQ(integer(flatnonzero(x)), count - 3);
  EXPECT_EQ(selected(x, x == 0).size(), count - 1);
}

TEST_P(LargeTest, SortsAndCounts) {
  const Array x = mark(5);
  EXPECT_EQ(place_of_mark(sorted(x)), count - 1);
  const std::vector<std::int64_t> counts = bincount(x).as<std::int64_t>();
  ASSERT_EQ(counts.size(), 8u);
  EXPECT_EQ(counts.front(), count - 1);
  EXPECT_EQ(counts.back(), 1);
}

TEST_P(LargeTest, RandomNumbers) {
  Generator generator(1);
  const Array x = generator.random({count}, Scalar::float32);
  EXPECT_NEAR(mean(x).item().as_double(), 0.5, 1e-3);
  // The last ones are none of the first: positions are not cut to 32 bits.
  const Array head = x.at({Index{.stop = side}}), tail = x.at({Index{.start = count - side}});
  EXPECT_LT(integer(count_nonzero(head == tail)), 16);
}

}  // namespace
}  // namespace treadle::array

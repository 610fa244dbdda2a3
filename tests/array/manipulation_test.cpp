// SPDX-License-Identifier: MIT
// Views.
#include "treadle/array/manipulation.hpp"

#include <complex>

#include "array/each_array_device.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/joining.hpp"

namespace treadle::array {
namespace {

class ManipulationTest : public OnEachArrayDevice {};
INSTANTIATE_TEST_SUITE_P(Devices, ManipulationTest, each_device(), device_test_name);

TEST_P(ManipulationTest, ViewsOfTheSameBytesAsAnotherDtype) {
  const device::StreamScope scope(shared_stream());
  const Array x = reshape(make({1, 2, 3, 4}), {2, 2});
  const Array bits = view_as(x, Scalar::int32), pairs = view_as(x, Scalar::complex64);
  EXPECT_EQ(bits.shape()[1], 2);
  EXPECT_EQ(pairs.shape()[1], 1);
  bits.assign(0x40000000);
  expect(x, {2, 2, 2, 2});
  EXPECT_EQ(view_as(pairs, Scalar::float32).layout(), x.layout());
  EXPECT_THROW(view_as(transpose(x), Scalar::complex64), InvalidArgument);
  EXPECT_THROW(view_as(transpose(x), Scalar::int16), InvalidArgument);
}

TEST_P(ManipulationTest, ViewsOfTheSameMemory) {
  const device::StreamScope scope(shared_stream());
  const Array x = reshape(make(count_up(6)), {2, 3});
  expect(transpose(x) + 0, {0, 3, 1, 4, 2, 5});
  expect(reshape(transpose(x), {-1}), {0, 3, 1, 4, 2, 5});
  expect(flip(x), {5, 4, 3, 2, 1, 0});
  expect(flip(x, 1), {2, 1, 0, 5, 4, 3});
  expect(diagonal(x, 1), {1, 5});
  expect(broadcast_to(x.at({Index::at(1)}), {2, 3}), {3, 4, 5, 3, 4, 5});
  EXPECT_EQ(expand_dims(x, -1).rank(), 3);
  EXPECT_EQ(squeeze(expand_dims(x, 0), 0).layout(), x.layout());
  EXPECT_EQ(moveaxis(x, 0, 1).layout(), swapaxes(x, 0, 1).layout());
  const std::vector<int> both{1, 0}, ends{0, 3}, twice{0, -2};
  expect(flip(x, both), {5, 4, 3, 2, 1, 0});
  EXPECT_EQ(moveaxis(x, both, std::vector<int>{0, 1}).layout(), transpose(x).layout());
  EXPECT_EQ(expand_dims(x, ends).rank(), 4);
  EXPECT_EQ(squeeze(expand_dims(x, ends), ends).layout(), x.layout());
  EXPECT_THROW(flip(x, twice), InvalidArgument);
  expect(rot90(x), {2, 5, 1, 4, 0, 3});
  expect(rot90(x, -1), {3, 0, 4, 1, 5, 2});
  expect(rot90(x, 2), {5, 4, 3, 2, 1, 0});
  EXPECT_THROW(squeeze(x, 0), ShapeError);
  EXPECT_THROW(flip(x, 2), IndexError);
  EXPECT_THROW(reshape(x, {4}), ShapeError);
  const Array z = x + std::complex<float>(0, 2);
  expect(real_part(z), {0, 1, 2, 3, 4, 5});
  expect(imaginary_part(z), {2, 2, 2, 2, 2, 2});
}

TEST_P(ManipulationTest, WhatOnlyShowsElementsIsReadOnlyAndSoAreItsViews) {
  const device::StreamScope scope(shared_stream());
  const Array x = reshape(make(count_up(4)), {2, 2});
  const Array both[] = {x, make({1, 2})};
  for (const Array& view :
       {diagonal(x), diag(x), broadcast_to(x, {2, 2}), broadcast_to(x, {1, 2, 2}),
        broadcast_arrays(both)[0], broadcast_arrays(both)[1], x.read_only()}) {
    EXPECT_FALSE(view.is_writable());
    EXPECT_FALSE(view.at({Index::at(0)}).is_writable());
    EXPECT_FALSE(reshape(view.at({Index::at(0)}), {-1}).is_writable());
    EXPECT_THROW(view.assign(7), InvalidArgument);
    EXPECT_THROW(transpose(view).assign(7), InvalidArgument);
    EXPECT_TRUE(copy(view).is_writable());
  }
  EXPECT_TRUE(broadcast_arrays(std::vector{x, x})[0].is_writable());
  fill_diagonal(x, 9);
  expect(x, {9, 1, 2, 9});
  EXPECT_THROW(fill_diagonal(make({1}), 9), ShapeError);
}

TEST_P(ManipulationTest, OrdersInWhichElementsAreCounted) {
  const device::StreamScope scope(shared_stream());
  const Array x = reshape(make(count_up(6)), {2, 3});
  expect(reshape(x, {3, 2}, MemoryOrder::fortran), {0, 4, 3, 2, 1, 5});
  expect(reshape(x, {3, -1}, MemoryOrder::c), {0, 1, 2, 3, 4, 5});
  expect(ravel(x, MemoryOrder::fortran), {0, 3, 1, 4, 2, 5});
  EXPECT_TRUE(may_share_memory(ravel(transpose(x), MemoryOrder::fortran), x));
  expect(ravel_in_memory_order(transpose(x)), {0, 1, 2, 3, 4, 5});
  expect(ravel_in_memory_order(flip(x, 1)), {2, 1, 0, 5, 4, 3});
  expect(ravel_in_memory_order(make({1}).at({Index::at(0)})), {1});
}

TEST_P(ManipulationTest, FieldsOfRecordsAreViews) {
  struct Sample {
    float at;
    std::int16_t counts[2];
    std::int16_t grid[2][1][3];
  };
  const DType sample = DType::structure("sample",
                                        {{"at", Scalar::float32, 0},
                                         {"counts", Scalar::int16, 4, {2}},
                                         {"grid", Scalar::int16, 8, {2, 1, 3}}},
                                        sizeof(Sample), 4);
  const device::StreamScope scope(shared_stream());
  const std::vector<Sample> values{{1, {2, 3}, {}}, {4, {5, 6}, {{{1, 2, 3}}, {{4, 5, 6}}}}};
  const Array x = Array::from(values.data(), {2}, sample, here());
  expect(field(x, "at") * 2, {2, 8});
  EXPECT_EQ(field(x, "counts").rank(), 2);
  expect(cast(field(x, "counts"), Scalar::float32), {2, 3, 5, 6});
  const Array grid = field(x, "grid");
  EXPECT_EQ(Shape(grid.shape().begin(), grid.shape().end()), (Shape{2, 2, 1, 3}));
  expect(cast(grid.at({Index::at(1), Index::at(1)}), Scalar::float32), {4, 5, 6});
  grid.at({Index::at(0), Index::at(0)}).assign(8);
  expect(cast(grid.at({Index::at(0)}), Scalar::float32), {8, 8, 8, 0, 0, 0});
  field(x, "at").assign(9);
  x.at({Index::at(1)}).assign(x.at({Index::at(0)}));
  expect(cast(field(x, "counts"), Scalar::float32), {2, 3, 2, 3});
  EXPECT_THROW(field(x, "count"), DTypeError);
  EXPECT_THROW(x + 1, DTypeError);
  EXPECT_THROW(x.assign(1), DTypeError);
  EXPECT_THROW(field(x, "at").assign(x), DTypeError);
  const DType packed =
      DType::structure("packed", {{"tag", Scalar::int8, 0}, {"at", Scalar::float32, 1}}, 5, 1);
  EXPECT_THROW(field(empty({2}, packed, here()), "at"), DTypeError);
}

TEST_P(ManipulationTest, RecordsAreComparedAndChosenWhole) {
  const DType pair =
      DType::structure("pair", {{"at", Scalar::int16, 0, {2}}, {"more", Scalar::int16, 4}}, 6, 2);
  const device::StreamScope scope(shared_stream());
  const std::int16_t values[] = {1, 2, 3, 4, 5, 6}, others[] = {1, 2, 3, 4, 0, 6};
  const Array x = Array::from(values, {2}, pair, here()),
              y = Array::from(others, {2}, pair, here());
  expect(cast(equal(x, y), Scalar::float32), {1, 0});
  expect(cast(not_equal(x, y), Scalar::float32), {0, 1});
  const Array chosen = where(not_equal(x, y), y, x.at({Index::at(1)}));
  expect(cast(field(chosen, "at"), Scalar::float32), {4, 5, 4, 0});
  EXPECT_THROW(equal(x, cast(field(x, "more"), Scalar::float32)), DTypeError);
  EXPECT_THROW(where(equal(x, y), x, 1), DTypeError);
}

TEST_P(ManipulationTest, ViewsOfNoElements) {
  const device::StreamScope scope(shared_stream());
  const Array none = make({});
  EXPECT_EQ(none.at({Index{.start = 3, .stop = 9}}).size(), 0);
  EXPECT_EQ(flip(reshape(none, {3, 0}), 0).size(), 0);
  EXPECT_EQ(reshape(none, {3, 0}).at({Index::at(2)}).size(), 0);
}

TEST_P(ManipulationTest, AxesAreAddedAndTurnedByNumpysNames) {
  const device::StreamScope scope(shared_stream());
  const Array x = make({1, 2, 3, 4}), square = reshape(x, {2, 2});
  EXPECT_EQ(atleast_1d(reshape(make({1}), {})).rank(), 1);
  EXPECT_EQ(atleast_2d(x).shape()[1], 4);
  EXPECT_EQ(atleast_3d(x).shape()[1], 4);
  EXPECT_EQ(atleast_3d(square).shape()[2], 1);
  expect(fliplr(square), {2, 1, 4, 3});
  expect(flipud(square), {3, 4, 1, 2});
  expect(matrix_transpose(square), {1, 3, 2, 4});
  EXPECT_THROW(matrix_transpose(x), ShapeError);
}

}  // namespace
}  // namespace treadle::array

// SPDX-License-Identifier: MIT
// Users' kernels called with arrays: types from the call, layouts of every kind, results made.
#include "treadle/array/user_kernel.hpp"

#include "array/each_array_device.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/base/error.hpp"

namespace treadle::array {
namespace {

using Floats = std::vector<float>;

class UserKernelTest : public OnEachArrayDevice {
 protected:
  void SetUp() override {
    OnEachArrayDevice::SetUp();
    scope_.emplace(shared_stream());
  }
  void TearDown() override {
    scope_.reset();
    OnEachArrayDevice::TearDown();
  }
  /// 0, 1, ... in rows of `columns`.
  Array table(std::int64_t rows, std::int64_t columns) {
    return reshape(make(count_up(static_cast<std::size_t>(rows * columns))), {rows, columns});
  }
  template <class E, class F>
  static void refused(F call, const std::vector<std::string>& words) {
    device::expect_error<E>(call, words);
  }

 private:
  std::optional<device::StreamScope> scope_;
};
INSTANTIATE_TEST_SUITE_P(Devices, UserKernelTest, each_device(), device_test_name);

TEST_P(UserKernelTest, WritesIntoArraysAndMakesThoseThatAreLeftOut) {
  ElementwiseKernel axpy("float a, const float *x, const float *y, float *z, float *w",
                         "z[i] = a * x[i] + y[i]; w[i] = n - i", {.name = "axpy"});
  const Array x = make({1, 2, 3}), y = make({10, 20, 30}), z = make({0, 0, 0});
  const std::vector<Array> made = axpy(2, x, y + 0, z);
  ASSERT_EQ(made.size(), 1u);
  expect(z, {12, 24, 36});
  expect(made[0], {3, 2, 1});
  const std::vector<Array> both = axpy(2, x, y);
  ASSERT_EQ(both.size(), 2u);
  expect(both[0], {12, 24, 36});
}

TEST_P(UserKernelTest, TakesTypesFromTheCall) {
  ElementwiseKernel scale("a, const *x, *y", "x_t scaled = a * x[i]; y[i] = scaled",
                          {.name = "scale"});
  const Array x = make({1, 2, 3}), y = make({0, 0, 0});
  scale(2.5, x, y);
  expect(y, {2.5f, 5, 7.5f});
  const Array counts = cast(x, Scalar::int16), doubled = cast(x, Scalar::int16);
  scale(2, counts, doubled);
  expect(cast(doubled, Scalar::float32), {2, 4, 6});
  const std::vector<Operand> of_counts{2, counts, doubled}, of_floats{2.5, x, y};
  EXPECT_NE(scale.text(of_counts).find("typedef short a_t;"), std::string::npos);
  EXPECT_NE(scale.text(of_floats).find("typedef float a_t;"), std::string::npos);
}

TEST_P(UserKernelTest, BroadcastsArraysOfEveryLayout) {
  ElementwiseKernel add("const float *x, const float *y, float *z", "z[i] = x[i] + 100 * y[i]");
  const Array x = table(2, 3), column = reshape(make({1, 2}), {2, 1});
  expect(add(x, column)[0], {100, 101, 102, 203, 204, 205});
  expect(add(transpose(x), make({1, 2}))[0], {100, 203, 101, 204, 102, 205});
  // Written through a view that is no dense memory.
  const Array wide = reshape(make(Floats(12, -1)), {2, 6});
  const Array every_other = wide.at({Index::all(), {.step = 2}});
  add(flip(x, 1), column, every_other);
  expect(wide, {102, -1, 101, -1, 100, -1, 205, -1, 204, -1, 203, -1});
  expect(add(table(0, 3), make({1, 2, 3}))[0], {});
}

TEST_P(UserKernelTest, TablesHaveShapesOfTheirOwn) {
  ElementwiseKernel look_up("const int *at, const float *table, float *z", "z[i] = table[at[i]]");
  const Array at = Array::from(std::vector{2, 0, 2, 1}, here());
  const Array values = transpose(reshape(make({5, 0, 6, 0, 7, 0}), {3, 2}));
  expect(look_up(at, values)[0], {7, 5, 7, 6});
}

TEST_P(UserKernelTest, RunsOverRanges) {
  ElementwiseKernel mark("float *y", "y[i] = 1");
  const Array y = make(Floats(6));
  const std::vector<Operand> arguments{y};
  mark.call(arguments, kernel::ElementRange{4, -1, -2});
  expect(y, {1, 0, 1, 0, 1, 0});
  refused<IndexError>([&] { mark.call(arguments, kernel::ElementRange{0, 8, 2}); },
                      {"from 0 to 6", "6 elements"});
}

TEST_P(UserKernelTest, TakesComplexNumbersAndRecords) {
  ElementwiseKernel swap("const *z, *w", "w[i].x = z[i].y; w[i].y = z[i].x");
  const float parts[] = {1, 2, 3, 4};
  const Array z = Array::from(parts, {2}, Scalar::complex64, here());
  const Array w = copy(z);
  swap(z, w);
  expect(real_part(w), {2, 4});
  expect(imaginary_part(w), {1, 3});
  const std::pair<std::string, DType> fields[] = {{"x", Scalar::float32}, {"id", Scalar::int32}};
  const DType body = DType::c_structure("body", fields);
  ElementwiseKernel move(
      "float by, body *b", "b[i].x += by; b[i].id = (int)i",
      {.preamble = "typedef struct { float x; int id; } body;", .types = {{"body", body}}});
  const float values[] = {1, 0, 2, 0};
  const Array bodies = Array::from(values, {2}, body, here());
  move(10, bodies);
  expect(field(bodies, "x"), {11, 12});
}

TEST_P(UserKernelTest, RefusesWhatDoesNotFitBeforeAnythingRuns) {
  ElementwiseKernel fill("short a, const float *x, float *y", "y[i] = a + x[i]", {.name = "fill"});
  const Array x = make({1, 2, 3}), row = make({1});
  refused<InvalidArgument>([&] { fill(1, x, x, x); }, {"fill takes 3 arguments", "given 4"});
  refused<InvalidArgument>([&] { fill(1); }, {"argument 1 (x)", "missing"});
  refused<InvalidArgument>([&] { fill(x, x, x); }, {"argument 0 (a)", "is an array"});
  refused<InvalidArgument>([&] { fill(1, 2, x); }, {"argument 1 (x)", "is a number"});
  refused<OverflowError>([&] { fill(40000, x); }, {"40000", "int16"});
  refused<DTypeError>([&] { fill(2.5, x); }, {"argument 0 (a)", "2.5"});
  refused<DTypeError>([&] { fill(1, cast(x, Scalar::float64)); },
                      {"argument 1 (x)", "float32", "float64"});
  refused<ShapeError>([&] { fill(1, x, row); }, {"argument 2 (y)", "(1,)", "(3,)", "const"});
  refused<ShapeError>([&] { fill(1, x, make({1, 2})); }, {"(3,)", "(2,)"});
  refused<InvalidArgument>([&] { fill(1, x, broadcast_to(row, {3})); }, {"read-only"});
  ElementwiseKernel open("a, *y", "y[0] = a");
  refused<InvalidArgument>([&] { open(1, x); }, {"how many", "range"});
  refused<InvalidArgument>([&] { open(1); }, {"argument 1 (y)", "missing"});
  EXPECT_THROW(ElementwiseKernel("float **x", ""), InvalidArgument);
}

// Of native devices, which keep the workspace of their default stream.
class UserReductionTest : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Devices, UserReductionTest, device::each_native_device(),
                         device_test_name);

TEST_P(UserReductionTest, FoldsToAnArrayWithoutAxes) {
  const std::shared_ptr<device::Device> device = device::find_device(GetParam());
  const device::DeviceScope scope(device);
  ReductionKernel dot(
      Scalar::float32,
      {.neutral = "0", .reduce = "a + b", .map = "x[i] * y[i]", .arguments = "const *x, const *y"},
      {.name = "inner"});
  const auto expect = [&](const Array& array, float expected) {
    const Floats values = array.as<float>();
    ASSERT_EQ(values.size(), 1u);
    if (device->info().traits.runs_kernels) {
      EXPECT_EQ(values[0], expected);
    }
  };
  const Array x = reshape(Array::from(Floats{0, 1, 2, 3, 4, 5}), {2, 3}),
              y = Array::from(Floats{1, 10, 100});
  const Array product = dot(x, y);
  EXPECT_EQ(product.rank(), 0);
  expect(product, 753);
  const Array out = Array::from(Floats{0}), turned = transpose(x),
              first = Array::from(Floats{1, 0});
  const std::vector<Operand> arguments{turned, first};
  dot.call(arguments, {.range = kernel::ElementRange{0, 4, 2}, .out = &out});  // 0 and 1
  expect(out, 1);
  expect(dot(empty({0, 3}, Scalar::float32), y), 0);
  const std::vector<Operand> both{x, y};
  const Array rows = dot.call(both, {.axes = 1, .keeps_axes = true});
  EXPECT_TRUE(std::ranges::equal(rows.shape(), Shape{2, 1}));
  if (device->info().traits.runs_kernels) {
    EXPECT_EQ(rows.as<float>(), (Floats{210, 543}));
    EXPECT_EQ(dot.call(both, {.axes = 0}).as<float>(), (Floats{3, 50, 700}));
  }
  device::expect_error<InvalidArgument>([&] { dot.call(arguments, {.out = &x}); },
                                        {"out", "(2, 3)"});
  device::expect_error<InvalidArgument>([&] { dot(x); }, {"inner takes 2 arguments"});
}

TEST_P(UserReductionTest, FoldsToSeveralArraysInOnePass) {
  const std::shared_ptr<device::Device> device = device::find_device(GetParam());
  const device::DeviceScope scope(device);
  ReductionKernel moments({{Scalar::float32, "0", "a + b", "x[i]"},
                           {Scalar::int64, "0", "a + b", "x[i] > 2"},
                           {Scalar::int16, "0", "a | b", "1 << i"}},
                          "const *x", {.name = "moments"});
  const Array x = reshape(Array::from(Floats{0, 1, 2, 3, 4, 5}), {2, 3});
  const std::vector<Operand> arguments{x};
  const std::vector<Array> all = moments.results(x);
  ASSERT_EQ(all.size(), 3u);
  const std::vector<Array> columns = moments.call_all(arguments, {.axes = 0, .keeps_axes = true});
  EXPECT_TRUE(std::ranges::equal(columns[1].shape(), Shape{1, 3}));
  if (device->info().traits.runs_kernels) {
    EXPECT_EQ(all[0].as<float>(), (Floats{15}));
    EXPECT_EQ(all[1].as<std::int64_t>(), (std::vector<std::int64_t>{3}));
    EXPECT_EQ(columns[0].as<float>(), (Floats{3, 5, 7}));
    EXPECT_EQ(columns[2].as<std::int16_t>(), (std::vector<std::int16_t>{9, 18, 36}));
  }
  device::expect_error<InvalidArgument>([&] { moments(x); }, {"moments has 3 results"});
  const Array out = Array::from(Floats{0, 0});
  device::expect_error<InvalidArgument>(
      [&] { moments.call_all(arguments, {}, std::span(&out, 1)); }, {"out of", "1 arrays", "3"});
  ReductionKernel twice(
      {{Scalar::float32, "0", "a + b", "x[i]"}, {Scalar::float32, "0", "a + b", "-x[i]"}},
      "const float *x");
  const Array sums[] = {Array::from(Floats{0}), Array::from(Floats{0})},
              same[] = {sums[0], sums[0]};
  device::expect_error<InvalidArgument>([&] { twice.call_all(arguments, {}, same); },
                                        {"out[0] and out[1]", "share memory"});
  twice.call_all(arguments, {}, sums);
  if (device->info().traits.runs_kernels) {
    EXPECT_EQ(sums[1].as<float>(), (Floats{-15}));
  }
}

TEST_P(UserKernelTest, ScansGiveEachElementWhatIsBefore) {
  ScanKernel total(Scalar::float32, {.arguments = "const *x, float *y, float *before",
                                     .input = "x[i]",
                                     .scan = "a + b",
                                     .output = "y[i] = item; before[i] = prev_item",
                                     .neutral = "0"});
  const std::vector<Array> made = total(make({1, 2, 3, 4}));
  ASSERT_EQ(made.size(), 2u);
  expect(made[0], {1, 3, 6, 10});
  expect(made[1], {0, 1, 3, 6});
  // In C's order, whatever lies where; what is pending is computed, and broadcast.
  const Array columns = transpose(table(2, 3)) + 0;
  expect(ravel(total(columns + make({1}))[0]), {1, 5, 7, 12, 15, 21});
  Array target = table(3, 4).at({Index{}, Index{.stop = 2}});
  EXPECT_EQ(total(make({1, 1, 1}), make({0, 0, 0})).size(), 1u);
  total(broadcast_to(make({1}), {3, 2}), target);
  expect(ravel(target), {1, 2, 3, 4, 5, 6});
}

TEST_P(UserKernelTest, ScansWriteIntoTablesAndBeginAnew) {
  ScanKernel positive(Scalar::int32, {.arguments = "const *x, int *found",
                                      .input = "x[i] > 0",
                                      .scan = "a + b",
                                      .output = "if (item != prev_item) found[prev_item] = (int)i",
                                      .neutral = "0"});
  const Array found = zeros({5}, Scalar::int32);
  positive(make({1, -1, 2, 0, 3}), found);
  expect(cast(found, Scalar::float32), {0, 2, 4, 0, 0});
  ScanKernel lengths(Scalar::int32, {.arguments = "const *key, int *length",
                                     .input = "1",
                                     .scan = "across_seg_boundary ? b : a + b",
                                     .output = "length[i] = item",
                                     .segment_start = "i == 0 || now != last",
                                     .fetches = {{"now", "key", 0}, {"last", "key", -1}}});
  expect(cast(lengths(make({4, 4, 2, 2, 2, 4}))[0], Scalar::float32), {1, 2, 1, 2, 3, 1});
}

TEST_P(UserKernelTest, ScansRefuseWhatDoesNotFit) {
  ScanKernel total(Scalar::float32, {.arguments = "const *x, float *y",
                                     .input = "x[i]",
                                     .scan = "a + b",
                                     .output = "y[i] = item"});
  refused<InvalidArgument>([&] { total(1, make({1})); }, {"argument 0 (x)", "declared a pointer"});
  refused<ShapeError>([&] { total(make({1, 2}), make({1})); }, {"argument 1 (y)", "(1,)"});
  refused<InvalidArgument>([&] { total(); }, {"argument 0 (x)", "missing"});
  ScanKernel counted(Scalar::int32, {.arguments = "const *x, int *item",
                                     .input = "x[i] > 0",
                                     .scan = "a + b",
                                     .output = "item[0] = 1"});
  refused<InvalidArgument>([&] { counted(make({1}), zeros({1}, Scalar::int32)); }, {"item"});
}

}  // namespace
}  // namespace treadle::array

// SPDX-License-Identifier: MIT
// Reductions on every device, in both schedules, against a loop on the host.
#include "treadle/kernel/reduction.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <thread>

#include "reduced.hpp"
#include "treadle/base/half.hpp"
#include "treadle/device/null.hpp"
#include "views.hpp"

namespace treadle::kernel {
namespace {

using codegen::Expression;
using codegen::ExpressionBuilder;
using codegen::Fold;
using codegen::reduction_of;
using codegen::ReductionExpression;
using codegen::Value;
using Axes = std::vector<std::size_t>;

Expression plain_leaf(Scalar dtype) {
  ExpressionBuilder build;
  build.output(build.leaf(dtype));
  return build.build();
}

/// Numbers of 16 bits as the tests compare them.
struct Half {
  Half() = default;
  explicit Half(double value) : bits(half_from(value)) {}
  explicit operator double() const { return half_value(bits); }
  bool operator==(const Half&) const = default;
  std::uint16_t bits = 0;
};

class ReductionTest : public testing::TestWithParam<std::tuple<std::string, Schedule>> {
 protected:
  void SetUp() override {
    device_ = device::find_device(std::get<0>(GetParam()));
    stream_ = device_->make_stream();
  }
  Schedule schedule() const { return std::get<1>(GetParam()); }
  const std::shared_ptr<device::Device>& device() const { return device_; }
  device::Stream& stream() const { return *stream_; }
  bool runs_kernels() const { return device_->info().traits.runs_kernels; }

  /// The results of a reduction of one array.
  template <class Out, class In>
  std::vector<Out> reduce(const ReductionExpression& expression, const Extents& extents,
                          const View<In>& view, const Axes& axes,
                          const std::vector<ElementBytes>& scalars = {}) const {
    const Extents kept = kept_extents(extents, axes);
    std::size_t count = 1;
    for (const std::int64_t extent : kept) count *= static_cast<std::size_t>(extent);
    const memory::Buffer in(device_, view.memory);
    const memory::Buffer out(device_, std::vector<Out>(count + 1, Out(77)));
    const Extents in_strides = in_bytes(view.strides, sizeof(In)),
                  out_strides = in_bytes(c_order(kept), sizeof(Out));
    const ElementwiseArray arrays[] = {
        {in.location() + static_cast<std::uint64_t>(view.first) * sizeof(In), in_strides},
        {out.location(), out_strides}};
    launch_reduction(stream(), {expression, extents, axes, arrays, scalars, schedule()});
    stream().synchronize();
    std::vector<Out> results(count + 1);
    out.copy_to(results);
    if (runs_kernels()) {
      EXPECT_TRUE(results[count] == Out(77)) << "a result too many";
    }
    results.resize(count);
    return results;
  }

  static Extents kept_extents(const Extents& extents, const Axes& axes) {
    Extents kept;
    for (std::size_t axis = 0; axis < extents.size(); ++axis)
      if (std::ranges::find(axes, axis) == axes.end()) kept.push_back(extents[axis]);
    return kept;
  }
  /// The elements that each result is made of, in C order.
  template <class T>
  static std::vector<std::vector<T>> groups(View<T>& view, const Extents& extents,
                                            const Axes& axes) {
    const Extents kept = c_order(kept_extents(extents, axes));
    std::size_t count = 1;
    for (const std::int64_t extent : kept_extents(extents, axes))
      count *= static_cast<std::size_t>(extent);
    std::vector<std::vector<T>> all(count);
    visit(extents, [&](const Extents& index) {
      std::int64_t at = 0;
      for (std::size_t axis = 0, k = 0; axis < extents.size(); ++axis)
        if (std::ranges::find(axes, axis) == axes.end()) at += index[axis] * kept[k++];
      all[static_cast<std::size_t>(at)].push_back(element(view, index));
    });
    return all;
  }

  /// Real numbers of a dtype, reduced to another.
  template <class Out, class In>
  void expect_reduces(Reduction reduction, const Extents& extents, const Extents& strides,
                      const Axes& axes, Scalar dtype) const {
    const ReductionExpression expression = reduction_of(reduction, plain_leaf(dtype));
    View<In> view = view_of<In>(extents, strides, 1);
    std::vector<ElementBytes> scalars;
    std::vector<std::vector<In>> expected;
    if (runs_kernels() || reduction == Reduction::mean) expected = groups(view, extents, axes);
    if (reduction == Reduction::mean) {
      const double n = expected.empty() ? 0 : static_cast<double>(expected[0].size());
      const bool is_single = expression.epilogue.scalars[0] == Scalar::float32;
      scalars.push_back(is_single ? scalar_bytes(static_cast<float>(n)) : scalar_bytes(n));
    }
    const auto got = reduce<Out>(expression, extents, view, axes, scalars);
    if (!runs_kernels()) return;
    for (std::size_t i = 0; i < got.size(); ++i) {
      std::vector<double> values;
      for (const In& value : expected[i]) values.push_back(static_cast<double>(value));
      const double wanted = reduced(reduction, values);
      ASSERT_EQ(static_cast<double>(got[i]), static_cast<double>(Out(wanted)))
          << "reduction " << int(reduction) << " of " << DType(dtype).name() << ", result " << i;
    }
  }
  /// Whether to try a case of many: each third where the schedule is not the device's own. It is on
  /// devices of the other kind, and compilers for processors take a second for a wide kernel.
  bool is_tried(int index) const {
    const bool is_own = std::get<1>(GetParam()) == device_->info().traits.schedule;
    return is_own || index % 3 == 0;
  }
  /// All folds of one dtype.
  template <class T>
  void expect_every_fold(const Extents& extents, const Axes& axes, Scalar dtype) const;
  template <class T>
  void expect_sums(const Extents& extents, const Extents& strides, const Axes& axes) const {
    using Out = std::conditional_t<std::is_integral_v<T>, std::int64_t, T>;
    expect_reduces<Out, T>(Reduction::sum, extents, strides, axes, dtype_of<T>().scalar());
  }

 private:
  std::shared_ptr<device::Device> device_;
  std::shared_ptr<device::Stream> stream_;
};
INSTANTIATE_TEST_SUITE_P(Devices, ReductionTest, each_device_and_schedule(), schedule_test_name);

TEST_P(ReductionTest, SumsOfAnyLength) {
  for (const std::int64_t n :
       {0, 1, 2, 31, 32, 33, 255, 256, 2047, 2048, 2049, 65535, 65536, 65537, 1 << 18, 1'000'003}) {
    expect_sums<float>({n}, {1}, {0});
    expect_sums<std::int32_t>({n}, {1}, {0});
  }
  expect_sums<float>({}, {}, {});
}

TEST_P(ReductionTest, SumsWithAnyStride) {
  for (const std::int64_t n : {1000, 300'000}) {
    expect_sums<float>({n}, {-1}, {0});
    expect_sums<float>({n}, {3}, {0});
    expect_sums<float>({n}, {-2}, {0});
    expect_sums<float>({n}, {0}, {0});
    expect_sums<std::int8_t>({n}, {1}, {0});
  }
}

TEST_P(ReductionTest, SumsAlongAxes) {
  const std::vector<std::pair<Extents, std::vector<Axes>>> cases = {
      {{7, 5}, {{0}, {1}, {0, 1}, {}}},
      {{300, 40}, {{0}, {1}}},
      {{3, 3000}, {{0}, {1}, {0, 1}}},
      {{3000, 3}, {{0}, {1}}},
      {{500, 9}, {{0}, {1}}},
      {{90, 128}, {{0}, {1}}},
      {{70, 260}, {{0}, {1}}},
      {{20, 1, 33}, {{0}, {1}, {2}, {0, 2}, {2, 1}}},
      {{5, 6, 7, 8}, {{0}, {1}, {2}, {3}, {0, 2}, {1, 3}, {0, 3}, {1, 2}, {0, 1, 3}}},
      {{0, 5}, {{0}, {1}}},
  };
  int index = 0;
  for (const auto& [extents, all_axes] : cases)
    for (const Axes& axes : all_axes) {
      if (!is_tried(index++)) continue;
      expect_sums<float>(extents, c_order(extents), axes);
      Extents fortran = c_order({extents.rbegin(), extents.rend()});
      std::ranges::reverse(fortran);
      expect_sums<float>(extents, fortran, axes);
    }
}

TEST_P(ReductionTest, SumsAlongAxesOfAnyStride) {
  const Extents extents{40, 6, 150};
  int index = 0;
  for (const Axes& axes : std::vector<Axes>{{0}, {1}, {2}, {0, 1}, {0, 2}, {1, 2}, {0, 1, 2}})
    for (const Extents& strides : std::vector<Extents>{{-900, 150, 1},
                                                       {1800, 300, -2},
                                                       {0, 150, 1},
                                                       {150, 0, 1},
                                                       {6, 1, 0},
                                                       {1, 6000, 40},
                                                       {2000, 320, 2}})
      if (is_tried(index++)) expect_sums<std::int16_t>(extents, strides, axes);
}

TEST_P(ReductionTest, SharesFewLongRowsAndColumnsBetweenGroups) {
  const Extents rows{2, 200'000}, columns{30'000, 20};
  expect_sums<float>(rows, c_order(rows), {1});
  expect_sums<float>(columns, c_order(columns), {0});
  expect_sums<float>(columns, {1, 30'000}, {0});
  const Extents many{3, 9000, 2, 5};
  expect_sums<float>(many, c_order(many), {1});
  expect_sums<float>(many, c_order(many), {1, 3});
}

/// The folds of one dtype, all of them in one kernel: as many kernels as there are dtypes.
constexpr Reduction each_fold[] = {Reduction::sum,     Reduction::product, Reduction::minimum,
                                   Reduction::maximum, Reduction::any,     Reduction::all,
                                   Reduction::argmin,  Reduction::argmax};

ReductionExpression every_fold(Scalar dtype) {
  ReductionExpression all;
  ExpressionBuilder map, epilogue;
  const Value x = map.leaf(dtype);
  for (const Reduction reduction : each_fold) {
    const ReductionExpression one = reduction_of(reduction, plain_leaf(dtype));
    map.output(map.cast(x, one.map.dtype_of(one.map.outputs[0]).scalar()));
    all.folds.push_back(one.folds[0]);
    const Value leaf = epilogue.leaf(one.folded_dtype(0));
    epilogue.output(epilogue.cast(leaf, reduction_dtypes(reduction, dtype).result));
  }
  all.map = map.build();
  all.epilogue = epilogue.build();
  return all;
}

double number(Scalar dtype, const std::byte* bytes) {
  const auto read = [&]<class T>(T value) {
    std::memcpy(&value, bytes, sizeof(T));
    return static_cast<double>(value);
  };
  switch (dtype) {
    case Scalar::boolean:
    case Scalar::uint8:
      return read(std::uint8_t{});
    case Scalar::int8:
      return read(std::int8_t{});
    case Scalar::uint16:
      return read(std::uint16_t{});
    case Scalar::int16:
      return read(std::int16_t{});
    case Scalar::uint32:
      return read(std::uint32_t{});
    case Scalar::int32:
      return read(std::int32_t{});
    case Scalar::uint64:
      return read(std::uint64_t{});
    case Scalar::int64:
      return read(std::int64_t{});
    case Scalar::float16:
      return read(Half{});
    case Scalar::float32:
      return read(float{});
    default:
      return read(double{});
  }
}

template <class T>
void ReductionTest::expect_every_fold(const Extents& extents, const Axes& axes,
                                      Scalar dtype) const {
  const ReductionExpression expression = every_fold(dtype);
  View<T> view = view_of<T>(extents, c_order(extents), 1);
  // Mostly ones, so that products are exact.
  for (std::size_t i = 0; i < view.memory.size(); ++i) {
    const auto rare = static_cast<int>(i / 7 % 5) - (std::is_unsigned_v<T> ? 0 : 1);
    view.memory[i] = static_cast<T>(i % 7 != 3 ? 1 : dtype == Scalar::boolean ? rare != 0 : rare);
  }
  const auto expected = groups(view, extents, axes);
  const std::size_t results = expected.size();
  // 8 bytes for each, of which narrower results leave some as they were.
  std::vector<std::byte> got(results * 8 * std::size(each_fold), std::byte{77});
  const memory::Buffer in(device(), view.memory), out(device(), got);
  const Extents in_strides = in_bytes(view.strides, sizeof(T)),
                out_strides = in_bytes(c_order(kept_extents(extents, axes)), 8);
  std::vector<ElementwiseArray> arrays{{in.location(), in_strides}};
  for (std::size_t i = 0; i < std::size(each_fold); ++i)
    arrays.push_back({out.location() + i * results * 8, out_strides});
  launch_reduction(stream(), {expression, extents, axes, arrays, {}, schedule()});
  stream().synchronize();
  out.copy_to(got);
  if (!runs_kernels()) return;
  for (std::size_t i = 0; i < std::size(each_fold); ++i)
    for (std::size_t k = 0; k < results; ++k) {
      std::vector<double> values;
      for (const T& value : expected[k]) values.push_back(static_cast<double>(value));
      const double wanted = reduced(each_fold[i], values);
      const Scalar result = reduction_dtypes(each_fold[i], dtype).result;
      ASSERT_EQ(number(result, &got[(i * results + k) * 8]), wanted)
          << "reduction " << int(each_fold[i]) << " of " << DType(dtype).name() << ", result " << k;
    }
}

TEST_P(ReductionTest, EveryFoldOfEveryDtype) {
  const Extents extents{40, 30};
  for (const Axes& axes : std::vector<Axes>{{0, 1}, {0}, {1}})
    expect_every_fold<float>(extents, axes, Scalar::float32);
  expect_every_fold<std::int8_t>(extents, {0, 1}, Scalar::int8);
  expect_every_fold<std::uint8_t>(extents, {1}, Scalar::boolean);
  expect_every_fold<Half>(extents, {1}, Scalar::float16);
  expect_every_fold<double>(extents, {1}, Scalar::float64);
  expect_every_fold<std::int64_t>(extents, {0}, Scalar::int64);
  expect_every_fold<std::int32_t>(extents, {0}, Scalar::int32);
  expect_every_fold<std::uint16_t>(extents, {1}, Scalar::uint16);
  expect_every_fold<std::uint64_t>(extents, {0, 1}, Scalar::uint64);
}

TEST_P(ReductionTest, MeansAndCounts) {
  const Extents extents{40, 3000}, strides = c_order(extents);
  expect_reduces<float, float>(Reduction::mean, extents, strides, {1}, Scalar::float32);
  expect_reduces<double, std::int8_t>(Reduction::mean, extents, strides, {0, 1}, Scalar::int8);
  expect_reduces<std::int64_t, float>(Reduction::count_nonzero, extents, strides, {0},
                                      Scalar::float32);
}

TEST_P(ReductionTest, ComplexNumbersAreSummedAndComparedByTheRealPart) {
  using Complex = std::complex<float>;
  const Extents extents{3000};
  View<Complex> view{std::vector<Complex>(3000), {1}, 0};
  for (int i = 0; i < 3000; ++i) view.memory[i] = {float(i % 7), float(i % 11)};
  Complex sum = 0;
  for (const Complex& value : view.memory) sum += value;
  const auto reduced_to = [&]<class Out>(Out, Reduction reduction) {
    return reduce<Out>(reduction_of(reduction, plain_leaf(Scalar::complex64)), extents, view,
                       {0})[0];
  };
  const Complex got = reduced_to(Complex{}, Reduction::sum);
  const Complex largest = reduced_to(Complex{}, Reduction::maximum);
  const std::int64_t place = reduced_to(std::int64_t{}, Reduction::argmax);
  if (!runs_kernels()) return;
  EXPECT_EQ(got, sum);
  EXPECT_EQ(largest, Complex(6, 10));
  EXPECT_EQ(view.memory[place], Complex(6, 10));
  EXPECT_EQ(std::ranges::find(view.memory, Complex(6, 10)) - view.memory.begin(), place);
}

TEST_P(ReductionTest, NanIsAnExtremumOrIsIgnored) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto folded = [&]<class Out>(Out, Fold fold, const std::vector<float>& values) {
    ReductionExpression expression{plain_leaf(Scalar::float32), {fold}, {}};
    expression.epilogue = plain_leaf(expression.folded_dtype(0));
    return reduce<Out>(expression, {static_cast<std::int64_t>(values.size())},
                       View<float>{values, {1}, 0}, {0})[0];
  };
  for (const std::size_t n : {5u, 3000u, 200'000u}) {
    std::vector<float> values(n, 1.0f);
    values[n / 2] = nan;
    values[n - 1] = nan;
    values[1] = -3.0f;
    const float least = folded(float{}, Fold::minimum, values);
    const float least_number = folded(float{}, Fold::fmin, values);
    const float largest_number = folded(float{}, Fold::fmax, values);
    const auto place = folded(std::int64_t{}, Fold::argmin, values);
    const float none = folded(float{}, Fold::fmax, std::vector<float>(n, nan));
    if (!runs_kernels()) return;
    EXPECT_TRUE(std::isnan(least));
    EXPECT_EQ(least_number, -3.0f);
    EXPECT_EQ(largest_number, 1.0f);
    EXPECT_EQ(place, static_cast<std::int64_t>(n / 2)) << "the first NaN wins";
    EXPECT_TRUE(std::isnan(none));
  }
}

TEST_P(ReductionTest, TheFirstOfEqualPlacesWinsInEveryOrderOfMemory) {
  const Extents extents{300, 400};
  View<float> view{std::vector<float>(120'000, 5.0f), {1, 300}, 0};
  for (const std::int64_t row : {299, 150, 7})
    for (const std::int64_t column : {399, 200, 30}) view.memory[row + 300 * column] = -1.0f;
  const auto expression = reduction_of(Reduction::argmin, plain_leaf(Scalar::float32));
  const auto whole = reduce<std::int64_t>(expression, extents, view, {0, 1});
  const auto along = reduce<std::int64_t>(expression, extents, view, {0});
  if (!runs_kernels()) return;
  EXPECT_EQ(whole[0], 7 * 400 + 30);
  EXPECT_EQ(along[200], 7);
  EXPECT_EQ(along[0], 0) << "all are equal";
}

/// Tiles, rounds, vectors and their ends: wherever the winner is, it is found.
TEST_P(ReductionTest, PlacesAreFoundWhereverTheyAre) {
  const auto expect_place = [&]<class T>(T others, T winner, std::size_t n, std::size_t at) {
    const auto expression = reduction_of(winner < others ? Reduction::argmin : Reduction::argmax,
                                         plain_leaf(dtype_of<T>().scalar()));
    for (const std::int64_t first : {0, 1}) {  // aligned, and not
      View<T> view{std::vector<T>(n + 1, others), {1}, first};
      view.memory[static_cast<std::size_t>(first) + at] = winner;
      const auto got = reduce<std::int64_t>(expression, {static_cast<std::int64_t>(n)}, view, {0});
      if (runs_kernels()) {
        ASSERT_EQ(got[0], static_cast<std::int64_t>(at)) << n << " elements";
      }
    }
  };
  const float lowest = -std::numeric_limits<float>::infinity();
  for (const std::size_t n : {1u, 2047u, 2048u, 100'000u})
    for (const std::size_t at : {std::size_t{0}, n / 3, n - 1}) {
      expect_place(lowest, at == 0 ? lowest : 2.5f, n, at);  // all equal: the first
      expect_place(std::int8_t{127}, std::int8_t{126}, n, at);
    }
}

/// sum(x * y) and max(x), their ratio, from one pass.
TEST_P(ReductionTest, SeveralFoldsAndAnEpilogueAreOnePass) {
  ExpressionBuilder map;
  const Value x = map.leaf(Scalar::float32), y = map.leaf(Scalar::float32);
  map.output(map.step(Op::multiply, Scalar::float32, {x, y}));
  map.output(x);
  ExpressionBuilder epilogue;
  const Value dot = epilogue.leaf(Scalar::float32), largest = epilogue.leaf(Scalar::float32);
  const Value weight = epilogue.leaf(Scalar::float32);
  const Value scaled = epilogue.step(Op::divide, Scalar::float32, {dot, largest});
  epilogue.output(scaled);
  epilogue.output(epilogue.step(Op::multiply, Scalar::float32,
                                {epilogue.step(Op::add, Scalar::float32, {scaled, weight}),
                                 epilogue.scalar(Scalar::float32)}));
  const ReductionExpression expression{map.build(), {Fold::sum, Fold::maximum}, epilogue.build()};
  constexpr std::size_t rows = 5, length = 40'000;
  std::vector<float> a(rows * length), b(length), weights(rows);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = float(i % 5 + i / length);
  for (std::size_t i = 0; i < length; ++i) b[i] = float(i % 3);
  for (std::size_t i = 0; i < rows; ++i) weights[i] = float(10 * i);
  const memory::Buffer in_a(device(), a), in_b(device(), b), out(device(), rows * 4),
      scaled_out(device(), rows * 4), in_weights(device(), weights);
  const Extents extents{rows, length}, a_strides{length * 4, 4}, b_strides{0, 4}, one{4};
  const ElementwiseArray arrays[] = {{in_a.location(), a_strides},
                                     {in_b.location(), b_strides},
                                     {out.location(), one},
                                     {scaled_out.location(), one},
                                     {in_weights.location(), one}};
  const Axes axes{1};
  const ElementBytes two[] = {scalar_bytes(2.0f)};
  launch_reduction(stream(), {expression, extents, axes, arrays, two, schedule()});
  stream().synchronize();
  std::vector<float> got(rows), got_scaled(rows);
  out.copy_to(got);
  scaled_out.copy_to(got_scaled);
  if (!runs_kernels()) return;
  for (std::size_t row = 0; row < rows; ++row) {
    double sum = 0, most = 0;
    for (std::size_t i = 0; i < length; ++i) {
      sum += double(a[row * length + i]) * b[i];
      most = std::max(most, double(a[row * length + i]));
    }
    EXPECT_EQ(got[row], float(sum) / float(most));
    EXPECT_EQ(got_scaled[row], (got[row] + weights[row]) * 2);
  }
}

/// The fold, the constant of the map and the value of the epilogue would all be maximum_1.
TEST_P(ReductionTest, ValuesOfBothExpressionsAndFoldsHaveNamesOfTheirOwn) {
  ExpressionBuilder map, epilogue;
  const Value x = map.leaf(Scalar::float32);
  map.output(map.step(Op::maximum, Scalar::float32, {x, x}));
  map.output(x);
  const Value sum = epilogue.leaf(Scalar::float32);
  const Value same = epilogue.step(Op::maximum, Scalar::float32, {sum, sum});
  epilogue.output(epilogue.step(Op::add, Scalar::float32, {same, epilogue.leaf(Scalar::float32)}));
  const ReductionExpression expression{map.build(), {Fold::sum, Fold::maximum}, epilogue.build()};
  const auto got = reduce<float>(expression, {1000}, View<float>{{7}, {0}, 0}, {0});
  if (runs_kernels()) {
    EXPECT_EQ(got, std::vector<float>{7007});
  }
}

TEST_P(ReductionTest, PositionsAreThoseOfTheWholeSpace) {
  ExpressionBuilder map;
  map.output(map.position());
  ReductionExpression expression{map.build(), {Fold::sum}, plain_leaf(Scalar::int64)};
  const memory::Buffer out(device(), 30 * 8);
  const Extents extents{20, 30}, one{8};
  const ElementwiseArray arrays[] = {{out.location(), one}};
  const Axes axes{0};
  launch_reduction(stream(), {expression, extents, axes, arrays, {}, schedule()});
  stream().synchronize();
  std::vector<std::int64_t> got(30);
  out.copy_to(got);
  if (!runs_kernels()) return;
  for (std::int64_t i = 0; i < 30; ++i) EXPECT_EQ(got[i], 30 * (19 * 20 / 2) + 20 * i);
}

TEST_P(ReductionTest, TheSameBitsInEveryRun) {
  const Extents flat{1 << 20}, wide{1 << 10, 1 << 10};
  View<float> view = view_of<float>(flat, {1}, 1);
  std::mt19937 random(5);
  for (float& value : view.memory) value = std::uniform_real_distribution<float>(-1, 1)(random);
  const auto expression = reduction_of(Reduction::sum, plain_leaf(Scalar::float32));
  const View<float> square{view.memory, {1 << 10, 1}, 0};
  const auto first = reduce<float>(expression, flat, view, {0});
  const auto first_columns = reduce<float>(expression, wide, square, {0});
  for (int run = 0; run < 100; ++run) ASSERT_EQ(reduce<float>(expression, flat, view, {0}), first);
  for (int run = 0; run < 10; ++run)
    ASSERT_EQ(reduce<float>(expression, wide, square, {0}), first_columns);
  if (!runs_kernels()) return;
  double sum = 0;
  for (std::size_t i = 0; i < 1 << 20; ++i) sum += view.memory[i];
  EXPECT_NEAR(first[0], sum, 1e-2);
}

TEST_P(ReductionTest, ThreadsAndStreamsShareADevice) {
  const auto expression = reduction_of(Reduction::sum, plain_leaf(Scalar::int32));
  constexpr std::size_t n = 300'000;
  std::vector<std::int32_t> values(n);
  std::iota(values.begin(), values.end(), 0);
  const memory::Buffer in(device(), values);
  const auto shared = device()->make_stream();
  std::vector<std::thread> threads;
  std::vector<int> wrong(6);
  for (std::size_t t = 0; t < wrong.size(); ++t)
    threads.emplace_back([&, t] {
      const auto own = t < 3 ? device()->make_stream() : shared;
      const memory::Buffer out(device(), 50 * 8);
      const Extents extents{n}, one{4}, none;
      const Axes axes{0};
      for (std::size_t i = 0; i < 50; ++i) {
        const ElementwiseArray arrays[] = {{in.location(), one}, {out.location() + 8 * i, none}};
        launch_reduction(*own, {expression, extents, axes, arrays, {}, schedule()});
      }
      own->synchronize();
      std::vector<std::int64_t> got(50);
      out.copy_to(got);
      for (const std::int64_t sum : got) wrong[t] += sum != std::int64_t{n} * (n - 1) / 2;
    });
  for (auto& thread : threads) thread.join();
  if (runs_kernels()) {
    EXPECT_EQ(wrong, std::vector<int>(6, 0));
  }
}

TEST_P(ReductionTest, NoElementsGiveTheNeutralElementOrAnError) {
  for (const Extents& extents : std::vector<Extents>{{0}, {4, 0}, {0, 40}}) {
    const Axes axes{extents.size() - 1 - (extents.back() == 40)};
    const auto reduce_none = [&]<class Out>(Out, Reduction reduction) {
      const View<float> view = view_of<float>(extents, c_order(extents), 1);
      return reduce<Out>(reduction_of(reduction, plain_leaf(Scalar::float32)), extents, view, axes);
    };
    for (const float value : reduce_none(float{}, Reduction::product)) {
      if (runs_kernels()) {
        EXPECT_EQ(value, 1.0f);
      }
    }
    for (const std::uint8_t value : reduce_none(std::uint8_t{}, Reduction::any)) {
      if (runs_kernels()) {
        EXPECT_EQ(value, 0);
      }
    }
    device::expect_error<ShapeError>([&] { reduce_none(float{}, Reduction::maximum); },
                                     {"maximum of no elements"});
    device::expect_error<ShapeError>([&] { reduce_none(std::int64_t{}, Reduction::argmin); },
                                     {"argmin"});
  }
}

TEST_P(ReductionTest, RefusesWhatDoesNotFit) {
  const auto expression = reduction_of(Reduction::sum, plain_leaf(Scalar::float32));
  const memory::Buffer memory(device(), 4000);
  const Extents extents{10, 10}, strides{40, 4}, one{4}, zero{0};
  const ElementwiseArray in{memory.location(), strides}, out{memory.location() + 2000, one},
      still{memory.location() + 2000, zero};
  const auto launch = [&](const Axes& axes, const std::vector<ElementwiseArray>& arrays) {
    launch_reduction(stream(), {expression, extents, axes, arrays, {}, schedule()});
  };
  device::expect_error<InvalidArgument>([&] { launch({2}, {in, out}); }, {"axis 2", "2 axes"});
  device::expect_error<InvalidArgument>([&] { launch({0, 0}, {in, out}); }, {"axis 0"});
  device::expect_error<InvalidArgument>([&] { launch({0}, {in}); }, {"1 arrays", "has 2"});
  device::expect_error<InvalidArgument>([&] { launch({0, 1}, {in, out}); }, {"1 strides"});
  device::expect_error<InvalidArgument>([&] { launch({0}, {in, still}); }, {"stride 0"});
}

TEST(ReductionPlans, AFullSumIsOneLaunch) {
  const auto null = device::make_null_device();
  const auto expression = reduction_of(Reduction::sum, plain_leaf(Scalar::float32));
  const memory::Buffer in(null, std::size_t{4} << 20), out(null, 8);
  const Extents extents{1 << 20}, one{4}, none;
  const Axes axes{0};
  const ElementwiseArray arrays[] = {{in.location(), one}, {out.location(), none}};
  for (int i = 0; i < 3; ++i)
    launch_reduction(*null->default_stream(), {expression, extents, axes, arrays});
  std::vector<std::string> work;
  for (const std::string& call : device::null_calls(*null))
    if (call.starts_with("launch") || call.starts_with("fill") || call.starts_with("copy"))
      work.push_back(call);
  // 8 groups for one compute unit; the tickets are set to 0 once.
  ASSERT_EQ(work.size(), 4u) << testing::PrintToString(work);
  EXPECT_TRUE(work[0].starts_with("fill")) << work[0];
  EXPECT_EQ(work[1], "launch sum_f32 8x1x1 256x1x1 7");
  EXPECT_EQ(work[3], work[1]);
}

}  // namespace
}  // namespace treadle::kernel

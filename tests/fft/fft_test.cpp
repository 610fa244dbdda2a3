// SPDX-License-Identifier: MIT
#include "treadle/fft/fft.hpp"

#include <cmath>
#include <complex>
#include <numbers>
#include <numeric>
#include <string>
#include <vector>

#include "array/each_array_device.hpp"
#include "base/message_of.hpp"
#include "fft/generated.hpp"
#include "treadle/array/elementwise.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/base/error.hpp"

namespace treadle::fft {
namespace {

using array::Array;
using Complex = std::complex<double>;

class FftTest : public array::OnEachArrayDevice {
 protected:
  void TearDown() override {
    forget_plans(*device());
    OnEachArrayDevice::TearDown();
  }
  /// Lengths to test: few where each is a kernel to compile.
  std::vector<std::int64_t> lengths(std::vector<std::int64_t> all, std::vector<std::int64_t> few) {
    return device()->info().kind == device::DeviceKind::gpu ? few : all;
  }
  static std::vector<std::int64_t> count_up_to(std::int64_t last) {
    std::vector<std::int64_t> values(static_cast<std::size_t>(last));
    std::iota(values.begin(), values.end(), 1);
    return values;
  }
  template <class T>
  Array on(const std::vector<T>& values, const array::Shape& shape) {
    return Array::from(values.data(), shape, dtype_of<T>(), here());
  }
};

/// Values without a pattern, from -1 to 1.
std::vector<Complex> values_of(std::size_t count) {
  std::vector<Complex> values(count);
  std::uint32_t state = 12345;
  const auto next = [&] {
    state = state * 1664525 + 1013904223;
    return static_cast<double>(state >> 8) / (1 << 23) - 1;
  };
  for (Complex& value : values) value = {next(), next()};
  return values;
}

std::vector<double> real_of(const std::vector<Complex>& values) {
  std::vector<double> real;
  for (const Complex& value : values) real.push_back(value.real());
  return real;
}

/// The sums as they are defined, in long double.
std::vector<Complex> defined(const std::vector<Complex>& x, bool is_forward) {
  const std::size_t n = x.size();
  std::vector<std::complex<long double>> roots(n);
  for (std::size_t k = 0; k < n; ++k)
    roots[k] = std::polar(1.0L, (is_forward ? -2 : 2) * std::numbers::pi_v<long double> *
                                    static_cast<long double>(k) / static_cast<long double>(n));
  std::vector<Complex> z(n);
  for (std::size_t k = 0; k < n; ++k) {
    std::complex<long double> sum = 0;
    for (std::size_t j = 0; j < n; ++j) sum += std::complex<long double>(x[j]) * roots[j * k % n];
    z[k] = {static_cast<double>(sum.real()), static_cast<double>(sum.imag())};
  }
  return z;
}

/// The largest distance over the root of the mean square.
template <class T, class U>
double error_of(const std::vector<T>& got, const std::vector<U>& expected) {
  double distance = 0, square = 1e-300;
  for (std::size_t k = 0; k < expected.size(); ++k) {
    distance =
        std::max(distance, static_cast<double>(std::abs(Complex(got[k]) - Complex(expected[k]))));
    square += std::norm(Complex(expected[k]));
  }
  return distance / std::sqrt(square / static_cast<double>(expected.size()));
}

// Generated kernels take sines and cosines from the processor of the device.
constexpr double bound_f64 = 3e-15, bound_f32 = 2e-6;

TEST_P(FftTest, TransformsEverySmallLength) {
  for (const std::int64_t n : lengths(count_up_to(32), {1, 12, 17})) {
    const std::vector<Complex> x = values_of(static_cast<std::size_t>(n));
    const Array z = fft(on(x, {n})), back = ifft(z);
    EXPECT_EQ(z.dtype(), Scalar::complex128);
    if (!runs_kernels()) continue;
    EXPECT_LT(error_of(z.as<Complex>(), defined(x, true)), bound_f64) << n;
    EXPECT_LT(error_of(back.as<Complex>(), x), bound_f64) << n;
  }
}

TEST_P(FftTest, TransformsLengthsOfEveryKind) {
  for (const std::int64_t n :
       lengths({49, 64, 97, 121, 128, 130, 210, 289, 360, 509, 1024}, {1024})) {
    const std::vector<Complex> x = values_of(static_cast<std::size_t>(n));
    const std::vector<std::complex<float>> narrow(x.begin(), x.end());
    const Array z = fft(on(narrow, {n}));
    EXPECT_EQ(z.dtype(), Scalar::complex64);
    if (!runs_kernels()) continue;
    EXPECT_LT(error_of(z.as<std::complex<float>>(), defined(x, true)), bound_f32) << n;
    EXPECT_LT(error_of(ifft(on(x, {n}), {.norm = Norm::forward}).as<Complex>(), defined(x, false)),
              bound_f64)
        << n;
  }
}

TEST_P(FftTest, HalfSpectraAreTheFirstElements) {
  for (const std::int64_t n : lengths({1, 2, 3, 8, 15, 16, 31, 100, 101, 256}, {15, 16})) {
    const std::vector<Complex> x = values_of(static_cast<std::size_t>(n));
    const std::vector<double> real = real_of(x);
    std::vector<Complex> expected = defined({real.begin(), real.end()}, true);
    expected.resize(static_cast<std::size_t>(n / 2 + 1));
    const Array half = rfft(on(real, {n}));
    const Array back = irfft(half, {.lengths = {n}});
    EXPECT_EQ(back.dtype(), Scalar::float64);
    EXPECT_EQ(back.size(), n);
    if (!runs_kernels()) continue;
    EXPECT_LT(error_of(half.as<Complex>(), expected), bound_f64) << n;
    EXPECT_LT(error_of(back.as<double>(), real), bound_f64) << n;
  }
}

TEST_P(FftTest, ManyRowsAreTransformedByAllThreads) {
  const std::vector<Complex> x = values_of(256 * 512);
  const Array z = fft(on(x, {256, 512}), {.axes = {0, 1}});
  const Array back = ifft(z, {.axes = {0, 1}});
  const Array length = fft(on(x, {256 * 512}));  // one long row
  if (!runs_kernels()) return;
  EXPECT_LT(error_of(back.as<Complex>(), x), bound_f64);
  EXPECT_LT(error_of(ifft(length).as<Complex>(), x), bound_f64);
  // The sum of all elements is element 0.
  Complex sum = 0;
  for (const Complex& value : x) sum += value;
  EXPECT_LT(std::abs(z.as<Complex>()[0] - sum), 1e-9);
  EXPECT_LT(std::abs(length.as<Complex>()[0] - sum), 1e-9);
}

TEST_P(FftTest, ViewsOfAnyStridesAreReadWhereTheyLie) {
  const std::vector<Complex> x = values_of(6 * 10);
  const Array whole = on(x, {6, 10});
  const Array view =
      whole.at({Index{.start = 5, .stop = {}, .step = -2}, Index{.start = 1, .step = 3}});
  const Array z = fft(view, {.axes = {0}});
  const Array turned = fft(array::swapaxes(view, 0, 1), {.axes = {1}});
  if (!runs_kernels()) return;
  for (std::size_t column = 0; column < 3; ++column) {
    std::vector<Complex> line;
    for (const std::size_t row : {5u, 3u, 1u}) line.push_back(x[row * 10 + 1 + 3 * column]);
    const std::vector<Complex> expected = defined(line, true);
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_LT(std::abs(z.as<Complex>()[k * 3 + column] - expected[k]), 1e-14);
      EXPECT_LT(std::abs(turned.as<Complex>()[column * 3 + k] - expected[k]), 1e-14);
    }
  }
}

TEST_P(FftTest, LengthsCutAndFillWithZeros) {
  const std::vector<Complex> x = values_of(10);
  const Array shorter = fft(on(x, {10}), {.lengths = {7}});
  const Array longer = fft(on(x, {10}), {.lengths = {16}});
  EXPECT_EQ(shorter.size(), 7);
  if (!runs_kernels()) return;
  EXPECT_LT(error_of(shorter.as<Complex>(), defined({x.begin(), x.begin() + 7}, true)), bound_f64);
  std::vector<Complex> filled = x;
  filled.resize(16);
  EXPECT_LT(error_of(longer.as<Complex>(), defined(filled, true)), bound_f64);
}

TEST_P(FftTest, WaitsLikeOtherOperations) {
  const Array x = make(count_up(8));
  const Array z = fft(x + 1.0f);
  EXPECT_TRUE(z.is_pending());
  const Array half = rfft(x);
  x.assign(0.0f);  // they were recorded before
  if (!runs_kernels()) return;
  EXPECT_EQ(z.as<std::complex<float>>()[0], std::complex<float>(36));
  EXPECT_EQ(half.as<std::complex<float>>()[0], std::complex<float>(28));
}

TEST_P(FftTest, EmptyBatchesGiveEmptyResults) {
  EXPECT_EQ(fft(on(std::vector<double>{}, {0, 4})).shape()[0], 0);
  EXPECT_EQ(irfft(on(std::vector<double>{}, {0, 4})).shape()[1], 6);
  EXPECT_TRUE(fft(on(std::vector<double>{}, {0, 4})).as<Complex>().empty());
}

TEST_P(FftTest, FrequenciesAreNumpys) {
  if (!runs_kernels()) return;
  EXPECT_EQ(fftfreq(5, 0.1, Scalar::float64, here()).as<double>(),
            (std::vector<double>{0, 2, 4, -4, -2}));
  EXPECT_EQ(fftfreq(4, 1, Scalar::float32, here()).as<float>(),
            (std::vector<float>{0, 0.25f, -0.5f, -0.25f}));
  EXPECT_EQ(rfftfreq(5, 0.2, Scalar::float64, here()).as<double>(), (std::vector<double>{0, 1, 2}));
  const Array x = make({0, 1, 2, 3, 4});
  EXPECT_EQ(fftshift(x).as<float>(), (std::vector<float>{3, 4, 0, 1, 2}));
  EXPECT_EQ(ifftshift(fftshift(x)).as<float>(), x.as<float>());
}

TEST_P(FftTest, RefusesWhatHasNoTransform) {
  const Array x = make({1, 2, 3, 4});
  EXPECT_EQ(message_of([&] { fft(x, {.lengths = {0}}); }).substr(0, 43),
            "fft: invalid number of data points (0) alon");
  EXPECT_THROW(fft(x, {.axes = {1}}), IndexError);
  EXPECT_THROW(fft(x, {.axes = {0}, .lengths = {1, 2}}), InvalidArgument);
  EXPECT_THROW(rfft(fft(x)), DTypeError);
  EXPECT_THROW(rfft(x, {.axes = {}}), InvalidArgument);
  EXPECT_THROW(hfft(x, {.axes = {0, 0}}), InvalidArgument);
  EXPECT_THROW(irfft(make({1})), ShapeError);  // the result would have no element
  EXPECT_THROW(fftfreq(0, 1, Scalar::float64, here()), InvalidArgument);
  EXPECT_THROW(fftfreq(4, 1, Scalar::int32, here()), DTypeError);
  EXPECT_THROW(fftshift(x, std::vector{2}), IndexError);
}

INSTANTIATE_TEST_SUITE_P(Devices, FftTest, array::each_device(), array::device_test_name);

}  // namespace
}  // namespace treadle::fft

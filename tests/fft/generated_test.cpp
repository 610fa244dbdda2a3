// SPDX-License-Identifier: MIT
// Generated transforms beside the host's, on the CPU device as one for CUDA's kernels and on
// OpenCL.
#include "fft/generated.hpp"

#include <cmath>
#include <complex>
#include <string>
#include <vector>

#include "array/each_array_device.hpp"
#include "compile/scratch.hpp"
#include "fft/transform.hpp"
#include "fft/vkfft/session.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/device/registry.hpp"
#include "treadle/fft/fft.hpp"

namespace treadle::fft {
namespace {

using array::Array;
using array::Shape;

class GeneratedFftTest : public array::OnEachArrayDevice {
 protected:
  void TearDown() override {
    generates_everywhere() = false;
    forget_plans(*device());
    OnEachArrayDevice::TearDown();
  }

  /// PoCL takes half a minute and more for a kernel of VkFFT's.
  bool compiles_slowly() {
    return device()->info().kind == device::DeviceKind::cpu &&
           device()->info().language == Language::opencl_c;
  }
  /// What `function` gives of these values, in both ways.
  template <class T>
  void expect_equal(Array (*function)(const Array&, const Options&), const Shape& shape,
                    const Options& options) {
    std::int64_t count = 1;
    for (const std::int64_t extent : shape) count *= extent;
    std::vector<T> values;
    std::uint32_t state = 7;
    for (std::int64_t k = 0; k < count; ++k) values.push_back(next<T>(state));
    const Array x = Array::from(values.data(), shape, dtype_of<T>(), here());
    generates_everywhere() = true;
    const Array z = function(x, options);
    const std::vector<double> got = parts(z);
    EXPECT_EQ(parts(x), parts(Array::from(values.data(), shape, dtype_of<T>(), here())));
    generates_everywhere() = false;
    if (!runs_kernels()) return;
    if (!device::has_cpu_compiler()) GTEST_SKIP() << "left to builds with compilers";
    const Array host = Array::from(values.data(), shape, dtype_of<T>(),
                                   {.stream = device::find_device("cpu")->default_stream()});
    const std::vector<double> expected = parts(function(host, options));
    ASSERT_EQ(got.size(), expected.size());
    double distance = 0, square = 1e-30;
    for (std::size_t k = 0; k < got.size(); ++k) {
      distance = std::max(distance, std::abs(got[k] - expected[k]));
      square += expected[k] * expected[k];
    }
    const bool is_double = z.dtype().real_type() == Scalar::float64;
    EXPECT_LT(distance / std::sqrt(square / static_cast<double>(got.size())),
              is_double ? 1e-13 : 2e-5)
        << shape_text(shape);
  }

 private:
  template <class T>
  static T next(std::uint32_t& state) {
    const auto one = [&] {
      state = state * 1664525 + 1013904223;
      return static_cast<double>(state >> 8) / (1 << 23) - 1;
    };
    if constexpr (std::is_floating_point_v<T>)
      return static_cast<T>(one());
    else {
      const double real = one();
      return T(static_cast<typename T::value_type>(real),
               static_cast<typename T::value_type>(one()));
    }
  }
  static std::vector<double> parts(const Array& z) {
    const Scalar dtype = z.dtype().scalar();
    std::vector<double> made;
    const auto both = [&](const auto& values) {
      for (const auto& value : values) made.push_back(value.real()), made.push_back(value.imag());
    };
    if (dtype == Scalar::complex64) both(z.as<std::complex<float>>());
    if (dtype == Scalar::complex128) both(z.as<std::complex<double>>());
    if (dtype == Scalar::float32)
      for (const float value : z.as<float>()) made.push_back(value);
    if (dtype == Scalar::float64) made = z.as<double>();
    return made;
  }
};

using Complex32 = std::complex<float>;
using Complex64 = std::complex<double>;

TEST_P(GeneratedFftTest, TransformsRows) {
  for (int call = 0; call < 2; ++call)  // the second by the plan of the first
    expect_equal<Complex32>(fft, {3, 8}, {});
}

TEST_P(GeneratedFftTest, TransformsRowsOfEveryKindOfLength) {
  if (compiles_slowly()) GTEST_SKIP() << "left to devices that compile quickly";
  for (const std::int64_t n : {2, 8, 15, 49, 34, 101}) expect_equal<Complex32>(fft, {3, n}, {});
  expect_equal<Complex64>(ifft, {2, 60}, {});
}

TEST_P(GeneratedFftTest, TransformsLongRows) {
  if (compiles_slowly()) GTEST_SKIP() << "left to devices that compile quickly";
  expect_equal<Complex32>(fft, {2, 1 << 13}, {});  // in 64 KiB of local memory
  expect_equal<Complex32>(fft, {1 << 15}, {});
  expect_equal<Complex32>(ifft, {1 << 15}, {});
}

TEST_P(GeneratedFftTest, TransformsAnyAxes) {
  if (compiles_slowly()) GTEST_SKIP() << "left to devices that compile quickly";
  expect_equal<Complex32>(fft, {6, 4, 5}, {.axes = {0, 1, 2}});
  expect_equal<Complex32>(ifft, {6, 4, 5}, {.axes = {1}, .norm = Norm::ortho});
  expect_equal<Complex32>(fft, {2, 3, 2, 3, 2, 3}, {.axes = {0, 2, 4}});
}

TEST_P(GeneratedFftTest, TransformsRealElements) {
  if (compiles_slowly()) GTEST_SKIP() << "left to devices that compile quickly";
  expect_equal<float>(rfft, {4, 12}, {});
  expect_equal<float>(rfft, {5, 4, 9}, {.axes = {2, 0}});
  expect_equal<double>(ihfft, {7}, {});
  expect_equal<float>(rfft, {3, 1}, {.axes = {0, 1}});
}

TEST_P(GeneratedFftTest, TransformsHalfSpectraToRealElements) {
  if (compiles_slowly()) GTEST_SKIP() << "left to devices that compile quickly";
  expect_equal<Complex32>(irfft, {4, 7}, {});
  expect_equal<Complex32>(irfft, {4, 5, 3}, {.axes = {0, 1}, .lengths = {4, 9}});
  expect_equal<Complex64>(hfft, {6}, {});
  expect_equal<Complex32>(irfft, {3, 1}, {.lengths = {1}});
}

TEST(GeneratedFftTextTest, IsCompiledForAGpu) {
  using namespace compile;
  TREADLE_NEEDS_NVRTC();
  if (!device::has_cpu_compiler()) GTEST_SKIP() << "left to builds with compilers";
  const auto device = device::find_device("cpu");
  std::vector<std::string> texts;
  vkfft::Session::collected_texts = &texts;
  generates_everywhere() = true;
  for (const std::int64_t n : {60, 34, 1 << 14}) {
    const Array x = array::zeros({n}, Scalar::complex64, {.stream = device->default_stream()});
    fft(x, {}).buffer();
  }
  const Array x = array::zeros({12, 30}, Scalar::float64, {.stream = device->default_stream()});
  irfft(rfft(x, {.axes = {0, 1}}), {.axes = {0, 1}}).buffer();
  generates_everywhere() = false;
  vkfft::Session::collected_texts = nullptr;
  EXPECT_GE(texts.size(), 6u);
  for (const std::string& text : texts)
    EXPECT_FALSE(compile_cuda(text, Target::parse("sm_90"), {.toolchain = Toolchain::nvrtc})
                     .image.code.empty());
}

INSTANTIATE_TEST_SUITE_P(Devices, GeneratedFftTest, array::each_device(), array::device_test_name);

}  // namespace
}  // namespace treadle::fft

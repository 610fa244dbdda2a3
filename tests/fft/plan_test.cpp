// SPDX-License-Identifier: MIT
// Texts in a transform beside the same as operations around it: as kernels of their own and, where
// kernels of VkFFT's run, within those.
#include "treadle/fft/plan.hpp"

#include <clocale>
#include <complex>
#include <optional>
#include <string>
#include <vector>

#include "array/each_array_device.hpp"
#include "compile/scratch.hpp"
#include "fft/fused_text.hpp"
#include "fft/generated.hpp"
#include "fft/transform.hpp"
#include "fft/vkfft/session.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/evaluate.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/base/error.hpp"
#include "treadle/base/layout.hpp"
#include "treadle/device/registry.hpp"

namespace treadle::fft {
namespace {

using array::Shape;

class FftPlanTest : public array::OnEachArrayDevice {
 protected:
  void TearDown() override {
    generates_everywhere() = false;
    forget_plans(*device());
    OnEachArrayDevice::TearDown();
  }
  /// Whether kernels of VkFFT's are tried: PoCL takes half a minute for each.
  bool compiles_quickly() {
    return device()->info().kind != device::DeviceKind::cpu ||
           device()->info().language == Language::cuda_c;
  }
  static std::vector<float> values_of(const Shape& shape, std::uint32_t state) {
    std::vector<float> values(static_cast<std::size_t>(element_count(shape)));
    for (float& value : values) {
      state = state * 1664525 + 1013904223;
      value = static_cast<float>(state >> 8) / (1 << 23) - 1;
    }
    return values;
  }
  Array real(const Shape& shape) {
    return Array::from(values_of(shape, 7).data(), shape, Scalar::float32, here());
  }
  Array complex(const Shape& shape) {
    return array::make_complex(
        real(shape), Array::from(values_of(shape, 8).data(), shape, Scalar::float32, here()));
  }
  /// Calls with and without kernels of VkFFT's, which are said to hold the texts or not to.
  template <class Call>
  void expect_equal(Call call, const Array& expected, bool is_fused) {
    for (const bool generates : {false, true}) {
      if (generates && (!compiles_quickly() || !runs_kernels())) continue;
      generates_everywhere() = generates;
      const Array z = call();
      EXPECT_EQ(z.dtype(), expected.dtype());
      ASSERT_EQ(Shape(z.shape().begin(), z.shape().end()),
                Shape(expected.shape().begin(), expected.shape().end()));
      z.buffer();
      const bool has_vkfft =
          generates || (device()->info().kind == device::DeviceKind::gpu && runs_kernels());
      EXPECT_EQ(array::explain(z).find("with fused texts") != std::string::npos,
                is_fused && has_vkfft);
      const std::vector<double> distance =
          array::cast(array::abs(z - expected), Scalar::float64).template as<double>();
      generates_everywhere() = false;
      if (!runs_kernels()) continue;
      for (const double one : distance) ASSERT_LT(one, 1e-4);
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Devices, FftPlanTest, array::each_device(), array::device_test_name);

TEST_P(FftPlanTest, WindowsAndScalesComplexRows) {
  const Plan plan(fft, {.arguments = "const float *window, float scale, const int *table",
                        .load = "x * window[i] * scale",
                        .store = "x / (float)table[i % n % 2] - x"});
  const Array x = complex({3, 8}), window = real({8}) + 2;
  const Array table = array::cast(make({4, 4}), Scalar::int32);
  const Array z = fft(x * window * 2.0);
  expect_equal([&] { return plan(x, window, 2.0f, table); }, z / 4.0 - z, true);
}

TEST_P(FftPlanTest, MakesPowerSpectraOfRealRows) {
  const Plan plan(rfft, {.arguments = "const float *window, const float *row",
                         .load = "x * window[i] + row[i]",
                         .store = "x.x * x.x + x.y * x.y",
                         .dtype = Scalar::float32});
  // Windows of any layout, for each row, pending, and along a middle axis.
  const Array x = real({2, 3, 10}), window = real({10, 3}), row = real({2, 1, 1}) + 1;
  const Array spread = array::permute_dims(window, std::vector<int>{1, 0});
  const Array z = rfft(x * spread + row);
  expect_equal([&] { return plan(x, spread + 0, real({2, 1, 1}) + 1); },
               array::real(z * array::conjugate(z)), true);
}

TEST_P(FftPlanTest, StoresRealRowsAndScalesOnce) {
  const Plan plan(irfft, {.load = "2 * x", .store = "x * x"}, {.norm = Norm::ortho});
  const Array x = complex({4, 7});
  expect_equal([&] { return plan(x); }, array::square(irfft(2.0 * x, {.norm = Norm::ortho})), true);
  const Plan odd(irfft, {.store = "x + 1"}, {.lengths = {5}});
  const Array y = complex({2, 3});
  expect_equal([&] { return odd(y); }, irfft(y, {.lengths = {5}}) + 1.0, true);
}

TEST_P(FftPlanTest, LoadsRealElementsAsComplexOnes) {
  const Plan plan(ifft, {.load = "i < n / 2 ? x : -x"});
  const Array x = real({2, 6});
  const Array sign = array::reshape(
      array::cast(make({1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1}), Scalar::float32), {2, 6});
  expect_equal([&] { return plan(x); }, ifft(x * sign), true);
  const Array turned = array::permute_dims(real({6, 2}), std::vector<int>{1, 0});
  expect_equal([&] { return plan(turned + 1); }, ifft((turned + 1) * sign), true);
}

TEST_P(FftPlanTest, OtherTransformsTakeKernelsAroundThem) {
  const Plan plan(fft, {.arguments = "const double *w", .load = "x * w[i]", .store = "-x"},
                  {.axes = {0, 1}, .lengths = {4, 6}});
  if (!device()->info().traits.fp64 && runs_kernels()) GTEST_SKIP() << "no float64";
  const Array x = array::cast(real({3, 8}), Scalar::float64);
  const Array w = array::cast(real({3, 1}), Scalar::float64);
  expect_equal([&] { return plan(x, w); }, -fft(x * w, {.axes = {0, 1}, .lengths = {4, 6}}), false);
}

TEST_P(FftPlanTest, MultipliesComplexNumbersByTheirParts) {
  const Plan plan(fft, {.arguments = "const float2 *w",
                        .load = "make_float2(x.x * w[i].x - x.y * w[i].y, "
                                "x.x * w[i].y + x.y * w[i].x)",
                        .store = "make_float2(x.x + 1, x.y)"});
  const Array x = complex({3, 8}), w = fft(complex({8}));
  expect_equal([&] { return plan(x, w); }, fft(x * w) + 1.0, true);
}

TEST_P(FftPlanTest, WithoutTextsItIsThePlainTransform) {
  const Plan plan(fft, {.dtype = Scalar::complex64});
  const Array x = complex({3, 8});
  expect_equal([&] { return plan(x); }, fft(x), false);
}

int times_released = 0;

/// Making a plan and freeing its memory wait for work, which may call a function of the host
/// language.
TEST_P(FftPlanTest, IsMadeAndEndsWithoutTheHostLock) {
  if (!compiles_quickly() || !runs_kernels()) GTEST_SKIP() << "left to devices that make plans";
  const Array x = complex({3, 8});
  x.buffer();
  array::set_host_lock({[]() -> void* { return ++times_released, &times_released; }, [](void*) {}});
  generates_everywhere() = true;
  times_released = 0;
  std::optional<Array> z = Plan(fft, {.load = "x * 3"})(x);
  EXPECT_EQ(times_released, 1);
  z->buffer();
  // The array keeps its plan, and the text of that, and they end with it.
  forget_plans(*device());
  EXPECT_NE(array::explain(*z).find("x * 3"), std::string::npos);
  times_released = 0;
  z.reset();
  EXPECT_GE(times_released, 1);
  array::set_host_lock({});
}

TEST_P(FftPlanTest, RefusesWhatDoesNotFit) {
  EXPECT_THROW(Plan(fft, {.arguments = "float *w"}), InvalidArgument);
  EXPECT_THROW(Plan(fft, {.arguments = "float x"}), InvalidArgument);
  EXPECT_THROW(Plan(fft, {.arguments = "float"}), InvalidArgument);
  const Plan plan(fft, {.arguments = "const float *w", .load = "x * w[i]"});
  const Array x = complex({2, 4});
  EXPECT_THROW(plan(x), InvalidArgument);
  EXPECT_THROW(plan(x, real({4}), 2.0f), InvalidArgument);
  // Whether a text needs them or not.
  const Plan plain(fft, {.arguments = "float a"});
  EXPECT_THROW(plain(x), InvalidArgument);
  EXPECT_THROW(plain(x, 1.0f, 2.0f), InvalidArgument);
  EXPECT_THROW(plan(x, real({3})), ShapeError);
  EXPECT_THROW(plan(x, real({3, 2, 4})), ShapeError);
  EXPECT_THROW(plan(x, x), DTypeError);
  if (runs_kernels()) {
    EXPECT_THROW(Plan(fft, {.load = "y"})(x), CompileError);
  }
}

TEST(FftFusedTextTest, AccessesOfOtherFormsAreRefused) {
  const FusedText fused{"F", ", int a", ", a", "float2", "float2", "float2", "float"};
  const std::string head = "K VkFFT_main (float2* inputs, float2* outputs) {\n";
  EXPECT_EQ(with_fused_text(head + "x = inputs[a];\noutputs[b] = x;\n}", fused),
            "FK VkFFT_main (float2* inputs, float* outputs, int a) {\n"
            "x = treadle_load(inputs, a, a);\ntreadle_store(outputs, b, x, a);\n}\n");
  for (const char* line :
       {"inputs[a] = x;", "x = inputs[a].x;", "x = outputs[a];", "x = 2 * inputs[a];"})
    EXPECT_THROW(with_fused_text(head + line, fused), NotSupported) << line;
  EXPECT_THROW(with_fused_text("K VkFFT_main (float* inputs, float2* outputs) {}", fused),
               NotSupported);
}

TEST(FftFusedTextTest, NumbersDoNotDependOnTheLocale) {
  const char* const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "fr_FR.utf8"};
  for (const char* name : names)
    if (std::setlocale(LC_NUMERIC, name) != nullptr) break;
  FusedRequest request{.load = {"", Scalar::complex64, Scalar::complex64, {3, 10}},
                       .store = {"", Scalar::complex64, Scalar::complex64, {3, 10}},
                       .factor = 0.1,
                       .parameters = {},
                       .shapes = {}};
  const codegen::Dialect& dialect = codegen::dialect_of(Language::cuda_c);
  codegen::TypeNames types(dialect);
  types.prefer("float2", Scalar::complex64);
  const std::string text = fused_text(request, dialect, types).functions;
  std::setlocale(LC_NUMERIC, "C");
  EXPECT_NE(text.find("treadle_factor = 0.1f;"), std::string::npos) << text;
}

TEST(FftFusedTextTest, IsCompiledForAGpu) {
  using namespace compile;
  TREADLE_NEEDS_NVRTC();
  if (!device::has_cpu_compiler()) GTEST_SKIP() << "left to builds with compilers";
  const array::Placement here{.stream = device::find_device("cpu")->default_stream()};
  std::vector<std::string> texts;
  vkfft::Session::collected_texts = &texts;
  generates_everywhere() = true;
  const Plan plan(fft, {.arguments = "const float *w", .load = "x * w[i]", .store = "-x / 2"});
  plan(array::zeros({4, 1024}, Scalar::complex64, here),
       array::zeros({1024}, Scalar::float32, here));
  generates_everywhere() = false;
  vkfft::Session::collected_texts = nullptr;
  ASSERT_EQ(texts.size(), 1u);
  EXPECT_FALSE(compile_cuda(texts[0], Target::parse("sm_90"), {.toolchain = Toolchain::nvrtc})
                   .image.code.empty());
}

}  // namespace
}  // namespace treadle::fft

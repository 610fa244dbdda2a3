// SPDX-License-Identifier: MIT
#include "treadle/array/activation.hpp"

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "array/each_array_device.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/base/error.hpp"

namespace treadle::array {
namespace {

class ArrayActivationTest : public OnEachArrayDevice {};
INSTANTIATE_TEST_SUITE_P(Devices, ArrayActivationTest, each_device(), device_test_name);

TEST_P(ArrayActivationTest, GeluHasTwoForms) {
  const device::StreamScope scope(shared_stream());
  const std::vector<float> values = {-30, -4, -1, -0.0f, 1e-3f, 0.5f, 3, 100};
  const std::vector<float> exact = gelu(make(values)).as<float>();
  const std::vector<float> by_tanh = gelu(make(values), GeluForm::tanh).as<float>();
  if (!runs_kernels()) return;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const double x = values[k];
    const double u = std::sqrt(2 * std::numbers::inv_pi) * (x + 0.044715 * x * x * x);
    const double near = 1e-6 * std::abs(x);
    EXPECT_NEAR(exact[k], x / 2 * std::erfc(-x / std::numbers::sqrt2), near);
    EXPECT_NEAR(by_tanh[k], x / (1 + std::exp(-2 * u)), near);
  }
}

TEST_P(ArrayActivationTest, GeluKeepsFloatingDtypes) {
  const Array x = make({-2, 0, 2});
  for (const GeluForm form : {GeluForm::exact, GeluForm::tanh}) {
    EXPECT_EQ(gelu(cast(x, Scalar::float16), form).dtype(), Scalar::float16);
    EXPECT_EQ(gelu(cast(x, Scalar::int32), form).dtype(), Scalar::float64);
    EXPECT_THROW(gelu(cast(x, Scalar::complex64), form), DTypeError);
  }
}

}  // namespace
}  // namespace treadle::array

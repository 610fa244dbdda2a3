// SPDX-License-Identifier: MIT
#include "treadle/array/activation.hpp"

#include <cmath>
#include <numbers>

#include "treadle/array/creation.hpp"
#include "treadle/base/promotion.hpp"

namespace treadle::array {
namespace {

Array exact_gelu(const Array& x) { return 0.5 * x * erfc(x * -std::numbers::sqrt2 / 2); }

/// x / (1 + exp(-2 u)), which is x / 2 * (1 + tanh(u)) without what cancels out. A product looks
/// for these very steps (src/linalg/cublaslt_product.cpp).
Array gelu_by_tanh(const Array& x) {
  const double of_x = -2 * std::sqrt(2 * std::numbers::inv_pi), of_cube = 0.044715 * of_x;
  return x / (exp(x * (x * x * of_cube + of_x)) + 1);
}

}  // namespace

Array gelu(const Array& x, GeluForm form) {
  const DType dtype = resolve(Op::erfc, Operand(x).type()).result;
  const bool is_half = dtype == Scalar::float16;  // whose steps would all be rounded
  const Array wide = in_dtype(x, is_half ? DType(Scalar::float32) : dtype);
  const Array made = form == GeluForm::exact ? exact_gelu(wide) : gelu_by_tanh(wide);
  return is_half ? cast(made, dtype) : made;
}

}  // namespace treadle::array

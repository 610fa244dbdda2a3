// SPDX-License-Identifier: MIT
// Activations of neural networks that consist of several operations. (relu is maximum(x, 0).) Their
// results are pending, and join the kernel of the expression or product around them.
#pragma once

#include <cstdint>

#include "treadle/array/array.hpp"

namespace treadle::array {

/// Which function is meant by GELU.
enum class GeluForm : std::uint8_t {
  exact,  ///< x * P(X <= x) for a standard normal X
  tanh    ///< x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x**3))), its usual approximation
};
/// GELU, in the dtype of sqrt(); float16 is rounded once. NaN at -infinity. Behind a product on
/// NVIDIA's GPUs cuBLASLt computes the form `tanh` of float16. Throws DTypeError for
/// complex numbers and records.
Array gelu(const Array& x, GeluForm form = GeluForm::exact);

}  // namespace treadle::array

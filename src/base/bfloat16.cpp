// SPDX-License-Identifier: MIT
#include "treadle/base/bfloat16.hpp"

namespace treadle {

DType bfloat16_dtype() {
  static const DType dtype =
      DType::structure("bfloat16", {{"bits", Scalar::uint16, 0}}, sizeof(std::uint16_t), 2);
  return dtype;
}

bool is_bfloat16(const DType& dtype) {
  return dtype.scalar() == Scalar::structure && dtype == bfloat16_dtype();
}

}  // namespace treadle

// SPDX-License-Identifier: MIT
#include "array/bfloat16.hpp"

#include "treadle/array/manipulation.hpp"
#include "treadle/base/bfloat16.hpp"

namespace treadle::array {

Array from_bfloat16(const Array& x) {
  return view_as(cast(view_as(x, Scalar::uint16), Scalar::uint32) << 16, Scalar::float32);
}

Array to_bfloat16(const Array& x) {
  const Array bits = view_as(x, Scalar::uint32);
  // Adding 0x7fff rounds up if the dropped half exceeds 0x8000. Adding the last kept bit, too,
  // rounds up an odd number if the dropped half is 0x8000: ties go to even.
  const Array rounded = right_shift(bits + 0x7fff + (right_shift(bits, 16) & 1), 16);
  const Array upper = where(isnan(x), right_shift(bits, 16) | 0x40, rounded);
  return view_as(cast(upper, Scalar::uint16), bfloat16_dtype());
}

}  // namespace treadle::array

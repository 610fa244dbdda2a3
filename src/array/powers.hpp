// SPDX-License-Identifier: MIT
// Powers that products and roots compute. Their results are exact or rounded once; a device's pow()
// is not as precise and takes several times as long.
#pragma once

#include <optional>

#include "treadle/array/array.hpp"

namespace treadle::array {

/// Returns the base to the power of 1, 2, 3, -1 or 0.5, computed in the dtype `computed`; the
/// result is pending. Returns nothing for other exponents.
std::optional<Array> known_power(const Array& base, const Number& exponent, Scalar computed);

}  // namespace treadle::array

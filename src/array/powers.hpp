// SPDX-License-Identifier: MIT
// Powers whose exponent is a number that products and roots compute: they are exact, or rounded but
// once, where pow() of a device is neither, and take a fraction of its time.
#pragma once

#include <optional>

#include "treadle/array/array.hpp"

namespace treadle::array {

/// base to the power of 1, 2, 3, -1 or 0.5, computed in this dtype; recorded, and not computed yet.
/// Nothing for other exponents.
std::optional<Array> known_power(const Array& base, const Number& exponent, Scalar computed);

}  // namespace treadle::array

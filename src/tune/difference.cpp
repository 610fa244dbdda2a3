// SPDX-License-Identifier: MIT
// Outputs against what they have to be.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "treadle/tune/measure.hpp"
#include "tune/numbers.hpp"

namespace treadle::tune {
namespace {

std::string difference_of_bytes(std::span<const std::byte> found,
                                std::span<const std::byte> expected) {
  std::size_t wrong = 0, first = 0;
  for (std::size_t k = 0; k < expected.size(); ++k)
    if (found[k] != expected[k] && wrong++ == 0) first = k;
  return "byte " + std::to_string(first) + " is " +
         std::to_string(std::to_integer<int>(found[first])) + ", expected " +
         std::to_string(std::to_integer<int>(expected[first])) + of_count(wrong, expected.size());
}

/// Whether difference_of_numbers() would find nothing. Outputs of a million elements are compared
/// once for each variant, while the device waits: they are read where they are.
template <class T>
bool are_near(std::span<const std::byte> found, std::span<const std::byte> expected,
              double tolerance) {
  const std::size_t count = expected.size() / sizeof(T);
  const auto at = [](std::span<const std::byte> bytes, std::size_t k) {
    T one;
    std::memcpy(&one, bytes.data() + k * sizeof one, sizeof one);
    return static_cast<double>(one);
  };
  // Several sums side by side, or each addition would wait for the one before it.
  constexpr std::size_t lanes = 8;
  double sums[lanes] = {}, counts[lanes] = {};
  for (std::size_t k = 0; k < count; ++k) {
    const double y = at(expected, k);
    const bool is_finite = std::abs(y) <= std::numeric_limits<double>::max();
    sums[k % lanes] += is_finite ? y * y : 0;
    counts[k % lanes] += is_finite ? 1 : 0;
  }
  double sum = 0, finite = 0;
  for (std::size_t k = 0; k < lanes; ++k) sum += sums[k], finite += counts[k];
  const double scale = finite == 0 ? 0 : std::sqrt(sum / finite);
  for (std::size_t k = 0; k < count; ++k) {
    const double x = at(found, k), y = at(expected, k);
    if (!(std::abs(x - y) <= tolerance * (std::abs(y) + scale)) || std::isinf(y)) return false;
  }
  return true;
}
bool are_near(std::span<const std::byte> found, const Expected& expected, double tolerance) {
  switch (*expected.dtype) {
    case Scalar::float32:
    case Scalar::complex64:
      return are_near<float>(found, expected.bytes, tolerance);
    case Scalar::float64:
    case Scalar::complex128:
      return are_near<double>(found, expected.bytes, tolerance);
    default:
      return false;
  }
}

}  // namespace

std::string difference(std::span<const std::byte> found, const Expected& expected) {
  if (expected.check) return expected.check(found);
  if (found.size() != expected.bytes.size())
    return "it has " + std::to_string(found.size()) + " bytes, expected " +
           std::to_string(expected.bytes.size());
  if (std::memcmp(found.data(), expected.bytes.data(), found.size()) == 0) return {};
  if (expected.dtype && default_tolerance(*expected.dtype) > 0) {
    const double tolerance = expected.tolerance.value_or(default_tolerance(*expected.dtype));
    if (are_near(found, expected, tolerance)) return {};
    return difference_of_numbers(numbers_in(found, *expected.dtype),
                                 numbers_in(expected.bytes, *expected.dtype), tolerance);
  }
  return difference_of_bytes(found, expected.bytes);
}

}  // namespace treadle::tune

// SPDX-License-Identifier: MIT
// Outputs against what they have to be.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "treadle/base/half.hpp"
#include "treadle/tune/measure.hpp"

namespace treadle::tune {
namespace {

/// Real numbers in the bytes of an element type; empty for types that have to be equal.
std::vector<double> reals(std::span<const std::byte> bytes, Scalar dtype) {
  std::vector<double> made;
  const auto read = [&]<class T>(T one, auto value_of) {
    made.reserve(bytes.size() / sizeof one);
    for (std::size_t at = 0; at + sizeof one <= bytes.size(); at += sizeof one) {
      std::memcpy(&one, bytes.data() + at, sizeof one);
      made.push_back(value_of(one));
    }
  };
  switch (dtype) {
    case Scalar::float16:
      read(std::uint16_t{}, half_value);
      break;
    case Scalar::float32:
    case Scalar::complex64:
      read(float{}, [](float x) { return static_cast<double>(x); });
      break;
    case Scalar::float64:
    case Scalar::complex128:
      read(double{}, [](double x) { return x; });
      break;
    default:
      break;
  }
  return made;
}

double default_tolerance(Scalar dtype) {
  if (dtype == Scalar::float16) return 1e-2;
  return dtype == Scalar::float32 || dtype == Scalar::complex64 ? 1e-4 : 1e-10;
}

/// Infinities have no part in it.
double root_mean_square(const std::vector<double>& numbers) {
  double sum = 0, count = 0;
  for (const double x : numbers)
    if (std::isfinite(x)) sum += x * x, ++count;
  return count == 0 ? 0 : std::sqrt(sum / count);
}

std::string number_text(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", x);
  return text;
}
std::string of_count(std::size_t wrong, std::size_t all) {
  return "; " + std::to_string(wrong) + " of " + std::to_string(all) + " are wrong";
}

std::string difference_of_reals(const std::vector<double>& found,
                                const std::vector<double>& expected, double tolerance) {
  const double scale = root_mean_square(expected);
  std::size_t wrong = 0, first = 0;
  for (std::size_t k = 0; k < expected.size(); ++k) {
    const double x = found[k], y = expected[k];
    const bool is_right =
        x == y || (std::isnan(x) && std::isnan(y)) ||
        (std::isfinite(y) && std::abs(x - y) <= tolerance * (std::abs(y) + scale));
    if (is_right) continue;
    if (wrong++ == 0) first = k;
  }
  if (wrong == 0) return {};
  return "number " + std::to_string(first) + " is " + number_text(found[first]) + ", expected " +
         number_text(expected[first]) + of_count(wrong, expected.size());
}

std::string difference_of_bytes(std::span<const std::byte> found,
                                std::span<const std::byte> expected) {
  if (std::ranges::equal(found, expected)) return {};
  std::size_t wrong = 0, first = 0;
  for (std::size_t k = 0; k < expected.size(); ++k)
    if (found[k] != expected[k] && wrong++ == 0) first = k;
  return "byte " + std::to_string(first) + " is " +
         std::to_string(std::to_integer<int>(found[first])) + ", expected " +
         std::to_string(std::to_integer<int>(expected[first])) + of_count(wrong, expected.size());
}

}  // namespace

std::string difference(std::span<const std::byte> found, const Expected& expected) {
  if (expected.check) return expected.check(found);
  if (found.size() != expected.bytes.size())
    return "it has " + std::to_string(found.size()) + " bytes, expected " +
           std::to_string(expected.bytes.size());
  if (expected.dtype)
    if (const auto wanted = reals(expected.bytes, *expected.dtype); !wanted.empty())
      return difference_of_reals(reals(found, *expected.dtype), wanted,
                                 expected.tolerance.value_or(default_tolerance(*expected.dtype)));
  return difference_of_bytes(found, expected.bytes);
}

}  // namespace treadle::tune

// SPDX-License-Identifier: MIT
#include "tune/numbers.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <type_traits>

#include "treadle/base/half.hpp"

namespace treadle::tune {
namespace {

/// Calls visit(T()) for the C++ type of one number of `dtype`; a half is a std::uint16_t, and so
/// are others of that type: ask the dtype first.
template <class Visit>
void with_type(Scalar dtype, Visit&& visit) {
  switch (dtype) {
    case Scalar::boolean:
    case Scalar::uint8:
      return visit(std::uint8_t{});
    case Scalar::int8:
      return visit(std::int8_t{});
    case Scalar::int16:
      return visit(std::int16_t{});
    case Scalar::int32:
      return visit(std::int32_t{});
    case Scalar::int64:
      return visit(std::int64_t{});
    case Scalar::uint16:
    case Scalar::float16:
      return visit(std::uint16_t{});
    case Scalar::uint32:
      return visit(std::uint32_t{});
    case Scalar::uint64:
      return visit(std::uint64_t{});
    case Scalar::float32:
    case Scalar::complex64:
      return visit(float{});
    case Scalar::float64:
    case Scalar::complex128:
      return visit(double{});
    case Scalar::structure:
      return;
  }
}

template <class T>
T cast(double number) {
  if constexpr (std::is_integral_v<T>) {
    if (!(number > static_cast<double>(std::numeric_limits<T>::lowest())))
      return std::isnan(number) ? T{0} : std::numeric_limits<T>::lowest();
    if (number >= static_cast<double>(std::numeric_limits<T>::max()))
      return std::numeric_limits<T>::max();
  }
  return static_cast<T>(number);
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

struct Precision {
  int digits = 0, least_exponent = 0;  ///< 0 digits: of integers
  double greatest = std::numeric_limits<double>::infinity();
};
Precision precision_of(Scalar dtype) {
  switch (dtype) {
    case Scalar::float16:
      return {10, -14, 65504};
    case Scalar::float32:
    case Scalar::complex64:
      return {23, -126, std::numeric_limits<float>::max()};
    case Scalar::float64:
    case Scalar::complex128:
      return {52, -1022, std::numeric_limits<double>::max()};
    default:
      return {};
  }
}

}  // namespace

std::vector<double> numbers_in(std::span<const std::byte> bytes, Scalar dtype) {
  std::vector<double> made;
  with_type(dtype, [&]<class T>(T one) {
    made.reserve(bytes.size() / sizeof one);
    for (std::size_t at = 0; at + sizeof one <= bytes.size(); at += sizeof one) {
      std::memcpy(&one, bytes.data() + at, sizeof one);
      if constexpr (std::is_same_v<T, std::uint16_t>)
        made.push_back(dtype == Scalar::float16 ? half_value(one) : static_cast<double>(one));
      else
        made.push_back(static_cast<double>(one));
    }
  });
  return made;
}

std::vector<std::byte> bytes_of(std::span<const double> numbers, Scalar dtype) {
  std::vector<std::byte> made;
  with_type(dtype, [&]<class T>(T one) {
    made.resize(numbers.size() * sizeof one);
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      if constexpr (std::is_same_v<T, std::uint16_t>)
        one = dtype == Scalar::float16 ? half_from(numbers[k]) : cast<T>(numbers[k]);
      else
        one = cast<T>(numbers[k]);
      std::memcpy(made.data() + k * sizeof one, &one, sizeof one);
    }
  });
  return made;
}

double default_tolerance(Scalar dtype) {
  switch (precision_of(dtype).digits) {
    case 0:
      return 0;
    case 10:
      return 1e-2;
    case 23:
      return 1e-4;
    default:
      return 1e-10;
  }
}

std::string of_count(std::size_t wrong, std::size_t all) {
  return "; " + std::to_string(wrong) + " of " + std::to_string(all) + " are wrong";
}

std::string difference_of_numbers(const std::vector<double>& found,
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

double greatest_ulp(const std::vector<double>& found, const std::vector<double>& expected,
                    Scalar dtype) {
  const auto [digits, least_exponent, greatest] = precision_of(dtype);
  double most = 0;
  for (std::size_t k = 0; k < std::min(found.size(), expected.size()); ++k) {
    const double x = found[k], y = expected[k];
    if (!std::isfinite(x) || !std::isfinite(y) || x == y) continue;
    const int exponent = y == 0 ? least_exponent : std::max(std::ilogb(y), least_exponent);
    most = std::max(
        most, digits == 0 ? std::abs(x - y) : std::abs(x - y) / std::ldexp(1.0, exponent - digits));
  }
  return most;
}

void round_to_infinity(std::vector<double>& numbers, Scalar dtype) {
  const auto [digits, least_exponent, greatest] = precision_of(dtype);
  if (digits == 0) return;
  // Halfway to the number that would come next.
  const double limit = greatest * (1 + std::ldexp(1.0, -digits - 2));
  for (double& each : numbers)
    if (std::abs(each) >= limit) each = std::copysign(HUGE_VAL, each);
}

}  // namespace treadle::tune

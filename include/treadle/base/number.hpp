// SPDX-License-Identifier: MIT
// One number on the host, of whatever kind, and its bytes as an element of an array.
#pragma once

#include <array>
#include <cmath>
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "treadle/base/dtype.hpp"

namespace treadle {

template <>
struct DTypeOf<std::complex<float>> {
  static constexpr Scalar value = Scalar::complex64;
};
template <>
struct DTypeOf<std::complex<double>> {
  static constexpr Scalar value = Scalar::complex128;
};

/// The bytes of an element; a dtype says how many count.
using ElementBytes = std::array<std::byte, 16>;

/// A truth value, an integer of 64 bits with or without sign, a double or a complex number.
class Number {
 public:
  // Implicit: where a number is wanted, 5 and 2.5f will do.
  Number(bool value) noexcept
      : kind_(ScalarKind::boolean), bits_(static_cast<std::uint64_t>(value)) {}
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  Number(T value) noexcept
      : kind_(std::is_signed_v<T> ? ScalarKind::signed_integer : ScalarKind::unsigned_integer),
        bits_(static_cast<std::uint64_t>(value)) {}
  template <std::floating_point T>
  Number(T value) noexcept : kind_(ScalarKind::floating), real_(static_cast<double>(value)) {}
  template <std::floating_point T>
  Number(std::complex<T> value) noexcept
      : kind_(ScalarKind::complex),
        real_(static_cast<double>(value.real())),
        imag_(static_cast<double>(value.imag())) {}

  /// The number that is stored at `bytes` as a dtype, which is no record.
  static Number stored(Scalar dtype, const void* bytes) noexcept;

  /// boolean, signed_integer, unsigned_integer, floating or complex.
  ScalarKind kind() const noexcept { return kind_; }
  /// With or without sign; truth values are none.
  bool is_integer() const noexcept {
    return kind_ == ScalarKind::signed_integer || kind_ == ScalarKind::unsigned_integer;
  }
  /// An integer below 0, or a negative floating number.
  bool is_negative() const noexcept;
  /// Of whatever kind, as C++ converts it; the imaginary part is dropped.
  double as_double() const noexcept;
  /// Of whatever kind.
  std::complex<double> as_complex() const noexcept { return {as_double(), imag_}; }
  /// Of an integer its 64 bits; of a floating number the nearest value there is, of NaN 0.
  std::int64_t as_int64() const noexcept;
  /// The same bits without a sign.
  std::uint64_t as_uint64() const noexcept { return static_cast<std::uint64_t>(as_int64()); }
  /// Whether it is not zero.
  bool as_bool() const noexcept;
  /// As an element of a dtype, which is no record. Integers wrap around; floating numbers that an
  /// integer dtype does not hold become its nearest value, NaN becomes 0.
  ElementBytes as(Scalar dtype) const noexcept;
  /// As C++ converts it: float(x.item()), static_cast<int>(number). A floating number that T does
  /// not hold becomes the nearest integer that T has, NaN 0.
  template <class T>
    requires std::is_arithmetic_v<T>
  explicit operator T() const noexcept {
    if constexpr (std::same_as<T, bool>) return as_bool();
    if constexpr (std::floating_point<T>) return static_cast<T>(as_double());
    return is_exact() ? static_cast<T>(bits_) : saturated<T>(real_);
  }
  /// As Python writes it: "True", "-5", "2.5", "(1+2j)".
  std::string text() const;

 private:
  bool is_exact() const noexcept {
    return kind_ != ScalarKind::floating && kind_ != ScalarKind::complex;
  }
  /// As kernels convert: to the nearest value there is, NaN to 0.
  template <class T>
  static T saturated(double value) noexcept {
    using Limits = std::numeric_limits<T>;
    if (std::isnan(value)) return 0;
    if (value <= static_cast<double>(Limits::min())) return Limits::min();
    if (value >= static_cast<double>(Limits::max())) return Limits::max();
    return static_cast<T>(value);
  }

  ScalarKind kind_;
  std::uint64_t bits_ = 0;  // of an integer or a truth value
  double real_ = 0, imag_ = 0;
};

}  // namespace treadle

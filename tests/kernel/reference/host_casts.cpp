// SPDX-License-Identifier: MIT
#include <cmath>
#include <limits>
#include <type_traits>

#include "kernel/reference/host_value.hpp"

namespace treadle::kernel {
namespace {

// What an integer type does not hold becomes its nearest value.
template <class T>
T nearest(double value) {
  if (std::isnan(value)) return 0;
  // The first number beyond; of 64 bits the largest itself is no double.
  const double beyond = std::ldexp(1.0, std::numeric_limits<T>::digits);
  if (value >= beyond) return std::numeric_limits<T>::max();
  constexpr T lowest = std::numeric_limits<T>::lowest();
  return value <= static_cast<double>(lowest) ? lowest : static_cast<T>(value);
}

template <class T>
constexpr bool is_complex = false;
template <class T>
constexpr bool is_complex<std::complex<T>> = true;

template <class To, class From>
auto converted(From value) {
  if constexpr (is_complex<From> && std::same_as<To, bool>)
    return value != From(0);
  else if constexpr (is_complex<From> && is_complex<To>)
    return To(static_cast<typename To::value_type>(value.real()),
              static_cast<typename To::value_type>(value.imag()));
  else if constexpr (is_complex<From>)
    return converted<To>(value.real());
  else if constexpr (is_complex<To>)
    return To(static_cast<typename To::value_type>(value));
  else if constexpr (std::same_as<To, bool>)
    return value != 0;
  else if constexpr (std::floating_point<From> && std::integral<To>)
    return nearest<std::conditional_t<(sizeof(To) < 4), std::int32_t, To>>(value);
  else if constexpr (std::same_as<To, Half>)
    return static_cast<double>(value);
  else
    return static_cast<To>(value);
}

template <class From, class To>
HostFunction cast() {
  return unary<To, From>([](Computed<From> value) { return converted<To>(value); });
}

template <class From>
HostFunction cast_from(Scalar to) {
  switch (to) {
    case Scalar::boolean:
      return cast<From, bool>();
    case Scalar::int8:
      return cast<From, std::int8_t>();
    case Scalar::int16:
      return cast<From, std::int16_t>();
    case Scalar::int32:
      return cast<From, std::int32_t>();
    case Scalar::int64:
      return cast<From, std::int64_t>();
    case Scalar::uint8:
      return cast<From, std::uint8_t>();
    case Scalar::uint16:
      return cast<From, std::uint16_t>();
    case Scalar::uint32:
      return cast<From, std::uint32_t>();
    case Scalar::uint64:
      return cast<From, std::uint64_t>();
    case Scalar::float16:
      return cast<From, Half>();
    case Scalar::float32:
      return cast<From, float>();
    case Scalar::float64:
      return cast<From, double>();
    case Scalar::complex64:
      return cast<From, std::complex<float>>();
    case Scalar::complex128:
      return cast<From, std::complex<double>>();
    case Scalar::structure:
      return nullptr;
  }
  return nullptr;
}

}  // namespace

HostFunction cast_function(Scalar from, Scalar to) noexcept {
  switch (from) {
    case Scalar::boolean:
      return cast_from<bool>(to);
    case Scalar::int8:
      return cast_from<std::int8_t>(to);
    case Scalar::int16:
      return cast_from<std::int16_t>(to);
    case Scalar::int32:
      return cast_from<std::int32_t>(to);
    case Scalar::int64:
      return cast_from<std::int64_t>(to);
    case Scalar::uint8:
      return cast_from<std::uint8_t>(to);
    case Scalar::uint16:
      return cast_from<std::uint16_t>(to);
    case Scalar::uint32:
      return cast_from<std::uint32_t>(to);
    case Scalar::uint64:
      return cast_from<std::uint64_t>(to);
    case Scalar::float16:
      return cast_from<Half>(to);
    case Scalar::float32:
      return cast_from<float>(to);
    case Scalar::float64:
      return cast_from<double>(to);
    case Scalar::complex64:
      return cast_from<std::complex<float>>(to);
    case Scalar::complex128:
      return cast_from<std::complex<double>>(to);
    case Scalar::structure:
      return nullptr;
  }
  return nullptr;
}

}  // namespace treadle::kernel

// SPDX-License-Identifier: MIT
#include <bit>
#include <limits>
#include <numeric>
#include <type_traits>
#include <utility>

#include "kernel/reference/host_value.hpp"

namespace treadle::kernel {
namespace {

// Arithmetic that wraps around is done in 64 bits without sign, which hold all that is kept.
template <class T>
std::uint64_t word(T value) {
  return static_cast<std::uint64_t>(value);
}
template <class T>
constexpr unsigned width = 8 * sizeof(T);

template <class T>
std::make_unsigned_t<T> magnitude(T value) {
  return static_cast<std::make_unsigned_t<T>>(value < 0 ? 0 - word(value) : word(value));
}

// The quotient that C++ leaves undefined is the dividend, which wraps around.
template <class T>
T divided(T a, T b) {
  if (b == 0) return 0;
  if constexpr (std::is_signed_v<T>)
    if (b == T{-1}) return static_cast<T>(0 - word(a));
  return static_cast<T>(a / b);
}
template <class T>
T fmod_of(T a, T b) {
  return b == 0 ? T{0} : static_cast<T>(word(a) - word(divided(a, b)) * word(b));
}
template <class T>
T remainder_of(T a, T b) {
  const T rest = fmod_of(a, b);
  return static_cast<T>(rest != 0 && (rest < 0) != (b < 0) ? word(rest) + word(b) : word(rest));
}
template <class T>
T floor_divided(T a, T b) {
  const bool down = fmod_of(a, b) != 0 && (a < 0) != (b < 0);
  return static_cast<T>(word(divided(a, b)) - (down ? 1u : 0u));
}

template <class T>
T power_of(T base, T exponent) {
  if (exponent < 0) return 0;
  std::uint64_t result = 1, factor = word(base);
  for (std::uint64_t left = word(exponent); left != 0; left >>= 1, factor *= factor)
    if ((left & 1) != 0) result *= factor;
  return static_cast<T>(result);
}

// NumPy divides 1.0 by it and takes int32 or int64 of that, as x86 does: the smallest for infinity.
template <class T>
T reciprocal_of(T value) {
  if (value == 0)
    return std::is_signed_v<T> && width<T> >= 32 ? std::numeric_limits<T>::min() : T{0};
  return divided(T{1}, value);
}

template <class T>
T shifted_left(T value, T count) {
  return static_cast<T>(word(count) < width<T> ? word(value) << count : 0);
}
template <class T>
T shifted_right(T value, T count) {
  if (word(count) < width<T>) return static_cast<T>(value >> count);
  return static_cast<T>(value < 0 ? -1 : 0);
}

template <class T>
T lcm_of(T a, T b) {
  const auto divisor = std::gcd(magnitude(a), magnitude(b));
  return divisor == 0 ? T{0} : static_cast<T>(word(magnitude(a)) / divisor * word(magnitude(b)));
}

template <class T>
HostFunction integer_arithmetic(Op op) {
  switch (op) {
    case Op::add:
      return binary<T>([](T a, T b) { return word(a) + word(b); });
    case Op::subtract:
      return binary<T>([](T a, T b) { return word(a) - word(b); });
    case Op::multiply:
      return binary<T>([](T a, T b) { return word(a) * word(b); });
    case Op::floor_divide:
      return binary<T>([](T a, T b) { return floor_divided(a, b); });
    case Op::remainder:
      return binary<T>([](T a, T b) { return remainder_of(a, b); });
    case Op::fmod:
      return binary<T>([](T a, T b) { return fmod_of(a, b); });
    case Op::power:
      return binary<T>([](T a, T b) { return power_of(a, b); });
    case Op::negative:
      return unary<T>([](T a) { return 0 - word(a); });
    case Op::absolute:
      return unary<T>([](T a) { return magnitude(a); });
    case Op::sign:
      return unary<T>([](T a) { return (a > 0 ? 1 : 0) - (a < 0 ? 1 : 0); });
    case Op::square:
      return unary<T>([](T a) { return word(a) * word(a); });
    case Op::reciprocal:
      return unary<T>([](T a) { return reciprocal_of(a); });
    case Op::gcd:
      return binary<T>([](T a, T b) { return std::gcd(magnitude(a), magnitude(b)); });
    case Op::lcm:
      return binary<T>([](T a, T b) { return lcm_of(a, b); });
    default:
      return nullptr;
  }
}

template <class T>
HostFunction integer_bits(Op op) {
  switch (op) {
    case Op::bitwise_and:
      return binary<T>([](T a, T b) { return a & b; });
    case Op::bitwise_or:
      return binary<T>([](T a, T b) { return a | b; });
    case Op::bitwise_xor:
      return binary<T>([](T a, T b) { return a ^ b; });
    case Op::invert:
      return unary<T>([](T a) { return ~word(a); });
    case Op::left_shift:
      return binary<T>([](T a, T b) { return shifted_left(a, b); });
    case Op::right_shift:
      return binary<T>([](T a, T b) { return shifted_right(a, b); });
    case Op::bitwise_count:  // of the magnitude, as in Python
      return unary<std::uint8_t, T>([](T a) { return std::popcount(magnitude(a)); });
    default:
      return nullptr;
  }
}

HostFunction boolean_logic(Op op) {
  switch (op) {
    case Op::add:
    case Op::bitwise_or:
    case Op::logical_or:
      return binary<bool>([](bool a, bool b) { return a || b; });
    case Op::multiply:
    case Op::bitwise_and:
    case Op::logical_and:
      return binary<bool>([](bool a, bool b) { return a && b; });
    case Op::bitwise_xor:
    case Op::logical_xor:
      return binary<bool>([](bool a, bool b) { return a != b; });
    case Op::invert:
    case Op::logical_not:
      return unary<bool>([](bool a) { return !a; });
    case Op::absolute:
      return unary<bool>([](bool a) { return a; });
    default:
      return nullptr;
  }
}

// What bools and integers have in common.
template <class T>
HostFunction ordered(Op op) {
  switch (op) {
    case Op::minimum:
    case Op::fmin:
      return binary<T>([](T a, T b) { return b < a ? b : a; });
    case Op::maximum:
    case Op::fmax:
      return binary<T>([](T a, T b) { return a < b ? b : a; });
    case Op::positive:
    case Op::conjugate:
    case Op::real:
    case Op::floor:
    case Op::ceil:
    case Op::trunc:
      return unary<T>([](T a) { return a; });
    case Op::imag:
      return unary<T>([](T) { return T{0}; });
    case Op::isnan:
    case Op::isinf:
      return unary<bool, T>([](T) { return false; });
    case Op::isfinite:
      return unary<bool, T>([](T) { return true; });
    case Op::where:
      return choice();
    default:
      return comparison<T>(op, [](T a, T b) { return a < b; }, [](T a, T b) { return a == b; });
  }
}

template <class T>
HostFunction integer(Op op) {
  if (const HostFunction found = integer_arithmetic<T>(op)) return found;
  if (const HostFunction found = integer_bits<T>(op)) return found;
  return ordered<T>(op);
}

}  // namespace

HostFunction integer_function(Op op, Scalar dtype) noexcept {
  switch (dtype) {
    case Scalar::boolean: {
      const HostFunction found = boolean_logic(op);
      return found != nullptr ? found : ordered<bool>(op);
    }
    case Scalar::int8:
      return integer<std::int8_t>(op);
    case Scalar::int16:
      return integer<std::int16_t>(op);
    case Scalar::int32:
      return integer<std::int32_t>(op);
    case Scalar::int64:
      return integer<std::int64_t>(op);
    case Scalar::uint8:
      return integer<std::uint8_t>(op);
    case Scalar::uint16:
      return integer<std::uint16_t>(op);
    case Scalar::uint32:
      return integer<std::uint32_t>(op);
    case Scalar::uint64:
      return integer<std::uint64_t>(op);
    default:
      return nullptr;
  }
}

HostFunction mixed_comparison(Op op, Scalar left) noexcept {
  const auto less = [](auto a, auto b) { return std::cmp_less(a, b); };
  const auto equal = [](auto a, auto b) { return std::cmp_equal(a, b); };
  return left == Scalar::int64 ? comparison<std::int64_t, std::uint64_t>(op, less, equal)
                               : comparison<std::uint64_t, std::int64_t>(op, less, equal);
}

}  // namespace treadle::kernel

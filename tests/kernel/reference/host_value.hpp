// SPDX-License-Identifier: MIT
// Values of the interpreter, and functions of them as it calls them.
#pragma once

#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernel/reference/interpret.hpp"
#include "treadle/base/dtype.hpp"
#include "treadle/base/half.hpp"
#include "treadle/base/op.hpp"

namespace treadle::kernel {

/// Operands that an operation does not have are any value.
using HostFunction = void (*)(const ElementBytes& a, const ElementBytes& b, const ElementBytes& c,
                              ElementBytes& result);

/// Null where the operation does not compute in this dtype.
HostFunction integer_function(Op op, Scalar dtype) noexcept;  ///< bool, too
HostFunction floating_function(Op op, Scalar dtype) noexcept;
HostFunction complex_function(Op op, Scalar dtype) noexcept;
/// Of ldexp, whose second operand is int32 or int64.
HostFunction ldexp_function(Scalar dtype, Scalar exponent) noexcept;
/// Of a comparison of int64 with uint64, in either order.
HostFunction mixed_comparison(Op op, Scalar left) noexcept;
/// Null for records.
HostFunction cast_function(Scalar from, Scalar to) noexcept;

/// A float16, which computes as float.
struct Half {
  std::uint16_t bits;
};
template <class T>
struct ComputedIn {
  using type = T;
};
template <>
struct ComputedIn<Half> {
  using type = float;
};
template <class T>
using Computed = typename ComputedIn<T>::type;

template <class T>
Computed<T> get(const ElementBytes& bytes) {
  if constexpr (std::same_as<T, bool>) return bytes[0] != std::byte{0};
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  if constexpr (std::same_as<T, Half>)
    return static_cast<float>(half_value(value.bits));
  else
    return value;
}

template <class T, class V>
void put(ElementBytes& bytes, V value) {
  if constexpr (std::same_as<T, Half>) {
    const std::uint16_t bits = half_from(static_cast<double>(value));
    std::memcpy(bytes.data(), &bits, sizeof bits);
  } else {
    const T stored = static_cast<T>(value);
    std::memcpy(bytes.data(), &stored, sizeof stored);
  }
}

/// The function that reads operands of types A, B, applies `F` and stores an R.
template <class R, class A = R, class F>
HostFunction unary(F) {
  return [](const ElementBytes& a, const ElementBytes&, const ElementBytes&, ElementBytes& result) {
    put<R>(result, F{}(get<A>(a)));
  };
}
template <class R, class A = R, class B = A, class F>
HostFunction binary(F) {
  return [](const ElementBytes& a, const ElementBytes& b, const ElementBytes&,
            ElementBytes& result) { put<R>(result, F{}(get<A>(a), get<B>(b))); };
}

/// The second or third operand as it is.
inline HostFunction choice() {
  return [](const ElementBytes& a, const ElementBytes& b, const ElementBytes& c,
            ElementBytes& result) { result = get<bool>(a) ? b : c; };
}

/// Comparisons of numbers that have an order.
template <class A, class B = A, class Less, class Equal>
HostFunction comparison(Op op, Less, Equal) {
  using X = Computed<A>;
  using Y = Computed<B>;
  switch (op) {
    case Op::equal:
      return binary<bool, A, B>([](X a, Y b) { return Equal{}(a, b); });
    case Op::not_equal:
      return binary<bool, A, B>([](X a, Y b) { return !Equal{}(a, b); });
    case Op::less:
      return binary<bool, A, B>([](X a, Y b) { return Less{}(a, b); });
    case Op::less_equal:
      return binary<bool, A, B>([](X a, Y b) { return Less{}(a, b) || Equal{}(a, b); });
    case Op::greater:
      return binary<bool, A, B>([](X a, Y b) { return Less{}(b, a); });
    case Op::greater_equal:
      return binary<bool, A, B>([](X a, Y b) { return Less{}(b, a) || Equal{}(a, b); });
    default:
      return nullptr;
  }
}

}  // namespace treadle::kernel

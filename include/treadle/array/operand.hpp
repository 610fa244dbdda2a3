// SPDX-License-Identifier: MIT
#pragma once

#include <complex>
#include <concepts>

#include "treadle/base/number.hpp"
#include "treadle/base/promotion.hpp"

namespace treadle::array {

class Array;

/// An operand of an operation on arrays: an array or a number. A number of the host language takes
/// the dtype of the arrays it meets, as Python's numbers do: 2 * x and 2.5 * x of float32 are
/// float32. A number from Operand::typed() has a dtype of its own. An Operand refers to its array,
/// which must outlive it.
class Operand {
 public:
  // Implicit: add(x, 5) and 2.5 * x.
  Operand(const Array& array) noexcept : array_(&array), type_(Scalar::boolean) {}
  Operand(bool value) noexcept : number_(value), type_(Scalar::boolean) {}
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  Operand(T value) noexcept : number_(value), type_(Weak::integer) {}
  template <std::floating_point T>
  Operand(T value) noexcept : number_(value), type_(Weak::floating) {}
  template <std::floating_point T>
  Operand(std::complex<T> value) noexcept : number_(value), type_(Weak::complex) {}

  /// A number that counts as an array of this dtype. The number is converted to the dtype.
  static Operand typed(Number number, Scalar dtype) noexcept {
    return {Number::stored(dtype, number.as(dtype).data()), OperandType(dtype)};
  }
  /// A number of the host language whose kind is known at run time.
  static Operand weak(Number number) noexcept;
  /// An integer of the host language beyond 64 bits. No integer dtype can hold it; other dtypes
  /// round it.
  static Operand huge_integer(double nearest) noexcept { return {nearest, Weak::integer}; }

  /// Null for a number.
  const Array* array() const noexcept { return array_; }
  /// The number, if this is no array.
  const Number& number() const noexcept { return number_; }
  /// The dtype of an array or a typed number; the kind of another number. Throws DTypeError for a
  /// record.
  OperandType type() const;

 private:
  Operand(Number number, OperandType type) noexcept : number_(number), type_(type) {}

  const Array* array_ = nullptr;
  Number number_ = false;
  OperandType type_;
};

}  // namespace treadle::array

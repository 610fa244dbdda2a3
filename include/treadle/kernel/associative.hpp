// SPDX-License-Identifier: MIT
// The operations of scans and segmented folds: an operation of Treadle, or a user's C text.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "treadle/base/dtype.hpp"
#include "treadle/base/op.hpp"
#include "treadle/codegen/dialect.hpp"

namespace treadle::kernel {

/// An associative operation: {.op = Op::maximum}, or {.combine = "a * b % 97", .neutral = "1"}.
struct Associative {
  /// One of add, multiply, minimum, maximum, fmin, fmax, bitwise_and, bitwise_or, bitwise_xor,
  /// logical_and, logical_or, logical_xor, gcd, lcm, logaddexp and logaddexp2; used if `combine` is
  /// empty.
  Op op = Op::add;
  /// A C expression of `a` and the later `b`, both with the elements' type.
  std::string combine = {};
  std::string neutral = {};   ///< a C expression for the neutral element; only with `combine`
  std::string preamble = {};  ///< C text before the kernels: functions, structures
  /// C names for dtypes, for instance for a record that the preamble defines.
  std::vector<std::pair<std::string, DType>> types = {};
};

/// Whether an operation of Treadle is associative.
bool is_associative(Op op) noexcept;

/// The operation on elements of one dtype, as kernels use it.
struct AssociativeText {
  DType dtype = Scalar::int8;      ///< dtype of elements in memory: uint8 for bool
  std::string item;                ///< the C name of the elements' type
  std::string combine;             ///< an expression of the variables `a` and `b`
  std::string neutral;             ///< empty: there is no neutral element
  std::string preamble;            ///< text before the kernels
  std::vector<std::string> flags;  ///< for the compiler
  std::vector<std::pair<std::string, DType>> types;  ///< C names for dtypes
  std::string name;                                  ///< for the names of kernels: "add_float32"
  std::string key;                                   ///< equal for equal texts
};
/// Throws InvalidArgument for an operation of Treadle that is not associative; DTypeError for a
/// dtype that the operation does not combine (cast float16 to float32 first), and for records
/// without a name.
AssociativeText associative_text(const Associative& operation, const DType& dtype,
                                 const codegen::Dialect& dialect);

}  // namespace treadle::kernel

namespace treadle {

using kernel::Associative;

}  // namespace treadle

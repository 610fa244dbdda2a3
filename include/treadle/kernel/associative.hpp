// SPDX-License-Identifier: MIT
// Operations that scans and folds of segments combine elements by: one of ours, or a user's C text.
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
  /// logical_and, logical_or, logical_xor, gcd, lcm, logaddexp and logaddexp2; used where there is
  /// no text.
  Op op = Op::add;
  std::string combine = {};   ///< a C text of `a` and, behind it, `b`, both in the elements' type
  std::string neutral = {};   ///< the C text of what changes nothing; not of ours
  std::string preamble = {};  ///< C text before the kernels: functions, structures
  /// C names for dtypes: of a record that the preamble defines.
  std::vector<std::pair<std::string, DType>> types = {};
};

/// Whether one of ours is associative.
bool is_associative(Op op) noexcept;

/// The operation on elements of a dtype, as kernels have it.
struct AssociativeText {
  DType dtype = Scalar::int8;                        ///< of elements in memory: of bool uint8
  std::string item;                                  ///< its name in C
  std::string combine;                               ///< of variables `a` and `b`
  std::string neutral;                               ///< empty: there is none
  std::string preamble;                              ///< before the kernels
  std::vector<std::string> flags;                    ///< for the compiler
  std::vector<std::pair<std::string, DType>> types;  ///< names for dtypes
  std::string name;                                  ///< for kernels: "add_float32"
  std::string key;                                   ///< equal for equal texts
};
/// Throws InvalidArgument for an operation of ours that is not associative; DTypeError for a dtype
/// that ours does not combine (float16: cast to float32), and for records without a name.
AssociativeText associative_text(const Associative& operation, const DType& dtype,
                                 const codegen::Dialect& dialect);

}  // namespace treadle::kernel

namespace treadle {

using kernel::Associative;

}  // namespace treadle

// SPDX-License-Identifier: MIT
// What can be done with elements of arrays: the names of the operations. What dtypes they give says
// treadle/base/promotion.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace treadle {

/// An operation on elements; treadle/base/op.def is the list.
enum class Op : std::uint8_t {
#define TREADLE_OP(name, arity, rule, cost) name,
#include "treadle/base/op.def"
#undef TREADLE_OP
  cast,    ///< to the dtype of the instruction
  leaf,    ///< no operand: an element of an input
  scalar,  ///< no operand: a value that the launch passes
  iota,    ///< no operand: the position in the index space, flat, as int64
  gather,  ///< one operand, int64: an element of an input, so many behind the one that lies there
};

/// Which dtypes an operation takes and what it gives; treadle/base/promotion.hpp has the meaning.
enum class OpRule : std::uint8_t {
  add,
  subtract,  ///< as add; no bool
  multiply,
  divide,           ///< true division: integers give float64
  real_arithmetic,  ///< as add; no complex, bool gives int8
  power,            ///< as add; bool gives int8
  extremum,         ///< the common dtype, complex and bool among them
  negative,         ///< the same dtype; no bool
  absolute,         ///< the same dtype; of complex the real one
  sign,             ///< the same dtype; no bool
  number,           ///< the same dtype; bool gives int8
  part,             ///< the same dtype; of complex the real one
  angle,            ///< as math, of complex the real dtype; bool gives float64
  make_complex,     ///< of two real parts, float32 or float64
  bits,             ///< the common dtype of bools or integers
  shift,            ///< the common dtype of integers; bool gives int8
  bit_count,        ///< integers give uint8
  gcd,              ///< the common dtype of integers; no bool
  compare,          ///< bool, computed in the common dtype; int64 with uint64 each in its own
  logical,          ///< bool, of operands cast to bool: whether they are not zero
  predicate,        ///< bool, of any number
  real_predicate,   ///< bool, of real numbers; integers become floating by their size
  where,            ///< the common dtype of the second and third operand; the first is bool
  round,            ///< floating stays, integers stay; no complex
  rint,             ///< as math: integers become floating
  math,             ///< floating or complex; integers become floating by their size
  real_math,        ///< as math; no complex
  ldexp,            ///< as real_math of the first operand; the second is int32 or int64
  exponent,         ///< int32, of a real floating dtype
  none,             ///< cast, leaf, scalar, iota, gather: the instruction's own dtype
};

/// What is known of an operation without dtypes.
struct OpInfo {
  std::string_view name;  ///< NumPy's
  std::uint8_t arity;     ///< operands
  OpRule rule;            ///< dtypes
  std::uint8_t cost;      ///< estimated instructions for a float32 on a GPU
};
/// Of any operation, in constant time.
const OpInfo& op_info(Op op) noexcept;
/// The operation of this name, if there is one.
std::optional<Op> find_op(std::string_view name) noexcept;

}  // namespace treadle

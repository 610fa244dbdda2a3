// SPDX-License-Identifier: MIT
// Writes an operation as a C expression: the text of src/codegen/op_text.def, filled in for dtypes,
// operands and a language.
#pragma once

#include <span>
#include <string>

#include "treadle/base/dtype.hpp"
#include "treadle/base/op.hpp"
#include "treadle/codegen/dialect.hpp"

namespace treadle::codegen {

/// An operand of an operation.
struct OperandText {
  /// A name, or an expression, which is put into brackets and may be evaluated several times.
  std::string text;
  Scalar dtype;  ///< dtype of the value; its variable has the type value_type(dtype)
};

/// Whether an operation has a text for operands of `dtype`; for Op::where the dtype of the second
/// operand decides.
bool has_op_text(Op op, Scalar dtype) noexcept;
/// The expression for the result, rounded to its dtype. The operands have the dtypes that promotion
/// gives: one dtype for all, except for where, ldexp, and comparisons of int64 with uint64.
/// device_functions() defines the functions that the expression calls. Throws DTypeError for other
/// dtypes, and InvalidArgument for a wrong number of operands and for Op::leaf, scalar and iota.
std::string op_text(Op op, std::span<const OperandText> operands, const Dialect& dialect);
/// The value converted to another dtype. A float is truncated and saturated to int32, uint32, int64
/// or uint64, and NaN becomes 0; a narrower integer takes the lowest bits of that int32. A complex
/// number loses its imaginary part.
std::string cast_text(const OperandText& operand, Scalar dtype, const Dialect& dialect);

}  // namespace treadle::codegen

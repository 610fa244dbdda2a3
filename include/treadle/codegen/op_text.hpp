// SPDX-License-Identifier: MIT
// What an operation is in C: the text of src/codegen/op_text.def, filled in for dtypes, operands
// and a language.
#pragma once

#include <span>
#include <string>

#include "treadle/base/dtype.hpp"
#include "treadle/base/op.hpp"
#include "treadle/codegen/dialect.hpp"

namespace treadle::codegen {

/// A value that an operation is done with.
struct OperandText {
  std::string text;  ///< a name; what is more is put into brackets, and may be computed repeatedly
  Scalar dtype;      ///< of the value, which is in a variable of value_type()
};

/// Whether an operation has a text for operands of `dtype`; of Op::where the second's dtype counts.
bool has_op_text(Op op, Scalar dtype) noexcept;
/// The expression that gives the result, rounded to its dtype. The operands have the dtypes that
/// promotion gives: one dtype, but for where, ldexp, and comparisons of int64 with uint64. The
/// functions that it calls are in device_functions(). Throws DTypeError for other dtypes, and
/// InvalidArgument for another number of operands and for Op::leaf, scalar and iota.
std::string op_text(Op op, std::span<const OperandText> operands, const Dialect& dialect);
/// The value as another dtype: floats are cut to integers, to the nearest of int32, uint32,
/// int64 or uint64 there is, NaN to 0; narrower integers are the lowest bits of that int32. Complex
/// numbers lose their imaginary part.
std::string cast_text(const OperandText& operand, Scalar dtype, const Dialect& dialect);

}  // namespace treadle::codegen

// SPDX-License-Identifier: MIT
// What an Expression means, computed on the host, one element at a time, without compiler or
// device: the reference that generated kernels are compared with. It is NumPy's meaning, and where
// NumPy has none, this:
//
//   integers        wrap around; a division by 0 gives 0, the smallest by -1 itself;
//                   reciprocal(0) gives the smallest int32 or int64, and 0 of other dtypes
//   power           of integers with a negative exponent gives 0
//   shifts          by the width or more, or by less than 0, move every bit out
//   float to int    cut towards 0; int32, int64, uint32 and uint64 take their nearest value, NaN is
//                   0, as on a GPU; int8 to uint16 take the low bits of that int32
//   float16         is computed in float32 and rounded after every step
//   functions       of float16 and float32 are computed in float64 and rounded once
#pragma once

#include <span>

#include "treadle/base/layout.hpp"
#include "treadle/base/number.hpp"
#include "treadle/codegen/expression.hpp"

namespace treadle::kernel {

/// Elements of an input: the first one is layout.offset_bytes() after `data`.
struct HostInput {
  const void* data;  ///< where the layout's offset counts from
  Layout layout;     ///< of the elements; broadcast to the outputs' shape
};

/// Elements of an output. None of the inputs' elements may be among them, unless it is the element
/// of the same index.
struct HostOutput {
  void* data;     ///< where the layout's offset counts from
  Layout layout;  ///< of the elements
};

/// Computes an expression, which is valid, for each element of the outputs' shape, to which the
/// leaves are broadcast. Of the scalars the bytes that their dtypes have count.
/// Throws InvalidArgument unless there are as many inputs, scalars and outputs as the expression
/// has, DTypeError for records and for operations whose dtypes are not those of resolve(), and
/// ShapeError if shapes differ. Nothing is written then.
void interpret(const codegen::Expression& expression, std::span<const HostInput> leaves,
               std::span<const ElementBytes> scalars, std::span<const HostOutput> outputs);

}  // namespace treadle::kernel

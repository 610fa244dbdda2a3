// SPDX-License-Identifier: MIT
// An expression in the form of a user's text, so that the generators that take texts (scans,
// selections, list building and sorts) take expressions as well.
//
//     const ExpressionSnippet x = snippet_of(expression, dialect);      // of x0 * s0
//     ScanKernel sums(device, Scalar::float32,
//                     {.arguments = x.arguments + ", float *y", .input = x.value, .scan = "a + b",
//                      .output = "y[i] = item"},
//                     {.preamble = x.preamble, .flags = dialect.exact_flags});
//     sums.launch(stream, n, leaf, scalar, result);
#pragma once

#include <string>

#include "treadle/codegen/dialect.hpp"
#include "treadle/codegen/expression.hpp"

namespace treadle::codegen {

/// An expression in the form in which users give texts.
struct ExpressionSnippet {
  /// C declarations: "const float *x0, float s0": first leaves, then scalars.
  std::string arguments;
  std::string preamble;  ///< text before the kernel: the functions that the value calls
  std::string value;     ///< the value at the element `i`: "treadle_element(i, x0, s0)"
};

/// Writes an expression with one output and contiguous leaves. `name` becomes the name of its
/// function, so that a kernel may contain several. Throws InvalidArgument for several outputs, for
/// leaves in place and for a scattered output; DTypeError for records.
ExpressionSnippet snippet_of(const Expression& expression, const Dialect& dialect,
                             const std::string& name = "treadle_element");

}  // namespace treadle::codegen

// SPDX-License-Identifier: MIT
// An expression where a user's text may stand: so scans, selections, list building and sorts, which
// are written around texts, take expressions as well.
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

/// An expression as texts of users are given.
struct ExpressionSnippet {
  std::string arguments;  ///< C declarations: "const float *x0, float s0": leaves, then scalars
  std::string preamble;   ///< before the kernel: the functions that the value calls
  std::string value;      ///< of the element `i`: "treadle_element(i, x0, s0)"
};

/// Writes an expression with one output, whose leaves lie one element behind the other. `name` is
/// that of its function, so that a kernel may have several. Throws InvalidArgument for more
/// outputs, for leaves in place and for an output that is scattered, DTypeError for records.
ExpressionSnippet snippet_of(const Expression& expression, const Dialect& dialect,
                             const std::string& name = "treadle_element");

}  // namespace treadle::codegen

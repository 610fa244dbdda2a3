// SPDX-License-Identifier: MIT
// Finds the places of elements in sorted elements by binary search, one search for each work-item.
// The search compares keys (ordered_key.hpp). A complex number has three keys; the first one
// separates NaN from numbers.
#pragma once

#include <string>

#include "treadle/base/dtype.hpp"
#include "treadle/codegen/dialect.hpp"

namespace treadle::codegen {

/// The C texts of an elementwise kernel.
struct SearchText {
  std::string arguments;      ///< C declarations
  std::string operation;      ///< statements for the element `i`
  std::string preamble = {};  ///< functions that the operation calls
};

/// The search for each element of `wanted` in `sorted`. Arguments: these two, the places (int64),
/// the number of sorted elements (int64), and whether a place is after equal elements (uint32).
/// Elements are passed as unsigned integers, a complex number as two.
SearchText generate_search(Scalar dtype, const Dialect& dialect);

/// The search for each number `i` in the sorted integers `keys`: `starts[i]` becomes the first
/// place whose key is at least `i`. Arguments: `starts` and `keys`, with the named types, and the
/// number of keys (int64).
SearchText generate_search_of_numbers(const std::string& start, const std::string& key,
                                      const Dialect& dialect);

}  // namespace treadle::codegen

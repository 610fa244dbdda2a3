// SPDX-License-Identifier: MIT
// Places of elements among others that are sorted: each work-item halves the sorted elements until
// one place is left. Keys are compared (ordered_key.hpp); of complex numbers three, of which the
// first says what is NaN.
#pragma once

#include <string>

#include "treadle/base/dtype.hpp"
#include "treadle/codegen/dialect.hpp"

namespace treadle::codegen {

/// The C texts of an elementwise kernel.
struct SearchText {
  std::string arguments;      ///< C declarations
  std::string operation;      ///< statements for the element `i`
  std::string preamble = {};  ///< functions that these call
};

/// The search of each of `wanted` in `sorted`: it takes these, places (int64), how many are sorted
/// (int64), and whether places are behind equal elements (uint32). Elements are passed as unsigned
/// integers, complex numbers as two.
SearchText generate_search(Scalar dtype, const Dialect& dialect);

/// The search of each number `i` in sorted integers `keys`: `starts[i]` is the first place whose
/// key is not less. It takes both, of the types that are named, and how many keys there are
/// (int64).
SearchText generate_search_of_numbers(const std::string& start, const std::string& key,
                                      const Dialect& dialect);

}  // namespace treadle::codegen

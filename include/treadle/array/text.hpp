// SPDX-License-Identifier: MIT
// Prints arrays as NumPy does.
#pragma once

#include <iosfwd>
#include <string>

#include "treadle/array/array.hpp"

namespace treadle::array {

/// How much of an array is printed.
struct TextFormat {
  std::int64_t threshold = 1000;  ///< of larger arrays only the edges are printed
  int edge_items = 3;             ///< along each axis, at both ends
  int precision = 8;              ///< digits behind the point at most
  int line_width = 75;            ///< columns; longer rows continue in the next line
};

/// NumPy's str(): "[[1.  2.5]
///  [3.  4. ]]". Blocks, and computes a pending array. Of an array with more elements than
/// `threshold` only the edges are copied. Each field of a record is printed by itself: "(1, 2.5)".
std::string to_string(const Array& x, const TextFormat& format = {});
/// Prints to_string(x) into a stream.
std::ostream& operator<<(std::ostream& out, const Array& x);

}  // namespace treadle::array

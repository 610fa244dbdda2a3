// SPDX-License-Identifier: MIT
// Arrays as text, in the form NumPy prints them in.
#pragma once

#include <iosfwd>
#include <string>

#include "treadle/array/array.hpp"

namespace treadle::array {

/// How much of an array its text shows.
struct TextFormat {
  std::int64_t threshold = 1000;  ///< of more elements only those at the edges are shown
  int edge_items = 3;             ///< along each axis, at both ends
  int precision = 8;              ///< digits behind the point, at most
  int line_width = 75;            ///< columns; longer rows go on in the next line
};

/// As NumPy's str(): "[[1.  2.5]\n [3.  4. ]]". Blocking; computes what is pending. Of an array
/// with more elements than `threshold` it copies those at the edges only. Of records each field is
/// written by itself: "(1, 2.5)".
std::string to_string(const Array& x, const TextFormat& format = {});
/// The same into a stream.
std::ostream& operator<<(std::ostream& out, const Array& x);

}  // namespace treadle::array

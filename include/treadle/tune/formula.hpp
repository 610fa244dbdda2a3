// SPDX-License-Identifier: MIT
// Python's expressions over named values, read once and evaluated often.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "treadle/tune/value.hpp"

namespace treadle::tune {

/// An expression in Python's syntax and with Python's meaning over integers of 64 bits, real
/// numbers, texts and truth values: `block_x * block_y <= device.max_group_items and n % tile ==
/// 0`. It has conditionals, `and`, `or`, `not`, chained comparisons, `in` of tuples and lists,
/// arithmetic with `//`, `%` and `**`, operations on bits, and the functions `abs`, `bool`, `ceil`,
/// `ceil_div`, `float`, `floor`, `gcd`, `int`, `log2`, `max`, `min`, `pow`, `round` and `sqrt`,
/// `math.` before them or not. A name may have dots in it. A cheap value; any thread.
class Formula {
 public:
  struct Code;  ///< what it is read into
  /// Throws InvalidArgument that points to the place which cannot be read.
  explicit Formula(std::string_view text);

  /// As it was given.
  const std::string& text() const noexcept;
  /// Every name in it once, in the order of appearance: what operator() takes.
  const std::vector<std::string>& names() const noexcept;
  /// Its value for these values of names(). Throws InvalidArgument for a division by zero, an
  /// integer beyond 64 bits and an operation that has no meaning, with the values.
  Value operator()(std::span<const Value> values) const;

 private:
  std::shared_ptr<const Code> code_;
};

}  // namespace treadle::tune

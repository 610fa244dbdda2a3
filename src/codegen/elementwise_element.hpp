// SPDX-License-Identifier: MIT
// The element of an elementwise kernel: an expression or a user's text.
#pragma once

#include <memory>
#include <string>

#include "element.hpp"
#include "treadle/codegen/dialect.hpp"
#include "treadle/codegen/expression.hpp"
#include "treadle/codegen/schedule.hpp"

namespace treadle::codegen {

/// The loop that a user's text needs: `i` runs through a linear space.
struct TextLoop {
  std::string index;           ///< C type of `i` and of its count
  std::string prep, after;     ///< statements before and after the loop
  std::uint64_t group_length;  ///< elements of each group
  bool has_range;              ///< whether the text uses start, stop and step instead of n
  bool is_literal;             ///< whether the kernel has the literal loop
  bool any_launch;             ///< whether the literal loop asks the launch for its size
};

/// The element of one elementwise kernel.
class ElementwiseElement : public KernelElement {
 public:
  /// Null: the loop goes through a lowered space.
  virtual const TextLoop* text_loop() const { return nullptr; }
  /// The kernel's name for its own variable `wanted`, chosen so that a user's variable may have
  /// that name.
  virtual std::string own_name(std::string wanted) const { return wanted; }
};

/// The element of an expression; it refers to the expression.
std::unique_ptr<ElementwiseElement> element_of(const Expression& expression, Schedule schedule,
                                               const Dialect& dialect);

}  // namespace treadle::codegen

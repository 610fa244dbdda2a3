// SPDX-License-Identifier: MIT
// The element of an elementwise kernel: an expression, or a user's text.
#pragma once

#include <memory>
#include <string>

#include "element.hpp"
#include "treadle/codegen/dialect.hpp"
#include "treadle/codegen/expression.hpp"
#include "treadle/codegen/schedule.hpp"

namespace treadle::codegen {

/// What a user's text wants of the loop around it, beside the element: `i` in a linear space.
struct TextLoop {
  std::string index;           ///< the type of `i` and of what counts it
  std::string prep, after;     ///< statements before and behind the loop
  std::uint64_t group_length;  ///< elements of each group
  bool has_range;              ///< start, stop and step instead of n
  bool is_literal;             ///< the loop that the text speaks of
  bool any_launch;             ///< which asks the launch for its size
};

/// The element of one elementwise kernel.
class ElementwiseElement : public KernelElement {
 public:
  /// Null: the loop is that of a lowered space.
  virtual const TextLoop* text_loop() const { return nullptr; }
  /// What the kernel calls a variable of its own, so that a user's may be called so.
  virtual std::string own_name(std::string wanted) const { return wanted; }
};

/// That of an expression, which it refers to.
std::unique_ptr<ElementwiseElement> element_of(const Expression& expression, Schedule schedule,
                                               const Dialect& dialect);

}  // namespace treadle::codegen

// SPDX-License-Identifier: MIT
// The element of a reduction: the values that are folded.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "element.hpp"
#include "fold_text.hpp"
#include "treadle/codegen/reduction.hpp"

namespace treadle::codegen {

/// The element of one reduction.
class ReductionElement : public KernelElement {
 public:
  /// The value for a fold, after write_values().
  virtual std::string value(std::size_t fold) const = 0;

  std::vector<FoldText> folds;
  bool passes_count = false;      ///< whether the kernel takes the number of elements of a result
  std::size_t partial_bytes = 1;  ///< bytes that a group stores for a result
  std::size_t accumulator_bytes = 1;
  std::size_t largest_bytes = 1;  ///< bytes of the largest folded value
  bool has_lanes = true;          ///< narrow: whether compilers vectorise adjacent accumulators
};

/// The element of an expression; it refers to the expression.
std::unique_ptr<ReductionElement> element_of(const ReductionExpression& expression,
                                             const Dialect& dialect);
}  // namespace treadle::codegen

// SPDX-License-Identifier: MIT
// What a reduction does with an element and with a result: the part of its text that an expression
// and a user's text differ in. The loops around it are one (src/codegen/reduction_writer.hpp).
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "fold_text.hpp"
#include "text_writer.hpp"
#include "treadle/codegen/reduction.hpp"
#include "treadle/codegen/reduction_snippet.hpp"
#include "treadle/codegen/signature.hpp"

namespace treadle::codegen {

/// The element of one reduction.
class ReductionElement {
 public:
  using Kind = ReductionOperand::Kind;
  /// An operand under the name that the text gives it.
  struct Operand : ReductionOperand {
    std::string name;
    std::string type;          ///< of an element in memory
    std::string made_of = {};  ///< a pointer that is there already; empty: it is passed
  };
  /// Gives the text of an element of an operand.
  using Place = std::function<std::string(const Operand&)>;

  ReductionElement() = default;
  ReductionElement(const ReductionElement&) = delete;
  ReductionElement& operator=(const ReductionElement&) = delete;
  virtual ~ReductionElement() = default;

  const Operand& operand(Kind kind, std::size_t index) const;

  /// Says of which operands the elements are the same along the innermost loop.
  virtual void find_constants(const std::function<bool(const Operand&)>& is_constant) = 0;
  /// What the kernel computes, as a comment behind its name.
  virtual void write_comment(TextWriter& text) const = 0;
  /// The parameters that the element declares itself: the kernel's first.
  virtual std::vector<std::string> parameters() const { return {}; }
  /// Statements at the start of the kernel.
  virtual std::string start() const { return {}; }
  /// Computes what is the same along the innermost loop, or the rest.
  virtual void write_values(TextWriter& text, bool constant, const Place& place) = 0;
  /// What is folded, of an element whose values are computed.
  virtual std::string value(std::size_t fold) const = 0;
  /// Stores the results of what was folded.
  virtual void write_results(TextWriter& text, const Place& place) = 0;
  /// The whole program around a kernel.
  virtual std::string program(const std::string& comment, const std::string& kernel) const = 0;

  std::string name;  ///< of the kernel
  std::vector<Operand> operands;
  std::vector<FoldText> folds;
  std::vector<Scalar> scalars;    ///< that a launch passes, in their order
  bool passes_count = false;      ///< whether the kernel takes the number of elements of a result
  std::size_t partial_bytes = 1;  ///< bytes_of_partial()
  std::size_t accumulator_bytes = 1;
  std::size_t largest_bytes = 1;  ///< of what is folded
  bool has_lanes = true;          ///< narrow: whether accumulators side by side become vectors
};

/// That of an expression, which it refers to.
std::unique_ptr<ReductionElement> element_of(const ReductionExpression& expression,
                                             const Dialect& dialect);
/// That of a user's text; refers to the same.
std::unique_ptr<ReductionElement> element_of(const ReductionSnippet& snippet,
                                             const Dialect& dialect, const TypeNames& types);

}  // namespace treadle::codegen

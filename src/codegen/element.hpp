// SPDX-License-Identifier: MIT
// What a kernel does with an element and with a result: the part of its text that an expression and
// a user's text differ in. The loops around it are one: src/codegen/elementwise_writer.hpp,
// src/codegen/reduction_writer.hpp.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "treadle/base/dtype.hpp"
#include "treadle/codegen/block_builder.hpp"
#include "treadle/codegen/lowering.hpp"

namespace treadle::codegen {

/// The element of one kernel.
class KernelElement {
 public:
  using Kind = KernelOperand::Kind;
  /// An operand under the name that the text gives it.
  struct Operand : KernelOperand {
    std::string name;
    std::string type;          ///< of an element in memory
    std::string made_of = {};  ///< a pointer that is there already; empty: it is passed
    bool is_read = true;       ///< else an output's memory is nobody else's
    bool is_output() const { return kind == Kind::output; }
  };
  /// Gives the text of an element of an operand.
  using Place = std::function<std::string(const Operand&)>;

  KernelElement() = default;
  KernelElement(const KernelElement&) = delete;
  KernelElement& operator=(const KernelElement&) = delete;
  virtual ~KernelElement() = default;

  const Operand& operand(Kind kind, std::size_t index) const {
    return *std::ranges::find_if(
        operands, [&](const Operand& o) { return o.kind == kind && o.index == index; });
  }

  /// Says of which operands the elements are the same along the innermost loop.
  virtual void find_constants(const std::function<bool(const Operand&)>& is_constant) = 0;
  /// What the kernel computes, as a comment behind its name.
  virtual void write_comment(tree::BlockBuilder& code) const = 0;
  /// The parameters that the element declares itself: the kernel's first.
  virtual tree::Parts parameters() const { return {}; }
  /// Statements at the start of the kernel.
  virtual void write_start(tree::BlockBuilder&) const {}
  /// Computes what is the same along the innermost loop, or the rest.
  virtual void write_values(tree::BlockBuilder& code, bool constant, const Place& place) = 0;
  /// Stores the results.
  virtual void write_results(tree::BlockBuilder& code, const Place& place) = 0;
  /// The program around a kernel, behind the comment.
  virtual void write_program(tree::BlockBuilder& code, tree::NodePtr kernel) const = 0;

  std::string name;  ///< of the kernel
  std::vector<Operand> operands;
  std::vector<Scalar> scalars;  ///< that a launch passes, in their order
};

}  // namespace treadle::codegen

// SPDX-License-Identifier: MIT
// How a kernel computes an element and stores a result: the part in which an expression and a
// user's text differ. Both share the loops around it: src/codegen/elementwise_writer.hpp and
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

/// The computation of one kernel.
class KernelElement {
 public:
  using Kind = KernelOperand::Kind;
  /// An operand and its name in the text.
  struct Operand : KernelOperand {
    std::string name;
    std::string type;  ///< C type of an element in memory
    /// An existing pointer from which the operand is defined; empty: the operand is a parameter.
    std::string made_of = {};
    bool is_read = true;  ///< false: the memory of an output overlaps no other operand
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

  /// Finds the values that are constant along the innermost loop, from the operands that are.
  virtual void find_constants(const std::function<bool(const Operand&)>& is_constant) = 0;
  /// Writes a comment, after the kernel's name, that says what the kernel computes.
  virtual void write_comment(tree::BlockBuilder& code) const = 0;
  /// The parameters that the element itself declares; they come first in the kernel.
  virtual tree::Parts parameters() const { return {}; }
  /// Statements at the start of the kernel.
  virtual void write_start(tree::BlockBuilder&) const {}
  /// Computes the values that are constant along the innermost loop, or all other values.
  virtual void write_values(tree::BlockBuilder& code, bool constant, const Place& place) = 0;
  /// Stores the results.
  virtual void write_results(tree::BlockBuilder& code, const Place& place) = 0;
  /// Writes the program around a kernel, after the comment.
  virtual void write_program(tree::BlockBuilder& code, tree::NodePtr kernel) const = 0;

  std::string name;  ///< name of the kernel
  std::vector<Operand> operands;
  std::vector<Scalar> scalars;  ///< dtypes of the launch's scalars, in their order
};

}  // namespace treadle::codegen

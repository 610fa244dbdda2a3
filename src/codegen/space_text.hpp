// SPDX-License-Identifier: MIT
// The text by which kernels find their way in a lowered index space.
#pragma once

#include <string>

#include "treadle/codegen/block_builder.hpp"
#include "treadle/codegen/dialect.hpp"
#include "treadle/codegen/lowering.hpp"
#include "treadle/codegen/signature.hpp"

namespace treadle::codegen {

/// The name of a number of a space, which begins with `prefix`; `operand` is the name of the one
/// that a stride is of.
std::string space_name(const SpaceParameter& parameter, const std::string& operand,
                       const std::string& prefix = "");

/// Defines divided(), by which positions are decoded on the wide schedule.
void write_divided(tree::BlockBuilder& code, const Dialect& dialect, const TypeNames& types);

/// Defines index0, index1, ... of `axes` axes from their common position, which is of type
/// `integer`; by divided(), or by an operator.
struct IndexText {
  std::string integer;
  bool divides_by_operator;
  std::string prefix = {};  ///< of names
  /// The statements.
  void write(tree::BlockBuilder& code, const std::string& position, unsigned axes) const;
  /// How far an operand moves along those axes: "index0 * x_stride0 + ...".
  std::string offset(const std::string& operand, unsigned axes) const;
};

}  // namespace treadle::codegen

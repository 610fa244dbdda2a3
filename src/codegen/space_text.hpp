// SPDX-License-Identifier: MIT
// Text that computes indices and addresses in a lowered index space.
#pragma once

#include <string>

#include "treadle/codegen/block_builder.hpp"
#include "treadle/codegen/dialect.hpp"
#include "treadle/codegen/lowering.hpp"
#include "treadle/codegen/signature.hpp"

namespace treadle::codegen {

/// The name of a parameter of a space. It begins with `prefix`; for a stride it contains the name
/// `operand`.
std::string space_name(const SpaceParameter& parameter, const std::string& operand,
                       const std::string& prefix = "");

/// Defines divided(), which decodes positions on the wide schedule.
void write_divided(tree::BlockBuilder& code, const Dialect& dialect, const TypeNames& types);

/// Defines the indices index0, index1, ... of `axes` axes from one position of type `integer`, by
/// divided() or by division.
struct IndexText {
  std::string integer;
  bool divides_by_operator;
  std::string prefix = {};  ///< prefix of the names
  /// Writes the definitions.
  void write(tree::BlockBuilder& code, const std::string& position, unsigned axes) const;
  /// The distance by which the indices move an operand: "index0 * x_stride0 + ...".
  std::string offset(const std::string& operand, unsigned axes) const;
};

}  // namespace treadle::codegen

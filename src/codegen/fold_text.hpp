// SPDX-License-Identifier: MIT
// Folds as C: the variables that hold what was folded so far, and the statements that fold more in.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "block.hpp"
#include "text_writer.hpp"
#include "treadle/codegen/reduction.hpp"

namespace treadle::codegen {

/// Whether a fold keeps where its value was.
bool is_arg(Fold fold) noexcept;

/// One fold of a kernel.
class FoldText {
 public:
  /// Gives the text of a variable: of one of many accumulators, in local memory, in a partial.
  using Name = std::function<std::string(const std::string&)>;

  /// A value, and what tells its place.
  struct Pair {
    std::string value, mark;
  };

  FoldText(Fold fold, std::size_t index, Scalar dtype, const Dialect& dialect);

  bool has_place() const { return fields_.size() == 2; }
  /// The value, and of argmin and argmax its place.
  const std::vector<BlockField>& fields() const { return fields_; }
  /// What each field is before anything is folded.
  std::string neutral(std::size_t field) const;
  /// Folds values into variables.
  void combine(TextWriter& text, const Name& into, const Name& from) const;
  /// For argmin and argmax: the same where the value to fold comes behind all that were folded. Of
  /// equal ones the first stays without a look at the places; what is kept of the winner is `mark`.
  void combine_later(TextWriter& text, const Pair& into, const Pair& from) const;
  /// The field that the epilogue gets.
  const BlockField& result() const { return fields_.back(); }

 private:
  std::string beats(const std::string& value, const std::string& than) const;

  Fold fold_;
  Scalar dtype_;
  const Dialect& dialect_;
  std::vector<BlockField> fields_;
};

}  // namespace treadle::codegen

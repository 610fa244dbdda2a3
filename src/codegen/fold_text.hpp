// SPDX-License-Identifier: MIT
// Writes folds as C: the variables that hold the folded values, and the statements that fold
// further values.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "block.hpp"
#include "treadle/codegen/reduction.hpp"

namespace treadle::codegen {

/// Whether a fold keeps the place of its value.
bool is_arg(Fold fold) noexcept;
/// Whether a fold keeps the rounding errors of its sum.
bool is_summed_exactly(Fold fold, Scalar dtype) noexcept;

/// One fold of a kernel.
///
/// A sum of floats keeps its rounding errors in a second variable, so that its error does not grow
/// with the number of additions. Only short runs of elements, in variables of their own, are added
/// without this.
///
/// A user's fold is a function, and its values are one variable of any type.
class FoldText {
 public:
  /// Gives the text of a variable: an accumulator, an element of local memory, a member of a
  /// partial.
  using Name = std::function<std::string(const std::string&)>;

  /// A value and a mark of its place.
  struct Pair {
    std::string value, mark;
  };

  FoldText(Fold fold, std::size_t index, Scalar dtype, const Dialect& dialect);
  /// A user's fold: `function` is called with two values, and `neutral` is an expression. Nothing
  /// else is known of it, except whether it rounds.
  FoldText(BlockField field, std::string function, std::string neutral, bool rounds,
           const Dialect& dialect);

  bool has_place() const { return is_arg(fold_); }
  /// Whether it folds integers of one or two bytes.
  bool is_of_narrow_integers() const;
  /// Whether it keeps rounding errors.
  bool is_exact() const { return fields_.size() == 2 && !has_place(); }
  /// Whether it rounds; short runs of elements are then folded in variables of their own.
  bool has_runs() const { return is_exact() || rounds_; }
  /// The value; for argmin and argmax also its place; for sums of floats also the rounding errors.
  const std::vector<BlockField>& fields() const { return fields_; }
  /// The initial value of each field.
  std::string neutral(std::size_t field) const;
  /// Folds values into variables.
  void combine(tree::BlockBuilder& code, const Name& into, const Name& from) const;
  /// Folds a value without a place and without rounding errors into variables.
  void combine_value(tree::BlockBuilder& code, const Name& into, const std::string& value) const;
  /// Like combine_value(), into a single variable, which keeps only the value.
  void combine_in_run(tree::BlockBuilder& code, const std::string& into,
                      const std::string& value) const;
  /// An expression that folds two values.
  std::string folded(const std::string& a, const std::string& b) const;
  /// The value for the epilogue: the variable with the rounding errors added.
  std::string settled(const Name& of) const;
  /// For argmin and argmax, if the new value comes after all values folded so far: of equal values
  /// the first stays, without a comparison of places. The winner's `mark` is kept.
  void combine_later(tree::BlockBuilder& code, const Pair& into, const Pair& from) const;
  /// For argmin and argmax: whether a value precedes another in the order of the fold. NaN precedes
  /// all.
  std::string beats(const std::string& value, const std::string& than) const;
  /// The field for the epilogue.
  const BlockField& result() const { return fields_[has_place() ? 1 : 0]; }

 private:
  void add(tree::BlockBuilder& code, const Name& into, const std::string& value,
           const std::string& left_out) const;

  Fold fold_ = Fold::sum;
  Scalar dtype_ = Scalar::structure;
  std::string function_, neutral_;  ///< a user's fold
  bool rounds_ = false;
  const Dialect& dialect_;
  std::vector<BlockField> fields_;
};

}  // namespace treadle::codegen

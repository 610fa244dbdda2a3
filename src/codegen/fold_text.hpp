// SPDX-License-Identifier: MIT
// Folds as C: the variables that hold what was folded so far, and the statements that fold more in.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "block.hpp"
#include "treadle/codegen/reduction.hpp"

namespace treadle::codegen {

/// Whether a fold keeps where its value was.
bool is_arg(Fold fold) noexcept;
/// Whether it keeps what rounding leaves out.
bool is_summed_exactly(Fold fold, Scalar dtype) noexcept;

/// One fold of a kernel.
///
/// Sums of floats keep what rounding leaves out of them beside them: an error does not grow with
/// the number of sums. It is only short runs of elements, in variables of their own, that are
/// added as they are.
///
/// A user's fold is a function, and what it folds one variable of any type.
class FoldText {
 public:
  /// Gives the text of a variable: of one of many accumulators, in local memory, in a partial.
  using Name = std::function<std::string(const std::string&)>;

  /// A value, and what tells its place.
  struct Pair {
    std::string value, mark;
  };

  FoldText(Fold fold, std::size_t index, Scalar dtype, const Dialect& dialect);
  /// A fold of a user's: `function` is called for two values, and `neutral` is an expression.
  /// Nothing is known of it but whether it rounds.
  FoldText(BlockField field, std::string function, std::string neutral, bool rounds,
           const Dialect& dialect);

  bool has_place() const { return is_arg(fold_); }
  /// Whether it folds integers of one byte or two.
  bool is_of_narrow_integers() const;
  /// Whether it keeps what is left out.
  bool is_exact() const { return fields_.size() == 2 && !has_place(); }
  /// Whether it rounds: then short runs of elements are folded in variables of their own.
  bool has_runs() const { return is_exact() || rounds_; }
  /// The value, and of argmin and argmax its place, of sums of floats what was left out.
  const std::vector<BlockField>& fields() const { return fields_; }
  /// What each field is before anything is folded.
  std::string neutral(std::size_t field) const;
  /// Folds values into variables.
  void combine(tree::BlockBuilder& code, const Name& into, const Name& from) const;
  /// Folds a value that has no place, and of which nothing was left out, into variables.
  void combine_value(tree::BlockBuilder& code, const Name& into, const std::string& value) const;
  /// The same into one variable, which keeps the value alone.
  void combine_in_run(tree::BlockBuilder& code, const std::string& into,
                      const std::string& value) const;
  /// Two values folded.
  std::string folded(const std::string& a, const std::string& b) const;
  /// What the epilogue gets of variables: the value with what was left out.
  std::string settled(const Name& of) const;
  /// For argmin and argmax: the same where the value to fold comes behind all that were folded. Of
  /// equal ones the first stays without a look at the places; what is kept of the winner is `mark`.
  void combine_later(tree::BlockBuilder& code, const Pair& into, const Pair& from) const;
  /// For argmin and argmax: whether a value is before another one in the order of the fold. NaN is
  /// before all.
  std::string beats(const std::string& value, const std::string& than) const;
  /// The field that the epilogue gets.
  const BlockField& result() const { return fields_[has_place() ? 1 : 0]; }

 private:
  void add(tree::BlockBuilder& code, const Name& into, const std::string& value,
           const std::string& left_out) const;

  Fold fold_ = Fold::sum;
  Scalar dtype_ = Scalar::structure;
  std::string function_, neutral_;  ///< of a user's
  bool rounds_ = false;
  const Dialect& dialect_;
  std::vector<BlockField> fields_;
};

}  // namespace treadle::codegen

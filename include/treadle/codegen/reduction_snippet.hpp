// SPDX-License-Identifier: MIT
// Reductions of a user's C text: the reduce text `a + b`, the map text `x[i] * y[i]`, the neutral
// `0`.
//
// The loops are those of treadle/codegen/reduction.hpp; only the computation of an element is the
// user's. If a text certainly reads an array as `x[i]` for every `i`, and uses it in no other way,
// the array becomes an operand like the leaf of an expression, and is read by vectors if it is
// contiguous. The text itself reads all other arrays by the index `i`.
//
// The result's type may be any type that a program defines: it only has to be copyable by
// assignment in local and global memory. Several results are folded in one pass; each has its own
// variables, local memory and output. For `a + b` of floats with the neutral 0, rounding errors are
// kept as for sums of expressions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "treadle/base/dtype.hpp"
#include "treadle/codegen/dialect.hpp"
#include "treadle/codegen/reduction.hpp"
#include "treadle/codegen/schedule.hpp"
#include "treadle/codegen/signature.hpp"

namespace treadle::codegen {

/// One result of a user's reduction.
struct ReductionOutput {
  DType dtype;          ///< dtype of the result and of all values folded
  std::string neutral;  ///< an expression: the neutral element
  std::string reduce;   ///< an expression of `a` and `b`, associative and commutative
  /// An expression of the parameters, the index `i` (int64) and the number of elements `n`.
  std::string map;
};

/// A user's reduction.
struct ReductionSnippet {
  std::vector<ParameterSpec> parameters;  ///< the parameters, by the names in the texts
  std::vector<ReductionOutput> outputs;   ///< at least one
  std::string name = "reduction";         ///< name of the kernel
  std::string preamble = {};              ///< text before the kernel
};

/// A user's reduction after its texts are analysed, once for all kernels made from it.
class ReadReduction {
 public:
  /// `types` are the names of types in the texts, `dialect` the language. Throws InvalidArgument
  /// for a parameter named `i`, DTypeError for a result whose type has no name.
  ReadReduction(ReductionSnippet snippet, const Dialect& dialect, TypeNames types);

  /// The reduction as the user gave it.
  const ReductionSnippet& snippet() const noexcept { return snippet_; }
  /// The names of types in its texts.
  const TypeNames& types() const noexcept { return types_; }
  /// The operands in the order of lower_reduction(): leaves, whose index is the number of the
  /// parameter; the position, if a text uses `i` in another way; and the outputs.
  const std::vector<KernelOperand>& operands() const noexcept { return operands_; }
  /// Whether a parameter is a leaf.
  bool is_leaf(std::size_t parameter) const { return leaves_[parameter]; }
  /// The map of an output; the text calls the elements of leaves treadle_NAME.
  const std::string& map(std::size_t output) const { return maps_[output]; }
  /// Whether an output is a sum of floats whose rounding errors are kept.
  bool is_sum(std::size_t output) const { return sums_[output]; }
  /// Whether a map uses `n`, the number of elements.
  bool uses_count() const noexcept { return uses_count_; }

  /// The target for lowering.
  ReductionTarget target(const Tiling& tiling, unsigned compute_units) const;
  /// The most bytes that one group stores for one result.
  std::size_t bytes_of_partial() const;
  /// The most bytes of the variables for one result, without rounding errors.
  std::size_t bytes_of_accumulator() const;
  /// Writes the kernel, like generate_reduction(). The user's parameters come first in the kernel
  /// and are not listed in ReductionText::parameters. For a leaf an offset in elements is passed on
  /// every device.
  ReductionText generate(const ReductionClass& loop, const Tiling& tiling) const;

 private:
  void find_leaves(const std::vector<std::string>& plain);
  void find_operands();
  std::size_t bytes_of_fields(bool is_partial) const;

  ReductionSnippet snippet_;
  const Dialect& dialect_;
  TypeNames types_;
  std::vector<bool> leaves_;       // for each parameter
  std::vector<bool> sums_;         // for each output
  std::vector<std::string> maps_;  // for each output
  std::vector<KernelOperand> operands_;
  bool uses_count_ = false, rounds_ = false;
  unsigned map_cost_ = 0;
};

}  // namespace treadle::codegen

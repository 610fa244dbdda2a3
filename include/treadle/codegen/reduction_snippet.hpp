// SPDX-License-Identifier: MIT
// Reductions around a user's C text: `a + b` of `x[i] * y[i]`, beginning with `0`.
//
// They are reductions of treadle/codegen/reduction.hpp, by the same loops; only what is done with
// an element is the user's. Arrays that the text surely reads as `x[i]` for each `i`, and in no
// other way, are operands as the leaves of expressions are: they are read as vectors where they
// lie so. All else is left to the text, which is told `i`.
//
// The type of a result may be any that a program defines: it is copied by assignment, in local and
// in global memory, and needs nothing else. Several results are folded side by side in one pass:
// each has variables, local memory and output of its own. Of `a + b` of floats that begins with 0
// what rounding leaves out is kept, as of sums of expressions.
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

/// One of the results of a user's reduction.
struct ReductionOutput {
  DType dtype;          ///< of the result and of everything that is folded
  std::string neutral;  ///< what changes nothing, an expression
  std::string reduce;   ///< of `a` and `b`, associative and commutative
  std::string map;      ///< of the parameters for the element `i`, int64, and their number `n`
};

/// A user's reduction.
struct ReductionSnippet {
  std::vector<ParameterSpec> parameters;  ///< as the texts use them
  std::vector<ReductionOutput> outputs;   ///< one at least
  std::string name = "reduction";         ///< of the kernel
  std::string preamble = {};              ///< before the kernel
};

/// A user's reduction whose texts were read, once for all kernels that are made of it.
class ReadReduction {
 public:
  /// `types` are those of the texts, `dialect` the language's own. Throws InvalidArgument for a
  /// parameter that is called `i`, DTypeError for a result whose type has no name.
  ReadReduction(ReductionSnippet snippet, const Dialect& dialect, TypeNames types);

  /// As it was given.
  const ReductionSnippet& snippet() const noexcept { return snippet_; }
  /// What its texts call types.
  const TypeNames& types() const noexcept { return types_; }
  /// The operands in the order in which lower_reduction() has them: leaves, whose index is that of
  /// the parameter; the position `i` if a text uses it otherwise; and the outputs.
  const std::vector<KernelOperand>& operands() const noexcept { return operands_; }
  /// Whether a parameter is a leaf.
  bool is_leaf(std::size_t parameter) const { return leaves_[parameter]; }
  /// The map of an output, in which elements of leaves are called treadle_NAME.
  const std::string& map(std::size_t output) const { return maps_[output]; }
  /// Whether an output is a sum of floats, of which what rounding leaves out is kept.
  bool is_sum(std::size_t output) const { return sums_[output]; }
  /// Whether a map uses `n`, the number of elements.
  bool uses_count() const noexcept { return uses_count_; }

  /// What it is lowered for.
  ReductionTarget target(const Tiling& tiling, unsigned compute_units) const;
  /// Bytes that one group hands over for one result, at most.
  std::size_t bytes_of_partial() const;
  /// The same without what is left out of sums.
  std::size_t bytes_of_accumulator() const;
  /// Writes the kernel, as generate_reduction() of an expression does. The user's parameters are
  /// the kernel's first and not among those of the text; of a leaf an offset in elements is passed
  /// on all devices.
  ReductionText generate(const ReductionClass& loop, const Tiling& tiling) const;

 private:
  void find_leaves(const std::vector<std::string>& plain);
  void find_operands();
  std::size_t bytes_of_fields(bool is_partial) const;

  ReductionSnippet snippet_;
  const Dialect& dialect_;
  TypeNames types_;
  std::vector<bool> leaves_;       // of each parameter
  std::vector<bool> sums_;         // of each output
  std::vector<std::string> maps_;  // of each output
  std::vector<KernelOperand> operands_;
  bool uses_count_ = false, rounds_ = false;
  unsigned map_cost_ = 0;
};

}  // namespace treadle::codegen

// SPDX-License-Identifier: MIT
// Kernels that make few numbers of many: sums, extrema and their places, of all elements or along
// axes, in one launch.
//
// Each element of the index space is mapped by an Expression (the load stage), the mapped values
// are folded, and an Expression over what was folded (the epilogue) is stored. The tree of a fold
// depends on shapes and the device alone, and no floats are added by atomics: the same bits in
// every run. It is the tree reduction of Harris ("Optimizing parallel reduction in CUDA", 2007),
// with several elements for each work-item, finished in the same launch by the last group:
//
//   sum of x, 10000 float32, wide, 3 groups: tiles of 256 * 4 * 2 elements, dealt round
//
//   element    0        2048     4096     6144     8192    10000
//              | group 0 | group 1 | group 2 | group 0 | group 1 |
//   item       four accumulators each -> one -> a tree over the group -> partials[0 .. 2]
//   ticket     each group takes one when its partial is written; who gets 2 is the last: it folds
//              the partials in the order of groups, runs the epilogue, and puts the ticket back
//
// Sums of floats do not lose more digits the more elements there are. A run of at most 4 elements
// is added in a variable of its own; what rounding leaves out of sums of runs is kept beside them
// (D. E. Knuth, The Art of Computer Programming 2, 4.2.2), handed over with the partials, and added
// to the result at last:
//
//   part += x[i]; 4 times -> total = sum + part; left_out += (sum + part) - total; sum = total
//
// Axes that stay and axes that are folded are lowered each for itself (treadle/codegen/
// lowering.hpp). Neighbouring work-items take neighbouring elements: along the folded axes where
// these are innermost in memory ("rows": 256, 32, 8 or 1 work-items on a result), else along the
// axes that stay ("columns": 64 neighbouring results by 4 work-items each, or more by fewer):
//
//   x.sum(axis=1), rows:   r0 | . . . .     x.sum(axis=0), columns:   r0 r1 r2 r3
//     lanes ->             r1 | . . . .       results ->              .  .  .  .   lanes |
//                          r2 | . . . .                               .  .  .  .         v
//
// Where there are fewer results than the device has groups for, several groups share one, by
// partials and a ticket each. Narrow: a group is one work-item; it folds a chunk of a row into 512
// bytes of accumulators side by side, which compilers make vector loops of, or adds pieces of
// rows to a strip of results that stays in the first cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "treadle/base/dtype.hpp"
#include "treadle/base/promotion.hpp"
#include "treadle/codegen/dialect.hpp"
#include "treadle/codegen/expression.hpp"
#include "treadle/codegen/lowering.hpp"
#include "treadle/codegen/schedule.hpp"
#include "treadle/codegen/tree.hpp"

namespace treadle::codegen {

/// How two values become one; associative, and in any order but for rounding.
enum class Fold : std::uint8_t {
  sum,
  product,
  minimum,  ///< NaN if there is one
  maximum,
  fmin,  ///< NaN only if there is nothing else
  fmax,
  any,  ///< of bool
  all,
  argmin,  ///< the place of the minimum, int64: the first one of them, or of the first NaN
  argmax,
};
/// "sum", "argmin".
std::string_view fold_name(Fold fold) noexcept;
/// Whether folding no values gives a value: a sum of none is 0, a minimum of none is an error.
bool has_neutral(Fold fold) noexcept;

/// results = epilogue(fold(map(leaves, scalars)), more leaves, more scalars)
struct ReductionExpression {
  Expression map;           ///< of each element; its outputs are what is folded, in their dtypes
  std::vector<Fold> folds;  ///< of each output of `map`
  /// Of each result: its first leaves are what was folded, the others arrays of the results' shape.
  Expression epilogue;

  /// int64 for argmin and argmax, else as the map's output.
  Scalar folded_dtype(std::size_t fold) const;
  /// Throws InvalidArgument as Expression::require_valid(), for numbers or dtypes that do not fit,
  /// more than 8 folds, and leaves in place; DTypeError for values that are not folded so.
  void require_valid() const;
  /// Equal for expressions that give the same text.
  std::string key() const;
};

/// The reduction of an expression with one output, in NumPy's dtypes or in those that are given.
/// Of Reduction::mean the epilogue takes one scalar, the number of elements, in the dtype of the
/// real part of the accumulator. Throws InvalidArgument for cumulative ones and for the variance,
/// which needs the mean first, and DTypeError.
ReductionExpression reduction_of(Reduction reduction, const Expression& elements,
                                 std::optional<ReductionDtypes> dtypes = {});
/// The operands of a reduction in the order in which lower_reduction() has them: leaves, position,
/// place, outputs, leaves of the epilogue; at least one is of elements.
std::vector<KernelOperand> operands_of(const ReductionExpression& expression);

/// An operand as it lies in memory; as OperandLayout.
struct ReducedLayout {
  std::span<const std::int64_t> kept_strides;    ///< along the axes that stay, in bytes
  std::span<const std::int64_t> folded_strides;  ///< along the others, if it is of elements
  std::size_t size_bytes = 0;
  std::uint64_t address = 0;
  bool is_of_elements = true;  ///< as KernelOperand says; these come first
  bool is_indirect = false;    ///< likewise
};

/// What the text of a reduction depends on, beside the expression.
struct ReductionClass {
  LoopClass kept;               ///< columns on narrow: rows; else strided
  LoopClass folded;             ///< linear, rows or strided
  bool has_columns = false;     ///< neighbours are results
  bool is_split = false;        ///< several groups share a result
  bool has_short_rows = false;  ///< narrow: few accumulators
  bool has_blocks = false;      ///< narrow: short rows, or columns, of floats are several blocks
  std::uint8_t depth_log2 = 0;  ///< wide: work-items on a result
  bool kept_has_32_bits = false, folded_has_32_bits = false;  ///< positions are decoded in 32 bits
  /// Equal for equal classes.
  void append_key(std::string& key) const;
  bool operator==(const ReductionClass&) const = default;
};

/// What a launch passes for one parameter.
struct ReductionParameter {
  /// Where the value comes from.
  enum class Role : std::uint8_t {
    pointer,      ///< to the first element of an operand
    offset,       ///< elements behind it, where the language has no addresses: int64
    first,        ///< the first position or place, int64
    scalar,       ///< a value of the map, and then those of the epilogue
    count,        ///< elements of a result, int64
    kept,         ///< a number of the space of results
    folded,       ///< a number of the space that is folded
    tiles,        ///< all groups of results
    group_tiles,  ///< those of a group, where none is shared
    splits,       ///< groups that share a tile
    partials,     ///< pointer to memory for what they hand over
    tickets,      ///< pointer to an uint32 for each tile, 0 before and after
  };
  Role role;
  std::uint8_t index = 0;       ///< which operand or scalar
  SpaceParameter space = {};    ///< of a space
  Scalar dtype = Scalar::int8;  ///< of what is passed by value
  std::string name = {};        ///< in the text
};

/// A generated kernel.
struct ReductionText {
  std::string name;  ///< kernel_name()
  std::string text;  ///< a whole program with that one kernel
  std::vector<ReductionParameter> parameters;
  tree::NodePtr program = {};  ///< what `text` was printed of
};

/// A reduction, lowered for one device.
struct ReductionLowering {
  ReductionClass loop;
  Lowering kept, folded;  ///< of results and of what makes one; operands as operands_of() has them
  std::uint64_t groups = 0;         ///< to launch; 0: there are no results
  std::uint64_t tiles = 0;          ///< of results
  std::uint64_t group_tiles = 1;    ///< that a group works through, where none is shared
  std::uint64_t splits = 1;         ///< groups that share a tile
  std::uint64_t tile_partials = 0;  ///< what each of them hands over, in partials
  unsigned group_size = 1;          ///< work-items of a group

  /// Of the parameters that are numbers of these spaces.
  std::uint64_t value(const ReductionParameter& parameter) const;
};

/// What a reduction is lowered for.
struct ReductionTarget {
  const Tiling& tiling;
  unsigned compute_units = 0;         ///< 0: not known
  std::size_t partial_bytes = 1;      ///< bytes_of_partial()
  std::size_t accumulator_bytes = 1;  ///< bytes_of_accumulator()
  unsigned map_cost = 0;              ///< Expression::cost() of what is folded
  bool has_runs = false;              ///< whether a fold rounds
  /// Whether one result, of however many elements, has the text of one of many: then the texts of a
  /// reduction to one result are two, with vectors and without.
  bool has_few_texts = false;
};
/// That of an expression.
ReductionTarget target_of(const ReductionExpression& expression, const Tiling& tiling,
                          unsigned compute_units);

/// Bytes that one group hands over for one result.
std::size_t bytes_of_partial(const ReductionExpression& expression);
/// The same without what is left out of sums: of the variables that elements are folded into.
std::size_t bytes_of_accumulator(const ReductionExpression& expression);

/// Lowers a reduction. Throws as lower().
ReductionLowering lower_reduction(std::span<const std::int64_t> kept_extents,
                                  std::span<const std::int64_t> folded_extents,
                                  std::span<const ReducedLayout> operands,
                                  const ReductionTarget& target);

/// What its kernel is called, which spells map and folds: "multiply_sum_f32".
std::string kernel_name(const ReductionExpression& expression);

/// Writes the kernel of a valid expression for a class that it was lowered to by the same tiling.
/// Outputs must be memory that nothing else refers to.
ReductionText generate_reduction(const ReductionExpression& expression, const ReductionClass& loop,
                                 const Tiling& tiling, const Dialect& dialect);

}  // namespace treadle::codegen

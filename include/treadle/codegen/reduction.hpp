// SPDX-License-Identifier: MIT
// Kernels that reduce many numbers to few: sums, extrema and the places of extrema, over all
// elements or along axes, in one launch.
//
// An Expression maps each element of the index space (the load stage), the mapped values are
// folded, and an Expression of the folded values (the epilogue) gives the results. The tree of a
// fold depends only on shapes and the device, and no floats are added by atomics, so every run
// gives the same bits. The fold is the tree reduction of Harris ("Optimizing parallel reduction in
// CUDA", 2007), with several elements for each work-item, and the last group finishes it in the
// same launch:
//
//   sum of x, 10000 float32, wide, 3 groups: tiles of 256 * 4 * 2 elements, dealt round
//
//   element    0        2048     4096     6144     8192    10000
//              | group 0 | group 1 | group 2 | group 0 | group 1 |
//   item       four accumulators each -> one -> a tree over the group -> partials[0 .. 2]
//   ticket     a group takes a ticket after it has written its partial; the group with ticket 2 is
//              last: it folds the partials in the order of groups, runs the epilogue, and sets the
//              ticket back to 0
//
// The error of a sum of floats does not grow with the number of elements. At most 4 elements are
// added in a variable of their own (a run). The rounding errors of the sums of runs are added up
// beside them (D. E. Knuth, The Art of Computer Programming 2, 4.2.2), stored with the partials,
// and added to the result at the end:
//
//   part += x[i]; 4 times -> total = sum + part; left_out += (sum + part) - total; sum = total
//
// The kept axes and the folded axes are lowered separately (treadle/codegen/lowering.hpp).
// Neighbouring work-items take neighbouring elements. If the folded axes are innermost in memory,
// the neighbours lie along these ("rows": 256, 32, 8 or 1 work-items for a result); otherwise they
// lie along the kept axes ("columns": 64 adjacent results by 4 work-items each, or more results by
// fewer work-items):
//
//   x.sum(axis=1), rows:   r0 | . . . .     x.sum(axis=0), columns:   r0 r1 r2 r3
//     lanes ->             r1 | . . . .       results ->              .  .  .  .   lanes |
//                          r2 | . . . .                               .  .  .  .         v
//
// If there are fewer results than the device has room for groups, several groups share one result
// and combine by partials and a ticket. Narrow: a group is one work-item. It folds a chunk of a row
// into 512 bytes of adjacent accumulators, so that compilers make vector loops; or it adds pieces
// of rows to a strip of results that stays in the first-level cache.
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

/// A way to combine two values; associative and, apart from rounding, independent of the order.
enum class Fold : std::uint8_t {
  sum,
  product,
  minimum,  ///< NaN if any value is NaN
  maximum,
  fmin,  ///< NaN only if all values are NaN
  fmax,
  any,  ///< for bool
  all,
  argmin,  ///< the place of the minimum, int64: the first minimum, or the first NaN
  argmax,
};
/// The name: "sum", "argmin".
std::string_view fold_name(Fold fold) noexcept;
/// Whether a fold of no values has a result: a sum is 0, a minimum is an error.
bool has_neutral(Fold fold) noexcept;

/// results = epilogue(fold(map(leaves, scalars)), more leaves, more scalars)
struct ReductionExpression {
  Expression map;           ///< maps each element; its outputs are folded, in their dtypes
  std::vector<Fold> folds;  ///< of each output of `map`
  /// Computes each result: its first leaves are the folded values, the others are arrays with the
  /// shape of the results.
  Expression epilogue;

  /// int64 for argmin and argmax; otherwise the dtype of the map's output.
  Scalar folded_dtype(std::size_t fold) const;
  /// Throws InvalidArgument as Expression::require_valid(), for a number of folds or dtypes that do
  /// not match, for more than 8 folds, and for leaves in place; DTypeError for values that the fold
  /// does not take.
  void require_valid() const;
  /// Expressions with equal keys have the same text.
  std::string key() const;
};

/// The reduction of an expression with one output, in NumPy's dtypes or in the given dtypes. The
/// epilogue of Reduction::mean takes one scalar, the number of elements, in the dtype of the
/// accumulator's real part. Throws InvalidArgument for cumulative reductions and for the variance,
/// which needs the mean first; DTypeError.
ReductionExpression reduction_of(Reduction reduction, const Expression& elements,
                                 std::optional<ReductionDtypes> dtypes = {});
/// The operands of a reduction in the order of lower_reduction(): leaves, position, place, outputs,
/// leaves of the epilogue. At least one operand has a value for each element.
std::vector<KernelOperand> operands_of(const ReductionExpression& expression);

/// The layout of an operand in memory, like OperandLayout.
struct ReducedLayout {
  std::span<const std::int64_t> kept_strides;    ///< bytes along the kept axes
  std::span<const std::int64_t> folded_strides;  ///< bytes along the folded axes, if is_of_elements
  std::size_t size_bytes = 0;
  std::uint64_t address = 0;
  bool is_of_elements = true;  ///< as in KernelOperand; these operands come first
  bool is_indirect = false;    ///< as in OperandLayout
};

/// The properties of a reduction that, with the expression, decide its text.
struct ReductionClass {
  LoopClass kept;               ///< rows for narrow columns; otherwise strided
  LoopClass folded;             ///< linear, rows or strided
  bool has_columns = false;     ///< neighbouring work-items have neighbouring results
  bool is_split = false;        ///< several groups share a result
  bool has_short_rows = false;  ///< narrow: few accumulators
  /// Narrow: short rows, or columns, of floats are summed in several blocks.
  bool has_blocks = false;
  std::uint8_t depth_log2 = 0;  ///< wide: log2 of the work-items for a result
  bool kept_has_32_bits = false, folded_has_32_bits = false;  ///< positions are decoded in 32 bits
  /// Equal for equal classes.
  void append_key(std::string& key) const;
  bool operator==(const ReductionClass&) const = default;
};

/// The meaning of one parameter of a reduction kernel.
struct ReductionParameter {
  /// Where the value comes from.
  enum class Role : std::uint8_t {
    pointer,  ///< pointer to the first element of an operand
    /// Elements from that pointer to the first element, if the language has no addresses: int64.
    offset,
    first,        ///< the first position or place, int64
    scalar,       ///< a scalar: those of the map, then those of the epilogue
    count,        ///< number of elements of a result, int64
    kept,         ///< a number of the lowered kept axes
    folded,       ///< a number of the lowered folded axes
    tiles,        ///< tiles of results
    group_tiles,  ///< tiles of a group, if no tile is shared
    splits,       ///< groups that share a tile
    partials,     ///< pointer to memory for the partials of shared tiles
    tickets,      ///< pointer to an uint32 for each tile: 0 before and after the launch
  };
  Role role;
  std::uint8_t index = 0;       ///< which operand or scalar
  SpaceParameter space = {};    ///< for kept and folded
  Scalar dtype = Scalar::int8;  ///< dtype of a value passed
  std::string name = {};        ///< name in the text
};

/// A generated kernel.
struct ReductionText {
  std::string name;  ///< kernel_name()
  std::string text;  ///< a complete program with this one kernel
  std::vector<ReductionParameter> parameters;
  tree::NodePtr program = {};  ///< the tree that was printed as `text`
};

/// A reduction, lowered for one device.
struct ReductionLowering {
  ReductionClass loop;
  Lowering kept, folded;  ///< the kept and the folded axes; operands in the order of operands_of()
  std::uint64_t groups = 0;         ///< groups to launch; 0: there are no results
  std::uint64_t tiles = 0;          ///< tiles of results
  std::uint64_t group_tiles = 1;    ///< tiles of a group, if no tile is shared
  std::uint64_t splits = 1;         ///< groups that share a tile
  std::uint64_t tile_partials = 0;  ///< partials that each of these groups stores
  unsigned group_size = 1;          ///< work-items of a group

  /// The value of a parameter whose role is one of kept, folded and the numbers of this struct.
  std::uint64_t value(const ReductionParameter& parameter) const;
};

/// The properties of device and expression for which a reduction is lowered.
struct ReductionTarget {
  const Tiling& tiling;
  unsigned compute_units = 0;         ///< 0: unknown
  std::size_t partial_bytes = 1;      ///< bytes_of_partial()
  std::size_t accumulator_bytes = 1;  ///< bytes_of_accumulator()
  unsigned map_cost = 0;              ///< Expression::cost() of the map
  bool has_runs = false;              ///< whether a fold rounds
  /// Whether reductions to one result share two texts, with and without vectors, whatever the
  /// number of elements; otherwise a reduction of few elements has a text of its own.
  bool has_few_texts = false;
};
/// The target of an expression.
ReductionTarget target_of(const ReductionExpression& expression, const Tiling& tiling,
                          unsigned compute_units);

/// Bytes of the partial that one group stores for one result.
std::size_t bytes_of_partial(const ReductionExpression& expression);
/// Bytes of the variables into which elements are folded: a partial without the rounding errors of
/// sums.
std::size_t bytes_of_accumulator(const ReductionExpression& expression);

/// Lowers a reduction. Throws as lower().
ReductionLowering lower_reduction(std::span<const std::int64_t> kept_extents,
                                  std::span<const std::int64_t> folded_extents,
                                  std::span<const ReducedLayout> operands,
                                  const ReductionTarget& target);

/// The name of its kernel, made of the map's operations and the folds: "multiply_sum_f32".
std::string kernel_name(const ReductionExpression& expression);

/// Writes the kernel of a valid expression for a class that was lowered with the same tiling. The
/// memory of an output must not overlap any other operand.
ReductionText generate_reduction(const ReductionExpression& expression, const ReductionClass& loop,
                                 const Tiling& tiling, const Dialect& dialect);

}  // namespace treadle::codegen

// SPDX-License-Identifier: MIT
// Turns the shape of a result and the strides of its operands into a loop.
//
// Lowering drops axes of length 1, sorts the others by the output's strides, reverses axes that run
// backwards in every operand, and merges adjacent axes that are contiguous in every operand. The
// axes that remain give the class of the loop, which decides the kernel's text, and the numbers
// that a launch passes, on which the text does not depend.
//
//   z = x[:, ::-1] + y, shapes (600, 4, 50), y a row of 50 broadcast:
//     z strides 200 50 1   x strides 200 -50 1   y strides 0 0 1   sorted: as they are
//     no two axes are one in z, x and y, so three are left: (600, 4, 50)
//   z = x + y, all of shape (600, 4, 50) and contiguous: one axis of 120000, class linear
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "treadle/base/dtype.hpp"
#include "treadle/codegen/schedule.hpp"

namespace treadle::codegen {

/// An operand of a kernel: it has a value for each element that the kernel computes, or for each
/// result.
struct KernelOperand {
  /// What it is.
  enum class Kind : std::uint8_t {
    leaf,      ///< an array that is read
    position,  ///< the position in the whole index space
    place,     ///< the position along the folded axes, for folds that need it
    output,    ///< a result
    /// An array that the epilogue reads; its index counts from the first leaf that is not a fold.
    result_leaf,
  };
  Kind kind;                 ///< the kind of operand
  std::uint8_t index;        ///< its number among operands of this kind
  DType dtype;               ///< of an element
  bool is_indirect = false;  ///< as OperandLayout::is_indirect
  /// Whether the operand lies in memory.
  bool is_memory() const { return kind != Kind::position && kind != Kind::place; }
  /// In reductions: whether the operand has a value for each element, and not for each result.
  bool is_of_elements() const { return kind < Kind::output; }
};

/// The layout of an operand in memory.
struct OperandLayout {
  /// Bytes from element to element along each axis, a multiple of the element size; 0 for a
  /// broadcast axis.
  std::span<const std::int64_t> strides;
  /// Bytes of an element. 0 for the position in the index space, which does not lie in memory: its
  /// strides count positions.
  std::size_t size_bytes = 0;
  /// Address of the first element in bytes; only its value modulo 16 counts.
  std::uint64_t address = 0;
  /// The expression computes the offset of each element from these places. The strides of such an
  /// output may be 0.
  bool is_indirect = false;
};

/// The kinds of loop.
enum class SpaceKind : std::uint8_t {
  linear,   ///< one axis
  rows,     ///< rows in pieces; the outer axes are decoded once for each piece
  strided,  ///< the position of every element is decoded
  /// Square tiles of the innermost axis of the output and the innermost axis of another operand.
  /// Narrow: also used for rows too short for a loop each, with the two axes exchanged.
  tiled,
};
/// "linear", "rows", "strided" or "tiled".
std::string_view space_kind_name(SpaceKind kind) noexcept;

/// The step of an operand along the innermost axis.
enum class Step : std::uint8_t {
  zero,     ///< 0; in a strided loop: 0 along every axis
  unit,     ///< 1 element
  any,      ///< a stride that the launch passes
  crossed,  ///< 1 element along the other axis of the tile
};

/// The properties of a loop that decide its text.
struct LoopClass {
  SpaceKind kind = SpaceKind::linear;  ///< linear, rows and tiled on both schedules
  /// The number of axes beside the innermost one, or beside the tile's two.
  std::uint8_t outer_rank = 0;
  std::uint8_t items = 1;   ///< wide: elements that a work-item computes at a time; narrow: squares
  std::uint8_t rounds = 1;  ///< wide: how many times a work-item computes `items` elements
  bool has_vectors = false;      ///< wide: the `items` elements are adjacent and read by one access
  std::vector<Step> steps = {};  ///< of each operand
  /// Equal for equal classes.
  void append_key(std::string& key) const;
  bool operator==(const LoopClass&) const = default;
};

/// A number that the launch passes to the loop.
struct SpaceParameter {
  /// The meaning of the number.
  enum class What : std::uint8_t {
    count,           ///< number of elements
    inner,           ///< extent of the innermost axis
    second,          ///< extent of the tile's other axis
    extent,          ///< extent of an outer axis; never needed for the outermost
    extent_divider,  ///< divider for that extent
    pieces,          ///< number of pieces of all rows, or of tiles
    row_pieces,      ///< pieces of one row, or tiles along the innermost axis
    row_divider,     ///< divider for row_pieces
    column_pieces,   ///< number of tiles along the tile's other axis
    column_divider,  ///< divider for column_pieces
    piece,           ///< elements of a piece or chunk
    group_pieces,    ///< pieces of a group
    lanes_log2,      ///< log2 of the number of work-items that share a piece
    stride,          ///< stride of an operand along an outer axis
    second_stride,   ///< stride along the tile's other axis
    inner_stride,    ///< stride along the innermost axis
  };
  What what;
  std::uint8_t axis = 0;     ///< 0 the outermost
  std::uint8_t operand = 0;  ///< the operand of a stride
  bool operator==(const SpaceParameter&) const = default;
  /// The dtype of the parameter: uint32 for numbers used to decode positions by division on the
  /// wide schedule, uint64 for a divider (as dividing_by() makes it), int64 for all others.
  Scalar dtype(Schedule schedule) const noexcept;
};
/// The parameters of a class, in the kernel's order.
std::vector<SpaceParameter> space_parameters(const LoopClass& loop, Schedule schedule);

/// A number that divides dividends below 2^31 by multiplication (Granlund and Montgomery 1994):
/// `multiplier` in the lower 32 bits, `shift` in the upper ones. With it
///   quotient = (high half of dividend * multiplier + dividend) >> shift
/// Takes divisors from 1 to 2^31.
std::uint64_t dividing_by(std::uint32_t divisor) noexcept;

/// An index space, lowered for one schedule.
struct Lowering {
  LoopClass loop;                     ///< the class, which is part of the kernel's key
  std::vector<std::int64_t> extents;  ///< extents of the remaining axes, the innermost last
  /// In elements: the strides of all operands along the first axis, then along the next, ...
  std::vector<std::int64_t> strides;
  std::vector<std::int64_t> offsets;  ///< elements to add to the address of each operand
  std::uint64_t groups = 0;           ///< groups to launch; 0: there are no elements
  std::uint64_t piece = 0;            ///< elements of a piece or of a chunk
  std::uint64_t pieces = 0;           ///< number of pieces of all rows, or of tiles
  std::uint64_t group_pieces = 1;     ///< narrow: pieces or tiles of a group
  std::uint32_t lanes_log2 = 0;       ///< wide, rows: log2 of the work-items that share a piece
  /// The loop does not fit one launch, because it would have to decode 2^31 or more elements or
  /// pieces one by one. A caller may split the space and lower each half.
  bool is_too_large = false;

  /// The number of elements.
  std::uint64_t count() const noexcept;
  /// The stride of an operand along one of the remaining axes.
  std::int64_t stride(std::size_t operand, std::size_t axis) const {
    return strides[axis * offsets.size() + operand];
  }
  /// The value that a launch passes; the lower half of it for a dtype of 32 bits.
  std::uint64_t value(const SpaceParameter& parameter) const;
};

/// Lowers an index space with these extents. `operands` are first `output_count` outputs, then the
/// inputs; each has as many strides as there are extents. Throws InvalidArgument for a negative
/// extent, for a stride that is not a multiple of the element size, and for an output with a stride
/// of 0 along an axis longer than 1.
Lowering lower(std::span<const std::int64_t> extents, std::span<const OperandLayout> operands,
               std::size_t output_count, const Tiling& tiling);

}  // namespace treadle::codegen

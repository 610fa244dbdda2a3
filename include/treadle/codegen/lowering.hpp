// SPDX-License-Identifier: MIT
// From the shape of a result and the strides of its operands to the loop that computes it.
//
// Axes of length 1 are dropped, the others sorted by the output's strides, those that run backwards
// in every operand turned round, and neighbours merged that are one axis in every operand. What is
// left decides the class of the loop, which its text depends on, and the numbers that a launch
// passes, which the text does not depend on.
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

/// Something that a kernel has an element of for each element that it computes, or for each result.
struct KernelOperand {
  /// What it is.
  enum class Kind : std::uint8_t {
    leaf,         ///< an array that is read
    position,     ///< the position in the whole index space, if it is used
    place,        ///< the position along the axes that are folded, if a fold needs it
    output,       ///< a result
    result_leaf,  ///< an array of the epilogue; its index counts from the first that is no fold
  };
  Kind kind;                 ///< what it is
  std::uint8_t index;        ///< which
  DType dtype;               ///< of an element
  bool is_indirect = false;  ///< as OperandLayout::is_indirect
  /// Whether it lies in memory.
  bool is_memory() const { return kind != Kind::position && kind != Kind::place; }
  /// In reductions: whether it has a value for each element, not for each result.
  bool is_of_elements() const { return kind < Kind::output; }
};

/// An operand as it lies in memory.
struct OperandLayout {
  /// In bytes, of each axis, multiples of the element's; 0 where it is broadcast.
  std::span<const std::int64_t> strides;
  /// Of an element; 0 for the position in the index space, which lies in no memory: its strides are
  /// positions.
  std::size_t size_bytes = 0;
  std::uint64_t address = 0;  ///< of the first element in bytes; read modulo 16 only
  /// The expression computes how far behind these places its elements lie. An output may have
  /// strides of 0 then.
  bool is_indirect = false;
};

/// The shapes that loops have.
enum class SpaceKind : std::uint8_t {
  linear,   ///< one axis
  rows,     ///< an inner axis in pieces, outer axes decoded once for each piece
  strided,  ///< every element's position decoded
  /// Squares of the two axes that are innermost in the output and in another operand; narrow: also
  /// the other way round, of rows too short for a loop each.
  tiled,
};
/// "linear", "rows", "strided" or "tiled".
std::string_view space_kind_name(SpaceKind kind) noexcept;

/// How an operand moves along the innermost axis.
enum class Step : std::uint8_t {
  zero,     ///< not at all; in a strided loop: along no axis
  unit,     ///< to the next element
  any,      ///< by a stride that the launch passes
  crossed,  ///< it is the other axis of the tile that moves to the next element
};

/// What the text of a loop depends on.
struct LoopClass {
  SpaceKind kind = SpaceKind::linear;  ///< linear, rows and tiled on both schedules
  std::uint8_t outer_rank = 0;         ///< axes beside the innermost one, or beside the tile's two
  std::uint8_t items = 1;    ///< wide: elements that a work-item takes at a time; narrow: squares
  std::uint8_t rounds = 1;   ///< wide: how often it does
  bool has_vectors = false;  ///< wide: those elements are neighbours, read by one access
  std::vector<Step> steps = {};  ///< of each operand
  /// Equal for equal classes.
  void append_key(std::string& key) const;
  bool operator==(const LoopClass&) const = default;
};

/// A number that the text of a loop takes from the launch.
struct SpaceParameter {
  /// What it says.
  enum class What : std::uint8_t {
    count,           ///< elements
    inner,           ///< extent of the innermost axis
    second,          ///< extent of the tile's other axis
    extent,          ///< of an outer axis; never asked of the outermost
    extent_divider,  ///< its divider
    pieces,          ///< of all rows, or tiles
    row_pieces,      ///< of one row, or tiles along the innermost axis
    row_divider,     ///< their divider
    column_pieces,   ///< tiles along the tile's other axis
    column_divider,  ///< their divider
    piece,           ///< elements of a piece, or of a chunk
    group_pieces,    ///< pieces that a group works through
    lanes_log2,      ///< of the number of work-items on one piece
    stride,          ///< of an operand along an outer axis
    second_stride,   ///< along the tile's other axis
    inner_stride,    ///< along the innermost axis
  };
  What what;
  std::uint8_t axis = 0;     ///< 0 the outermost
  std::uint8_t operand = 0;  ///< of a stride
  bool operator==(const SpaceParameter&) const = default;
  /// How it is passed: uint32 what is decoded by division on the wide schedule, uint64 a divider,
  /// as dividing_by() makes it, int64 all else.
  Scalar dtype(Schedule schedule) const noexcept;
};
/// Those of a class, in the order in which kernels take them.
std::vector<SpaceParameter> space_parameters(const LoopClass& loop, Schedule schedule);

/// A number that divides dividends below 2^31 by multiplication (Granlund and Montgomery 1994):
/// `multiplier` in the lower 32 bits, `shift` in the upper ones. With it
///   quotient = (high half of dividend * multiplier + dividend) >> shift
/// Takes divisors from 1 to 2^31.
std::uint64_t dividing_by(std::uint32_t divisor) noexcept;

/// An index space, lowered for one schedule.
struct Lowering {
  LoopClass loop;                     ///< what keys the kernel
  std::vector<std::int64_t> extents;  ///< of the axes left, the innermost last
  std::vector<std::int64_t> strides;  ///< in elements: along the first axis of each operand, ...
  std::vector<std::int64_t> offsets;  ///< elements to add to the address of each operand
  std::uint64_t groups = 0;           ///< to launch; 0: there are no elements
  std::uint64_t piece = 0;            ///< elements of a piece or of a chunk
  std::uint64_t pieces = 0;           ///< of all rows, or tiles
  std::uint64_t group_pieces = 1;     ///< narrow: pieces or tiles of a group
  std::uint32_t lanes_log2 = 0;       ///< wide, rows: work-items on a piece
  /// The loop cannot run as one launch: 2^31 or more elements or pieces would be decoded one by
  /// one. Halves of the space may.
  bool is_too_large = false;

  /// Elements in all.
  std::uint64_t count() const noexcept;
  /// Of one operand along one of the axes left.
  std::int64_t stride(std::size_t operand, std::size_t axis) const {
    return strides[axis * offsets.size() + operand];
  }
  /// What a launch passes; its lower half for a dtype of 32 bits.
  std::uint64_t value(const SpaceParameter& parameter) const;
};

/// Lowers an index space of these extents. `operands` are the outputs, of which there are
/// `output_count`, and then the inputs; each has as many strides as there are extents. Throws
/// InvalidArgument for negative extents, for strides that are no multiple of an element's size, and
/// for an output with a zero stride along an axis that is longer than 1.
Lowering lower(std::span<const std::int64_t> extents, std::span<const OperandLayout> operands,
               std::size_t output_count, const Tiling& tiling);

}  // namespace treadle::codegen

// SPDX-License-Identifier: MIT
// Kernels that compute each element of a result from the elements of the inputs that lie there.
//
// The loop is that of the lowered index space (treadle/codegen/lowering.hpp), the statements in it
// are the Expression's. Wide, in a linear space: a group of 256 work-items takes one tile, each
// item `items` neighbours by one 16-byte access; the last tile is guarded element by element. In
// rows, a tile is a piece of a row, and short rows share a group. Narrow: a group is one
// work-item, which loops over a chunk of about 256 KiB.
//
//   z = 5x + 6y, 2500 float32, wide: tiles of 256 * 4 elements
//
//   element   0         1024        2048    2500
//             |  group 0  |  group 1  | group 2 |
//   item      0000111122223333...     one by one: 2048 + item, + 256, ...
//
// Tiled, where x lies across z (z = x + y of a transposed x): a group reads a square of 32 x 32 of
// x along x's neighbours into local memory, waits, and takes it from there along z's neighbours:
//
//         z, y: lanes ->            x: lanes |          x_tile[32][33], the last column unused:
//         | . . . .                          v . .      items of a column lie in different banks
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "treadle/codegen/dialect.hpp"
#include "treadle/codegen/expression.hpp"
#include "treadle/codegen/lowering.hpp"
#include "treadle/codegen/schedule.hpp"
#include "treadle/codegen/tree.hpp"

namespace treadle::codegen {

/// What a launch passes for one parameter of an elementwise kernel.
struct ElementwiseParameter {
  /// Where the value comes from.
  enum class Role : std::uint8_t {
    output,         ///< pointer to the first element of an output
    leaf,           ///< pointer to the first element of a leaf that has memory of its own
    output_offset,  ///< elements behind that pointer, where the language has no addresses: int64
    leaf_offset,    ///< the same of a leaf
    scalar,         ///< a value, in passed_dtype() of its dtype
    position,       ///< the position of the first element, int64
    space,          ///< a number of the lowered space
  };
  Role role;
  std::uint8_t index = 0;       ///< which output, leaf or scalar
  SpaceParameter space = {};    ///< for Role::space
  Scalar dtype = Scalar::int8;  ///< of what is passed by value
  std::string name = {};        ///< in the text
};

/// A generated kernel.
struct ElementwiseText {
  std::string name;                              ///< kernel_name()
  std::string text;                              ///< a whole program with that one kernel
  std::vector<ElementwiseParameter> parameters;  ///< in the kernel's order
  tree::NodePtr program = {};                    ///< what `text` was printed of
};

/// The operands of an expression in the order in which lower() and LoopClass::steps have them: the
/// outputs, the leaves that are not in place, and the position if it is used.
std::vector<KernelOperand> operands_of(const Expression& expression);

/// What its kernel is called, which spells the operations: "fused_multiply_multiply_add_f32".
std::string kernel_name(const Expression& expression);

/// Writes the kernel that computes a valid expression in a loop of this class, which was lowered
/// for the operands above by the same tiling. Outputs that no leaf is in place of must be memory
/// that nothing else refers to.
ElementwiseText generate_elementwise(const Expression& expression, const LoopClass& loop,
                                     const Tiling& tiling, const Dialect& dialect);

}  // namespace treadle::codegen

// SPDX-License-Identifier: MIT
// Kernels that compute each element of a result from the elements of the inputs at the same
// position.
//
// The loop follows the lowered index space (treadle/codegen/lowering.hpp); its statements come from
// the Expression. Wide, linear space: a group of 256 work-items computes one tile; each work-item
// reads `items` adjacent elements by one 16-byte access. In the last tile, each element is checked
// against the end. Rows: a tile is a piece of a row, and short rows share a group. Narrow: a group
// is one work-item, which loops over a chunk of about 256 KiB.
//
//   z = 5x + 6y, 2500 float32, wide: tiles of 256 * 4 elements
//
//   element   0         1024        2048    2500
//             |  group 0  |  group 1  | group 2 |
//   item      0000111122223333...     one by one: 2048 + item, + 256, ...
//
// Tiled, if x is transposed against z (z = x + y): a group reads a 32 x 32 square of x into local
// memory, in the order in which x is contiguous, waits at a barrier, and reads the square from
// there in the order of z:
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

/// The meaning of one parameter of an elementwise kernel.
struct ElementwiseParameter {
  /// Where the value comes from.
  enum class Role : std::uint8_t {
    output,  ///< pointer to the first element of an output
    leaf,    ///< pointer to the first element of a leaf that is not in place
    /// Elements from that pointer to the first element, if the language has no addresses: int64.
    output_offset,
    leaf_offset,  ///< like output_offset, of a leaf
    scalar,       ///< a value in passed_dtype() of its dtype
    position,     ///< the position of the first element, int64
    space,        ///< a number of the lowered space
  };
  Role role;
  std::uint8_t index = 0;       ///< which output, leaf or scalar
  SpaceParameter space = {};    ///< for Role::space
  Scalar dtype = Scalar::int8;  ///< dtype of a value passed
  std::string name = {};        ///< name in the text
};

/// A generated kernel.
struct ElementwiseText {
  std::string name;                              ///< kernel_name()
  std::string text;                              ///< a complete program with this one kernel
  std::vector<ElementwiseParameter> parameters;  ///< in the kernel's order
  tree::NodePtr program = {};                    ///< the tree that was printed as `text`
};

/// The operands of an expression in the order of lower() and LoopClass::steps: the outputs, the
/// leaves that are not in place, and the position if it is used.
std::vector<KernelOperand> operands_of(const Expression& expression);

/// The name of its kernel, made of its operations: "fused_multiply_multiply_add_f32".
std::string kernel_name(const Expression& expression);

/// Writes the kernel that computes a valid expression in a loop of this class; the loop was lowered
/// for operands_of(expression) with the same tiling. The memory of an output must not overlap any
/// other operand, except the leaf in its place.
ElementwiseText generate_elementwise(const Expression& expression, const LoopClass& loop,
                                     const Tiling& tiling, const Dialect& dialect);

}  // namespace treadle::codegen

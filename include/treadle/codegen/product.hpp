// SPDX-License-Identifier: MIT
// Kernels that multiply matrices: z[i, j] = sum over k of x[i, k] * y[k, j], for any strides of x
// and y, and for many matrices at once.
//
//             y  k  | panel |          z is cut into blocks. A group computes one: slice by slice
//                   |  of y |          along k it brings a piece of x and one of y near, and adds
//                   +-------+          the products of both to sums that stay in registers.
//    x  +-----+     +-------+
//     i |piece|     | block |          Example: 256 work-items with 8 x 8 sums each have a block
//       +-----+     +-------+          of 128 x 128, and each element that they load from memory
//        k              j              is used 128 times.
//
// Wide: the pieces are in local memory, and each work-item has the sums of `side` rows and as many
// columns, or of twice as many; these lie in vectors of four, so that one access loads four and
// neighbours read neighbouring vectors. A sub-group of 32 has 4 x 8 work-items, which read the
// fewest different vectors. The next pieces are read into registers meanwhile. Narrow: a group is
// one work-item; its piece of y is an array of its own, dense and as wide as the block, and the
// loop along it is vector code. It takes `side` rows and four of k at a time, so that a sum is
// loaded and stored once for four products.
//
// Integers wrap around in their own width. float16 is added up in float32, as all floats are by
// fused multiply-adds; sums of bool are "or".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "treadle/base/dtype.hpp"
#include "treadle/codegen/dialect.hpp"
#include "treadle/codegen/expression.hpp"
#include "treadle/codegen/schedule.hpp"
#include "treadle/codegen/tree.hpp"

namespace treadle::codegen {

/// What is computed of the elements of a product before they are stored: a factor, a bias, an
/// activation.
struct ProductEpilogue {
  /// Its first leaf is the product's element, rounded to the product's dtype. No leaf is replaced
  /// by an output or gathered, there is no position, and nothing is scattered.
  Expression expression;
  /// Whether elements in a row lie one behind the other: of the outputs, then of the other leaves.
  std::vector<bool> is_dense;
  bool operator==(const ProductEpilogue&) const = default;
};

/// What decides about the text.
struct ProductForm {
  Scalar dtype;            ///< of x, y and z: any but records
  unsigned side = 0;       ///< rows of a work-item; see product_side()
  bool x_along_k = true;   ///< neighbours of x lie along k, not along i: decides who loads what
  bool y_along_k = false;  ///< the same of y: along k, not along j
  std::optional<ProductEpilogue> epilogue = {};  ///< none: the product itself is stored
  bool operator==(const ProductForm&) const = default;
};

/// A generated kernel, of one matrix product a batch. It takes, strides in elements,
///
///   x, y, z                pointers; where the language has no addresses each is the start of an
///   x_offset, ...          allocation, followed by this int64, in elements
///   m, n, k                int64: z has m rows and n columns
///   x_row, x_column, y_row, y_column    int64: strides of matrices; z is dense, matrix by matrix
///   inner                  int64: matrix number b is (b / inner, b % inner)
///   x_outer, x_inner, y_outer, y_inner  int64: strides of those two numbers
///
/// With an epilogue there is no z. Behind y come pointers to its outputs, result0, ..., and to its
/// other leaves, beside0, ...; and behind all others, for each of these,
///
///   result0_outer, _inner, _row, _column   int64: strides; no column where rows are dense
///
/// and then the epilogue's scalars, in their order.
struct ProductText {
  std::string name;             ///< "product_float32_8", "product_add_maximum_float32_8"
  std::string text;             ///< a whole program with that one kernel
  unsigned group_size;          ///< work-items to launch it with
  std::uint64_t rows, columns;  ///< of a block; groups are blocks, column by column of a matrix
  tree::NodePtr program = {};   ///< what `text` was printed of
};

/// The largest `side` for a dtype, or a smaller one where matrices are so small that fewer groups
/// than `groups` would have work.
unsigned product_side(Scalar dtype, const Tiling& tiling, std::uint64_t m, std::uint64_t n,
                      std::uint64_t groups) noexcept;

/// Writes the kernel. Throws DTypeError for records.
ProductText generate_product(const ProductForm& form, const Tiling& tiling, const Dialect& dialect);

}  // namespace treadle::codegen

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
// Wide: the pieces lie in local memory. Each work-item keeps the sums of `side` rows and of `side`
// or 2 * `side` columns. The columns lie in vectors of four, so that one access loads four elements
// and neighbouring work-items read neighbouring vectors. A sub-group of 32 consists of 4 x 8
// work-items, because this shape reads the fewest different vectors. The next pieces are read into
// registers while the current pieces are multiplied. Narrow: a group is one work-item. It copies
// its piece of y to an array of its own, dense and as wide as the block, and compilers make vector
// code of the loop along that array. It takes `side` rows and four steps of k at a time, so that
// each sum is loaded and stored once for four products.
//
// Integers wrap around in their own width. float16 is summed in float32. All floats use fused
// multiply-adds. Sums of bool are "or".
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

/// What the kernel computes from an element of the product before it stores a result: a factor, a
/// bias, an activation.
struct ProductEpilogue {
  /// Its first leaf is the element of the product, rounded to the product's dtype. No leaf is in
  /// place or gathered, the position is not used, and no output is scattered.
  Expression expression;
  /// Whether the elements of a row are contiguous: first for the outputs, then for the leaves after
  /// the first.
  std::vector<bool> is_dense;
  bool operator==(const ProductEpilogue&) const = default;
};

/// The choices that decide the kernel's text.
struct ProductForm {
  Scalar dtype;       ///< of x, y and z: any but records
  unsigned side = 0;  ///< rows of a work-item: product_side()
  /// Whether x is contiguous along k, not along i; decides which work-item loads which element.
  bool x_along_k = true;
  bool y_along_k = false;                        ///< whether y is contiguous along k, not along j
  std::optional<ProductEpilogue> epilogue = {};  ///< none: the product itself is stored
  bool operator==(const ProductForm&) const = default;
};

/// A generated kernel, which computes one matrix product for each matrix of a batch. Its arguments
/// (strides in elements):
///
///   x, y, z                pointers; if the language has no addresses, each is the start of an
///   x_offset, ...          allocation, and its offset in elements (int64) follows
///   m, n, k                int64: z has m rows and n columns
///   x_row, x_column, y_row, y_column    int64: strides in a matrix; z is dense, matrix by matrix
///   inner                  int64: matrix number b is (b / inner, b % inner)
///   x_outer, x_inner, y_outer, y_inner  int64: strides along those two numbers
///
/// With an epilogue there is no z. After y follow pointers to the epilogue's outputs, result0, ...,
/// and to its leaves after the first, beside0, .... After all other arguments follow, for each of
/// these arrays,
///
///   result0_outer, _inner, _row, _column   int64: strides; no _column if rows are contiguous
///
/// and then the scalars of the epilogue in their order.
struct ProductText {
  std::string name;     ///< "product_float32_8", "product_add_maximum_float32_8"
  std::string text;     ///< a complete program with this one kernel
  unsigned group_size;  ///< work-items of a group
  /// Size of a block; each group computes one block, column by column of a matrix.
  std::uint64_t rows, columns;
  tree::NodePtr program = {};  ///< the tree that was printed as `text`
};

/// The largest `side` for a dtype; a smaller one if the matrices are so small that fewer than
/// `groups` groups would have work.
unsigned product_side(Scalar dtype, const Tiling& tiling, std::uint64_t m, std::uint64_t n,
                      std::uint64_t groups) noexcept;

/// Writes the kernel. Throws DTypeError for records.
ProductText generate_product(const ProductForm& form, const Tiling& tiling, const Dialect& dialect);

}  // namespace treadle::codegen

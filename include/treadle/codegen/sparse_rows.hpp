// SPDX-License-Identifier: MIT
// Multiplies a row of a sparse matrix by vectors, for each memory layout of the matrix. A work-item
// has a row, and some adjacent columns of the other operand:
//
//   matrix     4 0 1      rows      columns 0 2 | 1 | 0 2     starts 0 2 3 5
//              0 3 0      columned  0 1 0 | 2 . 2             the first of each row, the second ...
//              1 0 2      diagonal  shifts -2 0 2             4 3 2 on 0, and so on
//
// A place without an entry adds no product: an infinity or NaN of the vector affects only the rows
// with an entry in that column. The entries of a row are added one after the other, so every run
// gives the same bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "treadle/base/dtype.hpp"
#include "treadle/codegen/dialect.hpp"
#include "treadle/codegen/expression.hpp"

namespace treadle::codegen {

/// The memory layout of the entries.
enum class SparseLayout : std::uint8_t {
  rows,       ///< CSR: entries row after row; a start for each row
  columned,   ///< ELL: the k-th entries of all rows are adjacent; a column below 0 is no entry
  sliced,     ///< SELL: ELL for each slice of rows; a start for each slice
  diagonals,  ///< DIA: for each diagonal an element for each row; a zero is no entry
  blocks,     ///< BSR: dense blocks, row of blocks after row of blocks; a zero is no entry
  stencil,    ///< one number for each diagonal; an array of bits may select the rows
};

/// What a kernel makes of the product with a vector before it stores results: `y + a * (A @ x)`.
struct SparseEpilogue {
  /// Its first leaf is the element of the product. No leaf is in place or gathered, the position is
  /// not used, and no output is scattered. Floats and integers of 32 and 64 bits, complex arrays.
  Expression expression;
  /// Which of the leaves after the first are one element for all rows.
  std::vector<bool> is_one;
  bool operator==(const SparseEpilogue&) const = default;
};

/// The choices that decide the text.
struct SparseForm {
  SparseLayout layout = SparseLayout::rows;  ///< layout of the entries
  Scalar stored = Scalar::float64;           ///< dtype of the matrix in memory
  bool is_bfloat16 = false;                  ///< whether its 16 bits are a bfloat16
  Scalar column_dtype = Scalar::int32;  ///< int32 or int64; for a stencil the dtype of its bits
  Scalar dtype = Scalar::float64;       ///< dtype of the other operand and of the results
  unsigned across = 0;       ///< columns of a work-item; 0: the other operand is a vector
  unsigned side = 1;         ///< rows of a slice or block
  unsigned side_across = 1;  ///< columns of a block
  unsigned shift_count = 0;  ///< number of diagonals; 0: too many to be written one by one
  std::vector<std::int64_t> shifts = {};  ///< the diagonals of a stencil
  /// Stencil: the number of each diagonal, an element of `dtype`.
  std::vector<std::byte> values = {};
  bool has_bits = false;                        ///< stencil: whether bits select the rows
  std::optional<SparseEpilogue> epilogue = {};  ///< none: the product itself is stored
  bool operator==(const SparseForm&) const = default;
};

/// The C texts of an elementwise kernel whose element `i` is a row, or a row and `across` columns.
struct SparseRowsText {
  std::string arguments;  ///< C declarations, see generate_sparse_rows()
  std::string operation;  ///< statements
  std::string preamble;   ///< functions that the operation calls
  std::string name;       ///< name of the kernel
};

/// Writes the texts. Arguments: `data`, except for stencils; `columns`, or for DIA the diagonals
/// (int64), or the bits of a stencil that has bits; for rows, slices and blocks `starts` (int64);
/// `x`; `result`, or what sparse_epilogue_parameters() declares; then int64 numbers: rows; columns
/// of the matrix; the distance in `data` from one column of ELL, or one diagonal, to the next; how
/// many of these there are; and columns of x. Throws DTypeError for dtypes without a sum.
SparseRowsText generate_sparse_rows(const SparseForm& form, const Dialect& dialect);

/// C declarations of the arrays and numbers of an epilogue: outputs, leaves after the first,
/// scalars.
std::string sparse_epilogue_parameters(const SparseEpilogue& epilogue, const Dialect& dialect);
/// Statements that store what it makes of `product`, an element of that dtype, at `i`.
std::string sparse_epilogue_text(const SparseEpilogue& epilogue, const Dialect& dialect);
/// The operations, for names: "add_multiply".
std::string sparse_epilogue_name(const SparseEpilogue& epilogue);

/// The element of the matrix stored at `place`, as an expression with the given dtype.
std::string sparse_element_text(const SparseForm& form, const std::string& place, Scalar dtype,
                                const Dialect& dialect);

}  // namespace treadle::codegen

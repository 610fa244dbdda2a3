// SPDX-License-Identifier: MIT
// A row of a sparse matrix by vectors, for each way in which matrices lie in memory. A work-item
// has a row, and some neighbouring columns of what is multiplied:
//
//   matrix     4 0 1      rows      columns 0 2 | 1 | 0 2     starts 0 2 3 5
//              0 3 0      columned  0 1 0 | 2 . 2             the first of each row, the second ...
//              1 0 2      diagonal  shifts -2 0 2             4 3 2 on 0, and so on
//
// What is no entry is no product: infinities and NaN of the vector count in rows alone that have an
// entry there. The entries of a row are added one behind the other: equal bits in every run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "treadle/base/dtype.hpp"
#include "treadle/codegen/dialect.hpp"

namespace treadle::codegen {

/// How entries lie in memory.
enum class SparseLayout : std::uint8_t {
  rows,       ///< CSR: those of a row one behind the other, between two starts
  columned,   ///< ELL: the k-th of all rows side by side; columns below 0 are none
  sliced,     ///< SELL: the same for each slice of rows, between two starts
  diagonals,  ///< DIA: of each shift an element for each row; zeros are none
  blocks,     ///< BSR: dense blocks, those of a row of blocks between two starts; zeros are none
  stencil,    ///< the same number along each shift; an array of bits may say where
};

/// What decides the text.
struct SparseForm {
  SparseLayout layout = SparseLayout::rows;  ///< of the entries
  Scalar stored = Scalar::float64;           ///< elements of the matrix in memory
  bool is_bfloat16 = false;                  ///< their 16 bits are those of bfloat16
  Scalar column_dtype = Scalar::int32;       ///< int32 or int64; of a stencil that of its bits
  Scalar dtype = Scalar::float64;            ///< of what is multiplied, and of results
  unsigned across = 0;                       ///< columns of a work-item; 0: a vector is multiplied
  unsigned side = 1;                         ///< rows of a slice or block
  unsigned side_across = 1;                  ///< columns of a block
  unsigned shift_count = 0;                  ///< diagonals; 0: more than are written one by one
  std::vector<std::int64_t> shifts = {};     ///< of a stencil
  std::vector<std::byte> values = {};        ///< of a stencil: an element of `dtype` for each shift
  bool has_bits = false;                     ///< of a stencil
  bool operator==(const SparseForm&) const = default;
};

/// The C texts of an elementwise kernel for the element `i`, which is a row, or a row by `across`
/// columns.
struct SparseRowsText {
  std::string arguments;  ///< C declarations, see generate_sparse_rows()
  std::string operation;  ///< statements
  std::string preamble;   ///< functions that these call
  std::string name;       ///< of the kernel
};

/// The text takes: `data`, but for stencils; `columns`, or shifts (int64) of diagonals, or bits of
/// a stencil that has them; `starts` (int64) of rows, slices and blocks; `x`; `result`; then int64:
/// rows, columns of the matrix, entries from one column of ELL or diagonal to the next, how many
/// there are of these, and columns of x. Throws DTypeError for dtypes without a sum.
SparseRowsText generate_sparse_rows(const SparseForm& form, const Dialect& dialect);

/// The element of the matrix that is stored in `place`, as an expression in a dtype.
std::string sparse_element_text(const SparseForm& form, const std::string& place, Scalar dtype,
                                const Dialect& dialect);

}  // namespace treadle::codegen

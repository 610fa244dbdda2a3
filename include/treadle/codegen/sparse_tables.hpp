// SPDX-License-Identifier: MIT
// The transposition and the product of sparse matrices in compressed rows on processors: each
// group has an interval of rows, and a table of its own with a place for each column.
//
//   transposition   counts of each column and interval, their sums, entries to their places:
//                   no entry is compared with another one
//   product         row r of A B is the sum of rows of B (Gustavson 1978): a pass that counts the
//                   columns of each row, and one that adds, with columns in order
#pragma once

#include <cstdint>

#include "treadle/base/dtype.hpp"
#include "treadle/codegen/dialect.hpp"
#include "treadle/codegen/family_text.hpp"

namespace treadle::codegen {

/// What decides the texts.
struct SparseTableForm {
  Scalar stored;        ///< elements in memory; bfloat16 as uint16
  Scalar column_dtype;  ///< int32 or int64, of all matrices
  bool operator==(const SparseTableForm&) const = default;
};

/// Three kernels, narrow. `count` takes columns, starts, a table of uint for each interval, rows,
/// columns of the matrix, rows of an interval. `places`, one group for some columns, makes the
/// counts of each column those of the intervals before, and lengths of all, one place on, in the
/// starts of the result, which have to be summed up. `scatter` takes data, columns, starts, the
/// table, and the result's starts, columns and data, then the numbers.
FamilyText generate_sparse_transposition(const SparseTableForm& form, const Dialect& dialect);
/// Two kernels, narrow. Both take columns and starts of A, columns and starts of B. `lengths` takes
/// the result's starts and makes them the lengths of rows, one place on; `sums` takes both data,
/// the result's columns, data and starts, and memory for a row of elements for each interval. Then
/// memory for mark_words() of uint for each interval, rows of A, columns of B and rows of an
/// interval. Throws DTypeError for elements without a sum.
FamilyText generate_sparse_product_tables(const SparseTableForm& form, const Dialect& dialect);
/// How many words of 32 bits mark so many columns.
constexpr std::uint64_t mark_words(std::uint64_t columns) noexcept {
  const std::uint64_t words = (columns + 31) / 32, groups = (words + 31) / 32;
  return words + groups + (groups + 31) / 32;
}
/// A kernel of one group: sums up so many numbers (int64) behind the first one, which becomes 0.
FamilyText generate_sparse_starts(const Dialect& dialect);

}  // namespace treadle::codegen

// SPDX-License-Identifier: MIT
// A row of a sparse matrix by a vector, for generators that have more to do in the same kernel.
#pragma once

#include <string>
#include <string_view>

#include "treadle/codegen/block_builder.hpp"
#include "treadle/codegen/dialect.hpp"
#include "treadle/codegen/sparse_rows.hpp"

namespace treadle::codegen {

/// C declarations of the arrays that a form has, each with a comma behind it.
std::string sparse_parameters(const SparseForm& form, const Dialect& dialect);
/// Those of the numbers that the statements use.
inline constexpr std::string_view sparse_numbers =
    "long row_count, long column_count, long pitch, long depth, long width";
/// Expressions for the first entry of a row of compressed rows and the one behind its last.
struct RowEnds {
  std::string_view begin = "starts[row]", behind = "starts[row + 1]";
  unsigned at_once = 0;        ///< entries whose loads are in flight; 0: as the compiler has it
  std::string_view step = "";  ///< from one entry of a work-item to its next; empty: 1
};
/// Adds statements that define `sum`, the product of the row `row`, an integer of 64 bits, with the
/// vector `x`. Of a form by a vector.
void write_sparse_row(tree::BlockBuilder& code, const SparseForm& form, const Dialect& dialect,
                      const RowEnds& ends = {});

}  // namespace treadle::codegen

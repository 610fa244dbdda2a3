// SPDX-License-Identifier: MIT
// Files in Matrix Market format (R. F. Boisvert, R. Pozo and K. Remington 1996), of coordinates:
//
//   %%MatrixMarket matrix coordinate real symmetric
//   % rows, columns, lines; then a row, a column and an element each, counted from 1
//   3 3 2
//   1 1 4.5
//   3 1 -1
#pragma once

#include <filesystem>
#include <iosfwd>

#include "treadle/sparse/coo_matrix.hpp"

namespace treadle::sparse {

/// The matrix of a text: float64, int64 or complex128; 1 for each place of a pattern. The other
/// half of symmetric, skew-symmetric and Hermitian matrices is added. On the device of the
/// placement's stream. Throws InvalidArgument naming the line that cannot be read, and for what is
/// no matrix of coordinates; IndexError for a place beyond the size.
CooMatrix read_matrix_market(std::istream& text, const array::Placement& placement = {});
/// The matrix of a file. Throws as above, and InvalidArgument for a file that cannot be read.
CooMatrix read_matrix_market(const std::filesystem::path& file,
                             const array::Placement& placement = {});
/// Writes a matrix as coordinates, general, with all digits of its elements. Waits. Throws
/// DTypeError for bfloat16.
void write_matrix_market(std::ostream& text, const SparseMatrix& a);
/// Writes a file. Throws InvalidArgument for one that cannot be written.
void write_matrix_market(const std::filesystem::path& file, const SparseMatrix& a);

}  // namespace treadle::sparse

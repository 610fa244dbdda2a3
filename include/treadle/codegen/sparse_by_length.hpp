// SPDX-License-Identifier: MIT
// Multiplies a CSR matrix with rows of very different lengths by a vector. Rows are taken in an
// order in which those of about one length lie side by side, and each row by as many work-items as
// its length is worth (Bell and Garland 2009 give all rows the same number of them):
//
//   lengths 9 1 200 2 0      order 2 | 0 | 1 3 4      a group | a sub-group | a work-item each
//
// The longest rows are cut into pieces, each of which a group adds up; a second kernel adds the
// sums of pieces. Nothing depends on which group comes first: every run gives the same bits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "treadle/codegen/dialect.hpp"
#include "treadle/codegen/family_text.hpp"
#include "treadle/codegen/schedule.hpp"
#include "treadle/codegen/sparse_rows.hpp"

namespace treadle::codegen {

/// How many classes of rows there are, the longest rows first: rows in pieces, rows of a group, of
/// middle_row_depth and of short_row_depth work-items, and of one.
constexpr std::size_t row_classes = 5;

/// The longest row of each class but the first.
std::array<std::int64_t, row_classes - 1> longest_rows(const Tiling& tiling);
/// The work-items for a row, or a piece, of each class.
std::array<unsigned, row_classes> row_lanes(const Tiling& tiling);
/// Into how many pieces each of the `rows` longest rows is cut, for a group each: of about `piece`
/// entries, or larger ones, so that one row that is much longer than the others does not cut them
/// into crumbs, and because one work-item adds the pieces of a row.
std::uint64_t row_pieces(std::int64_t longest, std::int64_t piece, std::int64_t entries,
                         std::int64_t rows);

/// Whether generate_sparse_by_length() takes a form: CSR by a vector, wide schedule, and no sums of
/// float16.
bool can_go_by_length(const SparseForm& form, const Tiling& tiling);

/// Two kernels of groups of group_size work-items. The first is launched with as many groups as
/// the rows of all classes fill, each class by itself. It takes what generate_sparse_rows() says of
/// a form by a vector up to its results; the numbers of the rows (int32) in their order; room for
/// an element of each piece; the number of pieces of a row of the first class; and the number of
/// rows of each class (int64). The second takes the same and is launched with a work-item for each
/// row of the first class.
FamilyText generate_sparse_by_length(const SparseForm& form, const Tiling& tiling,
                                     const Dialect& dialect);

}  // namespace treadle::codegen

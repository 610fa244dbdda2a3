// SPDX-License-Identifier: MIT
// Multiplies a CSR matrix with rows of very different lengths by a vector. The ends of rows and the
// entries are merged into one list, and every work-item gets equally many items of the list
// (Merrill and Garland 2016, "Merge-based parallel sparse matrix-vector multiplication").
//
//   starts 0 2 2 5     entries 0 1 2 3 4     list  0 1 | e0 e1 2 | 3 4 e2     three work-items
//
// An entry is added to the sum; the end of a row stores the sum. What is summed after a work-item's
// last end belongs to a later work-item: within a group a segmented scan hands it on, between
// groups a second kernel does.
#pragma once

#include "treadle/codegen/dialect.hpp"
#include "treadle/codegen/family_text.hpp"
#include "treadle/codegen/schedule.hpp"
#include "treadle/codegen/sparse_rows.hpp"

namespace treadle::codegen {

/// Whether generate_sparse_merge() takes a form: CSR by a vector, real numbers stored in the dtype
/// of the sums, wide schedule.
bool can_merge(const SparseForm& form, const Tiling& tiling);
/// The number of work-items of a group, for whose part of the list there is local memory, and the
/// number of items of that part: ranked_items of each, or those for which there is local memory.
unsigned merged_group(const Tiling& tiling);
unsigned merged_items(const Tiling& tiling);

/// Two kernels. The first is launched for all items. It takes data, columns, starts, x, result; for
/// each group the row (int64) and the sum that remain after its last end; and the number of rows
/// and of entries (int64). The second is launched with a work-item for each group. It takes both
/// arrays of remainders, result, and the number of rows and of groups.
FamilyText generate_sparse_merge(const SparseForm& form, const Tiling& tiling,
                                 const Dialect& dialect);

}  // namespace treadle::codegen

// SPDX-License-Identifier: MIT
// Compressed rows by a vector where lengths of rows differ much: ends of rows and entries are
// merged into one list, and every work-item gets equally many of its items (Merrill and Garland
// 2016, "Merge-based parallel sparse matrix-vector multiplication").
//
//   starts 0 2 2 5     entries 0 1 2 3 4     list  0 1 | e0 e1 2 | 3 4 e2     three work-items
//
// An entry is added, at an end a sum is stored. What a work-item has left behind its last end goes
// to the next one: by a segmented scan within a group, by a second kernel from group to group.
#pragma once

#include "treadle/codegen/dialect.hpp"
#include "treadle/codegen/family_text.hpp"
#include "treadle/codegen/schedule.hpp"
#include "treadle/codegen/sparse_rows.hpp"

namespace treadle::codegen {

/// Whether generate_sparse_merge() takes a form: rows by a vector, of real numbers stored in the
/// dtype in which they are added, on the wide schedule.
bool can_merge(const SparseForm& form, const Tiling& tiling);
/// How many items a group takes.
unsigned merged_items(const Tiling& tiling);

/// Two kernels. The first takes data, columns, starts, x, result, for each group the row (int64)
/// and the sum of what is left, how many rows and how many entries there are (int64); it is
/// launched for all items. The second, a work-item for each group, takes both arrays of what is
/// left, result, how many rows and how many groups there are.
FamilyText generate_sparse_merge(const SparseForm& form, const Tiling& tiling,
                                 const Dialect& dialect);

}  // namespace treadle::codegen

// SPDX-License-Identifier: MIT
// The kernel in which a group sorts a row.
#pragma once

#include "treadle/codegen/row_sort.hpp"

namespace treadle::codegen {

/// generate_row_sort() for a wide tiling.
RowSortText generate_wide_row_sort(const RowSortSnippet& snippet, const Tiling& tiling,
                                   const Dialect& dialect, const TypeNames& types);

}  // namespace treadle::codegen

// SPDX-License-Identifier: MIT
// Sorts each row of elements separately: on processors one work-item sorts a row that fits a cache;
// on other devices one group sorts a row.
//
// Narrow, short rows are ranked: the place of an element is the number of smaller keys plus the
// number of equal keys before it, which vector code counts. Longer rows are sorted by a radix sort
// from the lowest digit to the highest; each pass moves the elements from one of two buffers to the
// other. The counts of all digits are made first, in one pass. A digit that is equal in the whole
// row needs no pass:
//
//   row      0305 0102 0301      counts of the digits   1: 1, 2: 1, 5: 1    0: 3    1: 1, 3: 2 ...
//   by the last digit            0301 0102 0305
//   by the third one             0102 0301 0305         (the others are equal)
//
// Wide, a group sorts a row. Its work-items hold the elements, and each pass moves the elements in
// local memory by their ranks, as a sweep does (radix_sort.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "treadle/base/dtype.hpp"
#include "treadle/codegen/dialect.hpp"
#include "treadle/codegen/schedule.hpp"
#include "treadle/codegen/signature.hpp"
#include "treadle/codegen/tree.hpp"

namespace treadle::codegen {

/// The choices that decide the kernel's text.
struct RowSortSnippet {
  /// `elements`, `sorted`, `scratch`: pointers to unsigned integers; `scratch` has a row for each
  /// group. `places`, `sorted_places`, `scratch_places`: the same for places. `rows`, `length`
  /// (below 2^31) and `together`, the number of rows of a group: int64. `flip`: a key; all keys are
  /// combined with it by exclusive or. Wide, there are no scratch arrays, `rows` or `together`.
  std::vector<ParameterSpec> parameters;
  Scalar key_dtype;          ///< uint32 or uint64
  unsigned key_bits;         ///< the number of low bits in which keys may differ
  bool has_places, is_long;  ///< is_long: places have 64 bits
  unsigned items = 0;        ///< wide: elements of a work-item; row_items()
  std::string name;          ///< name of the kernel
  std::string preamble;      ///< a function `treadle_ordered` that maps an element to its key
};

/// A program with one kernel; wide, it is launched with a group for each row.
struct RowSortText {
  std::string text;            ///< a complete program
  unsigned group_size;         ///< work-items of a group
  tree::NodePtr program = {};  ///< the tree that was printed as `text`
};

/// How many elements each work-item of a wide group takes to sort a row of that length, if elements
/// and places have at most `size_bytes` bytes; 0: a group cannot sort such rows.
unsigned row_items(std::uint64_t length, std::size_t size_bytes, const Tiling& tiling,
                   const Dialect& dialect);

/// Writes the kernel. Throws DTypeError for keys of another dtype.
RowSortText generate_row_sort(const RowSortSnippet& snippet, const Tiling& tiling,
                              const Dialect& dialect, const TypeNames& types);

}  // namespace treadle::codegen

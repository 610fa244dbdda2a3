// SPDX-License-Identifier: MIT
// Rows of elements, each sorted by one work-item on processors, where a row lies in a cache, and by
// one group elsewhere.
//
// Narrow, short rows are ranked: an element's place is the number of keys that are less, and of
// equal ones before it, which vector code counts. Longer ones are dealt by digits, from the lowest
// to the highest, to and fro between two pieces of memory. All digits are counted at once, before;
// those that are equal in the whole row are left out:
//
//   row      0305 0102 0301      counts of the digits   1: 1, 2: 1, 5: 1    0: 3    1: 1, 3: 2 ...
//   by the last digit            0301 0102 0305
//   by the third one             0102 0301 0305         (the others are equal)
//
// Wide, a group sorts a row: its work-items have the elements, and pass by pass these change places
// in local memory, by ranks as those of a sweep (radix_sort.hpp).
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

/// What decides about the text.
struct RowSortSnippet {
  /// `elements`, `sorted`, `scratch` (pointers to unsigned integers; scratch has a row for each
  /// group), with places `places`, `sorted_places`, `scratch_places`; `rows`, `length` (less than
  /// 2^31) and `together`, how many rows a group has (int64); and `flip`, a key with whose bits
  /// those of all others are changed. Wide, there is no scratch, and none of rows and together.
  std::vector<ParameterSpec> parameters;
  Scalar key_dtype;          ///< uint32 or uint64
  unsigned key_bits;         ///< its low bits that may differ
  bool has_places, is_long;  ///< is_long: places have 64 bits
  unsigned items = 0;        ///< wide: elements of a work-item, row_items()
  std::string name;          ///< of the kernel
  std::string preamble;      ///< a function `treadle_ordered` from an element to its key
};

/// A program with one kernel; wide, with a group for each row.
struct RowSortText {
  std::string text;            ///< a whole program
  unsigned group_size;         ///< work-items to launch it with
  tree::NodePtr program = {};  ///< what `text` was printed of
};

/// How many elements a work-item of a wide group has where rows of that length are sorted, elements
/// and places of at most so many bytes; 0: a group cannot sort them.
unsigned row_items(std::uint64_t length, std::size_t size_bytes, const Tiling& tiling,
                   const Dialect& dialect);

/// Writes the kernel. Throws DTypeError for keys of another dtype.
RowSortText generate_row_sort(const RowSortSnippet& snippet, const Tiling& tiling,
                              const Dialect& dialect, const TypeNames& types);

}  // namespace treadle::codegen

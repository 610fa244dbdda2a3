// SPDX-License-Identifier: MIT
// Moves selected elements to the front of another array and keeps their order. A mask selects the
// elements, or a user's text.
//
// Wide, a selection is a scan of ones and zeros: the sum of the ones before an element is its
// place. Narrow, one work-item has an interval of a mask. It first counts the ones. Then it stores
// every element and advances its place by the mask's value; this takes no branch, which a processor
// would mispredict. The loop ends at the last selected element of the interval, so nothing is
// stored after it:
//
//   mask      1 0 1 1 | 0 1 0 1      counts 3 2      places from 0, 3
//   elements  a b c d | e f g h      stored a c d | f h
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "treadle/base/dtype.hpp"
#include "treadle/codegen/dialect.hpp"
#include "treadle/codegen/family_text.hpp"
#include "treadle/codegen/scan.hpp"

namespace treadle::codegen {

/// Which elements of an array are selected; they keep their order.
enum class Selection : std::uint8_t {
  matching,    ///< elements for which the predicate holds
  others,      ///< elements for which the predicate does not hold
  both,        ///< both kinds, each in its own array
  run_starts,  ///< the first element of each run of equal neighbours
};

/// The C texts of a SelectKernel.
struct SelectTexts {
  std::string type;  ///< type of the elements `ary[i]`: "float"
  /// Whether the element `ary[i]` is selected: "ary[i] > limit". For run_starts: whether `b` equals
  /// the element `a` before it: "a == b".
  std::string predicate;
  std::string arguments = {};  ///< C declarations of the predicate's other variables: "float limit"
};

/// The scan of a selection by a user's text. Arguments: `ary`; `out`; `others` for Selection::both;
/// a pointer to the count; the user's arguments. The count has the dtype of the values scanned.
ScanTexts scan_of(Selection selection, const SelectTexts& texts, Scalar count_dtype,
                  const Dialect& dialect);

/// The name of selections by a mask; elements have `item_bytes` bytes, or are places if
/// `item_bytes` is 0.
std::string masked_name(std::size_t item_bytes);
/// The wide selection, a scan of int64. Arguments: the mask (uint8), the elements, the selected
/// elements, a pointer to the total (int64), and the number of elements for which there is room
/// (int64).
ScanTexts scan_of_mask(std::size_t item_bytes, const Dialect& dialect);
/// The narrow selection, two kernels. Their arguments are
///
///   the mask, the number of elements, the elements of a group (int64), a count for each group
///   (int64) the arguments of scan_of_mask(), and the last three of the first kernel
FamilyText generate_masked(std::size_t item_bytes, const Dialect& dialect);

}  // namespace treadle::codegen

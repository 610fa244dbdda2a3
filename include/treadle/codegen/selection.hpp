// SPDX-License-Identifier: MIT
// Elements that are moved to the front of another array, in their order: under a mask, or where a
// user's text says so.
//
// Wide, that is a scan of ones and zeros that stores elements at the place before them. Narrow, an
// interval of a mask has one work-item, which counts first, and then stores every element and moves
// on by what the mask is: without a branch, which a processor would guess wrongly. The last one of
// an interval ends the loop, so nothing is stored behind it:
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

/// Which elements of an array are kept; they stay in their order.
enum class Selection : std::uint8_t {
  matching,    ///< those for which the predicate holds
  others,      ///< those for which it does not
  both,        ///< both, each in an array of its own
  run_starts,  ///< the first of each run of equal neighbours
};

/// The C texts of a SelectKernel.
struct SelectTexts {
  std::string type;  ///< of the elements, which are `ary[i]`: "float"
  /// Whether the element `ary[i]` matches: "ary[i] > limit". For run_starts, whether `b` is equal
  /// to `a`, which is before it: "a == b".
  std::string predicate;
  std::string arguments = {};  ///< C declarations of what else it uses: "float limit"
};

/// The scan of a selection by a user's text. It takes `ary`, `out`, for both `others`, a pointer to
/// the count, and the user's arguments; a count has the dtype of what is scanned.
ScanTexts scan_of(Selection selection, const SelectTexts& texts, Scalar count_dtype,
                  const Dialect& dialect);

/// What selections under a mask of elements of so many bytes are called; 0: of places.
std::string masked_name(std::size_t item_bytes);
/// The wide one, a scan of int64. It takes the mask (uint8), elements, what is selected, where the
/// total is stored (int64), and how many elements there is room for (int64).
ScanTexts scan_of_mask(std::size_t item_bytes, const Dialect& dialect);
/// The narrow one, of two kernels. They take
///
///   the mask, how many elements, those of a group (int64), a count of each group (int64)
///   what scan_of_mask() takes, and those three
FamilyText generate_masked(std::size_t item_bytes, const Dialect& dialect);

}  // namespace treadle::codegen

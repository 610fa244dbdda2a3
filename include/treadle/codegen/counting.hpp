// SPDX-License-Identifier: MIT
// How many elements are in each bin, and sums of what goes with them. Counts are integers, which
// atomics add up in any order to the same. A group counts in memory of its own, and adds that to
// the counts of all; narrow, in several copies, so that equal neighbours need not wait for each
// other. Floats are not: weights are sorted by their bins, and a scan with a segment for each bin
// adds them in an order that depends on their number alone. The last sum of a segment is that of
// its bin.
#pragma once

#include <cstdint>

#include "treadle/base/dtype.hpp"
#include "treadle/codegen/dialect.hpp"
#include "treadle/codegen/family_text.hpp"
#include "treadle/codegen/scan.hpp"
#include "treadle/codegen/schedule.hpp"

namespace treadle::codegen {

/// What decides about the text.
struct CountForm {
  Scalar dtype;                ///< of elements
  bool is_even;                ///< whether elements are values in even bins; else numbers of bins
  std::uint64_t own_counters;  ///< of a group, of which it uses one a bin, and narrow one more of
                               ///< each copy; 0: none
  bool is_single = false;      ///< whether places in even bins are found in float32, near enough
};

/// Writes a kernel that adds to counts. It takes elements, counts (uint32); of even bins their
/// edges (float32 of float32, else float64), where the first begins, how many are 1 wide, and how
/// near to an edge the edge decides (float32 if is_single, else float64); how many elements there
/// are, those of a group (int64), how many bins, and copies of a group's counters (uint32).
FamilyText generate_count(const CountForm& form, const Tiling& tiling, const Dialect& dialect);

/// The scan that adds weights (float64) by their bins (uint32, sorted) into sums: arguments `bins,
/// weights, sums, bin_count`.
ScanTexts bin_sums(const Dialect& dialect);

}  // namespace treadle::codegen

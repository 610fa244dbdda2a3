// SPDX-License-Identifier: MIT
// Kernels that count the elements of each bin, and a scan that adds up the weights of each bin.
// Counts are integers, so atomic additions give the same counts in any order. A group counts in its
// own memory first and then adds its counts to the shared counts. On the narrow schedule a group
// has several copies of its counters, so that equal neighbours need not wait for each other. Sums
// of floats depend on the order of the additions. Weights are therefore sorted by bin, and a
// segmented scan with a segment for each bin adds them in an order that depends only on the number
// of weights. The last sum of a segment is the sum of the bin.
#pragma once

#include <cstdint>

#include "treadle/base/dtype.hpp"
#include "treadle/codegen/dialect.hpp"
#include "treadle/codegen/family_text.hpp"
#include "treadle/codegen/scan.hpp"
#include "treadle/codegen/schedule.hpp"

namespace treadle::codegen {

/// The choices that decide the kernel's text.
struct CountForm {
  Scalar dtype;  ///< dtype of the elements
  /// True: elements are values, and all bins are equally wide; false: elements are bin numbers.
  bool is_even;
  /// Size of a group's counter array; 0: no such array. Wide: a counter for each bin. Narrow:
  /// copies of bin_count + 1 counters.
  std::uint64_t own_counters;
  /// Even bins: whether float32 is precise enough to find the place of a value.
  bool is_single = false;
};

/// Whether the kernel finds the bin of a value by rounding in float32 instead of by a conversion.
bool finds_by_rounding(const CountForm& form, const Tiling& tiling);

/// The number of elements of each group is a multiple of this number.
unsigned count_tile(const CountForm& form, const Tiling& tiling);

/// Writes the kernel that adds to the counts. Arguments: the elements; the counts (uint32); for
/// even bins the edges (float32 for float32 elements, else float64) and three numbers (float32 if
/// is_single, else float64); the number of elements and the number of elements of each group
/// (int64); the number of bins and the number of copies of a group's counters (uint32). The three
/// numbers are the lower end of the first bin, the number of bins in an interval of length 1, and
/// the distance from an edge, in bins, below which the edge decides. With finds_by_rounding() they
/// are a shift and a scale, so that `x * scale + shift` is the place of x less a half, and the
/// distance from the middle of a bin below which no edge needs to decide.
FamilyText generate_count(const CountForm& form, const Tiling& tiling, const Dialect& dialect);

/// The scan that adds the weights (float64) of each bin into `sums`; `bins` (uint32) are sorted.
/// Arguments `bins, weights, sums, bin_count`.
ScanTexts bin_sums(const Dialect& dialect);

}  // namespace treadle::codegen

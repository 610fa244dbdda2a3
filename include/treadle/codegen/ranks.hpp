// SPDX-License-Identifier: MIT
// Finds the elements at given places of the sorted order by counting; treadle/kernel/ranks.hpp has
// the algorithm.
//
// Three numbers (`known`) describe a place: the digits of its element that are known so far, how
// many elements with these digits come before it, and `same`, the first place with the same digits.
// Places with the same digits share one array of counts.
//
// Narrow, each group stores its own counts, and a work-item adds up the counts of all groups. Wide,
// a group counts in local memory, for some places at a time, and adds its counts to shared counts;
// the one group of the last kernel sets the shared counts back to 0.
#pragma once

#include "treadle/base/dtype.hpp"
#include "treadle/codegen/dialect.hpp"
#include "treadle/codegen/family_text.hpp"
#include "treadle/codegen/schedule.hpp"

namespace treadle::codegen {

/// How many numbers (uint64) describe a place.
inline constexpr unsigned numbers_of_place = 3;

/// Writes three kernels. A pass examines a digit of `width` bits, at most Tiling::select_bits, from
/// the bit `shift` on. The arguments of the kernels are
///
///   1  places (int64), known (uint64), wide also counts (uint32), rank_count (uint32)
///   2  elements (unsigned integers), known, counts, number of elements and elements of a group
///      (int64), rank_count, width, shift (uint32)
///   3  known, counts, found (unsigned integers), number of groups that counted (int64),
///      rank_count, width, shift
FamilyText generate_ranks(Scalar dtype, const Tiling& tiling, const Dialect& dialect);

}  // namespace treadle::codegen

// SPDX-License-Identifier: MIT
// Elements at places of the order, found by counting: treadle/kernel/ranks.hpp says how.
//
// Places whose digits so far are equal share counts: `same` is the first of them. What is known of
// a place is three numbers: the digits, how many elements with these are before it, and `same`.
//
// Narrow, each group leaves counts of its own, and a work-item adds them up. Wide, groups count in
// local memory, for some places at a time, and add what they have to the counts of all, which the
// one group that chooses leaves 0.
#pragma once

#include "treadle/base/dtype.hpp"
#include "treadle/codegen/dialect.hpp"
#include "treadle/codegen/family_text.hpp"
#include "treadle/codegen/schedule.hpp"

namespace treadle::codegen {

/// Numbers (uint64) that are known of a place.
inline constexpr unsigned numbers_of_place = 3;

/// Writes three kernels. `width` digits, at most Tiling::select_bits, are looked at in a pass,
/// those from the bit `shift` on. They take
///
///   places (int64), known (uint64), counts (uint32) where the schedule is wide, rank_count
///   (uint32) elements (unsigned integers), known, counts, how many elements, those of a group
///   (int64),
///     rank_count, width, shift (uint32)
///   known, counts, found (unsigned integers), how many groups counted (int64), rank_count, width,
///     shift
FamilyText generate_ranks(Scalar dtype, const Tiling& tiling, const Dialect& dialect);

}  // namespace treadle::codegen

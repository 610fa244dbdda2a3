// SPDX-License-Identifier: MIT
// The largest elements of rows, or of pieces of rows. Keys are such that the largest is taken first
// (ordered_key.hpp).
//
// Narrow, a work-item goes through a piece and keeps those that are larger than the k-th so far
// (until there are k, all) in memory for twice as many at least; when that is full, it is sorted,
// and all but the first k are dropped. Of elements in any order hardly one in a hundred is kept.
//
// Wide, a group counts elements by the highest digit of their keys, then, of those with the digit
// where the k-th is, by the next, until those from there on fit into local memory; they are put
// there, and sorted by exchanges. Equal keys go on with the digits of their places, reversed.
#pragma once

#include <cstdint>

#include "treadle/base/dtype.hpp"
#include "treadle/codegen/dialect.hpp"
#include "treadle/codegen/family_text.hpp"
#include "treadle/codegen/schedule.hpp"

namespace treadle::codegen {

/// What decides about the text.
struct TopKForm {
  Scalar dtype;        ///< of elements
  bool has_places;     ///< they are given, of a row's pieces; else they are those in the row
  std::uint64_t room;  ///< for elements that are kept: twice those that are taken, at least
};

/// Writes a kernel with a group for each piece. It takes elements, values (unsigned integers),
/// places (int64), with places those that are given, the length of a row, how many pieces it has,
/// how many elements are taken (int64), and the key with whose bits those of all are changed.
FamilyText generate_top_k(const TopKForm& form, const Tiling& tiling, const Dialect& dialect);

}  // namespace treadle::codegen

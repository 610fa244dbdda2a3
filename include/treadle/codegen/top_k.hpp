// SPDX-License-Identifier: MIT
// The largest elements of rows, or of pieces of rows. Keys (ordered_key.hpp) are made so that the
// largest key is taken first.
//
// Narrow, a work-item goes through a piece and keeps the elements that are larger than the k-th
// largest so far (all elements until there are k), in memory for at least 2 k elements. When this
// memory is full, it is sorted and all but the first k are dropped. If elements come in random
// order, fewer than one in a hundred is kept.
//
// Wide, a group counts the elements by the highest digit of their keys. Then it counts the elements
// whose highest digit is that of the k-th element by their next digit, and so on, until the k-th
// element and all larger ones fit into local memory. The group moves these elements there and sorts
// them by exchanges. For equal keys the count goes on with the digits of their places, inverted.
#pragma once

#include <cstdint>

#include "treadle/base/dtype.hpp"
#include "treadle/codegen/dialect.hpp"
#include "treadle/codegen/family_text.hpp"
#include "treadle/codegen/schedule.hpp"

namespace treadle::codegen {

/// The choices that decide the kernel's text.
struct TopKForm {
  Scalar dtype;  ///< dtype of the elements
  /// Places are given, because a row is in pieces; otherwise they are places in the row.
  bool has_places;
  std::uint64_t room;  ///< number of elements for which there is memory: at least 2 k
};

/// Writes a kernel with a group for each piece. Arguments: the elements, the values (unsigned
/// integers), the places (int64), the given places if has_places, the length of a row, the number
/// of its pieces, the number k of elements taken (int64), and a key with which all keys are
/// combined by exclusive or.
FamilyText generate_top_k(const TopKForm& form, const Tiling& tiling, const Dialect& dialect);

}  // namespace treadle::codegen

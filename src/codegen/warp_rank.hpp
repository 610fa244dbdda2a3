// SPDX-License-Identifier: MIT
// Ranks the elements of a tile by their digits, in the order of digits and then of elements, if
// sub-groups have votes. A sub-group has adjacent elements, and each of its work-items has every
// 32nd of these. Each sub-group has a counter for each digit. First all elements are counted; the
// sums of earlier counters are the places at which a sub-group's elements of a digit start. Then,
// for each row of 32 elements, votes about the bits of the digit find the work-items with the same
// digit, and the counter says how many elements with that digit came before:
//
//   digits of a row   3 1 3 3 0 ...     votes of bit 0: 1 1 1 1 0, of bit 1: 1 0 1 1 0
//   same digit as 3   1 0 1 1 0 ...     so the third work-item has the second 3 of the row
//
// (Ashkiani and others, "GPU multisplit", 2016; Adinets and Merrill, "Onesweep", 2022.)
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "block.hpp"
#include "treadle/codegen/block_builder.hpp"
#include "treadle/codegen/dialect.hpp"

namespace treadle::codegen {

/// All names of the generated text begin with treadle_.
struct WarpRank {
  unsigned group_size, items, bits;  ///< items: elements of a work-item
  const Dialect& dialect;

  /// Whether the language has votes.
  static bool fits(const Dialect& dialect) { return !dialect.ballot.empty(); }
  /// The largest alignment, in bytes, of elements that are moved in local memory.
  static constexpr std::size_t room_alignment = 8;

  unsigned digits() const { return 1u << bits; }
  unsigned tile() const { return group_size * items; }

  /// Declares treadle_room, local memory in which elements of at most `element_bytes` bytes are
  /// moved; earlier it holds the counters. Call it in the kernel's outermost block.
  void declare(tree::BlockBuilder& code, std::size_t element_bytes) const;
  /// Opens a loop over the elements of a work-item, `treadle_k`; element_at() is the place of an
  /// element in its tile.
  void open_each_item(tree::BlockBuilder& code) const;
  static std::string element_at();
  void open_each_digit(tree::BlockBuilder& code) const;  ///< of the group: `treadle_d`
  /// Sets the counters to 0, before elements are counted.
  void clear(tree::BlockBuilder& code) const;
  /// Counts treadle_digits[treadle_k] of all elements and turns the counters into ranks. Calls
  /// `publish` at the point where each of the first work-items has the tile's count of its digit in
  /// treadle_sum; afterwards it has the start of that digit in the tile in treadle_start. Call it
  /// in uniform control flow, after a barrier; ends with a barrier.
  void count(tree::BlockBuilder& code, const std::function<void()>& publish) const;
  /// After count(): stores the rank beside each digit in treadle_digits. No barrier.
  void rank(tree::BlockBuilder& code) const;
  static std::string rank_of(std::string_view item);
  static std::string digit_of(std::string_view item);
  /// A condition: whether a work-item is one of the first work-items, which have a digit each.
  std::string has_digit() const;
  /// Scans over the first work-items: replaces the variable `name`, an integer of this type, by the
  /// sum of the variables before it. Call declare_sums() in the kernel's outermost block, and
  /// sum_before() after a barrier in uniform control flow.
  void declare_sums(tree::BlockBuilder& code, const std::string& name,
                    const std::string& type) const;
  void sum_before(tree::BlockBuilder& code, const std::string& name, const std::string& type) const;

 private:
  BlockScan sums(const std::string& name, const std::string& type) const;
  unsigned warps() const { return group_size / sub_group; }
  void open_each_warp(tree::BlockBuilder& code) const;
};

}  // namespace treadle::codegen

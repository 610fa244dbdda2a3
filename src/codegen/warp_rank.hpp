// SPDX-License-Identifier: MIT
// Ranks of elements by their digits among those of a tile, in the order of digits and of elements,
// where sub-groups vote. A sub-group has neighbouring elements, and a work-item of it every 32nd of
// these; each sub-group has a counter for each digit. All elements are counted first; the sums of
// the counters before say where a sub-group's elements of a digit begin. Then, row by row of 32,
// the votes of all bits of the digit say who has the same one, and the counter how many were
// before:
//
//   digits of a row   3 1 3 3 0 ...     votes of bit 0: 1 1 1 1 0, of bit 1: 1 0 1 1 0
//   like mine         10110 01000 ...   so the third lane is the second 3 of the row
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

/// Its names begin with treadle_.
struct WarpRank {
  unsigned group_size, items, bits;  ///< items: elements of a work-item
  const Dialect& dialect;

  /// Whether the language has votes.
  static bool fits(const Dialect& dialect) { return !dialect.ballot.empty(); }
  /// Of what changes places in local memory, at most, in bytes.
  static constexpr std::size_t room_alignment = 8;

  unsigned digits() const { return 1u << bits; }
  unsigned tile() const { return group_size * items; }

  /// Declares treadle_room, local memory in which elements of at most so many bytes change places,
  /// and whose counters lie there meanwhile: in the kernel's outermost block.
  void declare(tree::BlockBuilder& code, std::size_t element_bytes) const;
  /// Opens a loop over a work-item's elements, `treadle_k`; element_at() is where one is in its
  /// tile.
  void open_each_item(tree::BlockBuilder& code) const;
  static std::string element_at();
  void open_each_digit(tree::BlockBuilder& code) const;  ///< of the group: `treadle_d`
  void clear(tree::BlockBuilder& code) const;            ///< the counters, before elements
  /// Counts treadle_digits[treadle_k] of all elements, and makes ranks of the counters. Calls
  /// `publish` where the first work-items have in treadle_sum how many elements have a digit, each
  /// its own; in treadle_start they find later where that begins in the tile. In uniform control
  /// flow, behind a barrier; ends with a barrier.
  void count(tree::BlockBuilder& code, const std::function<void()>& publish) const;
  /// Then: puts ranks beside the digits in treadle_digits. No barrier.
  void rank(tree::BlockBuilder& code) const;
  static std::string rank_of(std::string_view item);
  static std::string digit_of(std::string_view item);
  /// Whether a work-item is one of those that have digits.
  std::string has_digit() const;
  /// Sums over the first work-items: turns the variable `name`, an integer of that type, into the
  /// sum of those before. declare_sums() in the kernel's outermost block, sum_before() behind a
  /// barrier in uniform control flow.
  void declare_sums(tree::BlockBuilder& code, const std::string& name,
                    const std::string& type) const;
  void sum_before(tree::BlockBuilder& code, const std::string& name, const std::string& type) const;

 private:
  BlockScan sums(const std::string& name, const std::string& type) const;
  unsigned warps() const { return group_size / sub_group; }
  void open_each_warp(tree::BlockBuilder& code) const;
};

}  // namespace treadle::codegen

// SPDX-License-Identifier: MIT
// What groups do together that wait for earlier ones: each takes a ticket, the number of its tile,
// so that whoever is waited for has started; publishes the sum of its tile; and learns the sum of
// all tiles before its own (treadle/codegen/scan.hpp says of which sums that is made).
//
// A sum is published as words of 64 bits, each {epoch : 31 | mark : 1 | payload : 32}. Who reads it
// takes a word whose epoch is that of this launch: it is whole and new, without a fence, and nobody
// has to clear words between launches. The first word is {epoch : 32 | ticket : 32}; who takes the
// last ticket turns it into that of the next launch. Where items are no numbers, a word says that
// the item is there, which lies in memory of its own, with a fence between. Epochs come again after
// 2^31 launches; until then each word was in use or was cleared, for every launch clears one.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "block.hpp"
#include "treadle/base/dtype.hpp"
#include "treadle/codegen/block_builder.hpp"
#include "treadle/codegen/dialect.hpp"
#include "treadle/codegen/signature.hpp"

namespace treadle::codegen {

/// Its names begin with treadle_.
struct LookBack {
  /// An item, with whether a segment starts in it: texts.
  struct Sum {
    std::string item, mark;
  };

  DType dtype;          ///< of a treadle_item
  bool has_marks;       ///< whether there are segments
  unsigned group_size;  ///< work-items; 1: tiles wait each for the one before
  unsigned anchored;    ///< tiles of a stretch
  const Dialect& dialect;
  const TypeNames& types;
  /// The combination of two items, of which the second has that mark.
  std::function<std::string(std::string_view a, std::string_view b, std::string_view mark)>
      combined;

  /// Whether items go as words; others need fences.
  static bool goes_by_words(const DType& dtype);
  /// Words of one slot.
  unsigned slot_words() const;
  bool keeps_items() const { return !goes_by_words(dtype); }
  /// The tiles of a stretch, where items are small enough.
  static unsigned stretch(const DType& dtype, unsigned anchored_tiles);

  /// What the kernel takes: treadle_tiles, treadle_word_count, treadle_words, treadle_kept.
  void append_parameters(tree::Parts& list) const;
  /// The local memory: in the kernel's outermost block.
  void declare(tree::BlockBuilder& code) const;
  /// Defines treadle_ticket, in uniform control flow.
  void take_ticket(tree::BlockBuilder& code) const;
  /// Hands the sum of the tile on, and leaves that of all before, if treadle_ticket > 0, in
  /// treadle_before_tile. In uniform control flow; ends with a barrier. The sum is one that the
  /// first work-item sees.
  void write(tree::BlockBuilder& code, const Sum& own) const {
    hand_on(code, own);
    wait(code, own);
  }
  /// The two halves of it: what hands the sum on does not wait.
  void hand_on(tree::BlockBuilder& code, const Sum& own) const;
  void wait(tree::BlockBuilder& code, const Sum& own) const;

 private:
  bool has_groups() const { return group_size > 1; }
  bool has_shuffles() const;
  bool has_stretches() const { return anchored > 1; }
  std::string slot_of_stretch(std::string_view stretch_before) const;
  void publish(tree::BlockBuilder& code, std::string_view slot, const Sum& sum) const;
  void await(tree::BlockBuilder& code, std::string_view slot) const;
  void put_behind(tree::BlockBuilder& code, const Sum& first, const Sum& second,
                  const Sum& into) const;
  void fold_by_shuffles(tree::BlockBuilder& code) const;
  void fold_in_memory(tree::BlockBuilder& code) const;
  void open_first(tree::BlockBuilder& code) const;
  void end_first(tree::BlockBuilder& code) const;
  std::string word_type() const { return types.name_of(Scalar::uint64); }
  std::string uint_type() const { return types.name_of(Scalar::uint32); }
  std::string wide_type() const { return types.name_of(Scalar::int64); }
};

}  // namespace treadle::codegen

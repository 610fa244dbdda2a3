// SPDX-License-Identifier: MIT
// The steps of groups that wait for earlier groups. A group takes a ticket, the number of its tile,
// so that every group it waits for has started. It publishes the sum of its tile and obtains the
// sum of all tiles before its own (treadle/codegen/scan.hpp says from which sums).
//
// A sum is published as words of 64 bits, each {epoch : 31 | mark : 1 | payload : 32}. A reader
// waits for a word with the epoch of its launch: the word is then complete and new, no fence is
// needed, and nobody has to clear words between launches. The first word is {epoch : 32 | ticket :
// 32}; the group with the last ticket sets it for the next launch. If items are not numbers, the
// item lies in separate memory, a fence follows it, and the word says that the item is there. An
// epoch returns after 2^31 launches. By then each word has been used or cleared, because every
// launch clears one word.
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

/// All names of the generated text begin with treadle_.
struct LookBack {
  /// Expressions for an item and for whether a segment starts in it.
  struct Sum {
    std::string item, mark;
  };

  DType dtype;          ///< dtype of a treadle_item
  bool has_marks;       ///< whether the scan has segments
  unsigned group_size;  ///< work-items of a group; 1: each tile waits for the tile before it
  unsigned anchored;    ///< tiles of a stretch
  const Dialect& dialect;
  const TypeNames& types;
  /// The combination of two items; `mark` is the mark of the second item.
  std::function<std::string(std::string_view a, std::string_view b, std::string_view mark)>
      combined;

  /// Whether words hold the items themselves; other items need fences.
  static bool goes_by_words(const DType& dtype);
  /// The words of one slot.
  unsigned slot_words() const;
  bool keeps_items() const { return !goes_by_words(dtype); }
  /// The tiles of a stretch; fewer if items are large.
  static unsigned stretch(const DType& dtype, unsigned anchored_tiles);

  /// Appends the kernel's parameters: treadle_tiles, treadle_word_count, treadle_words,
  /// treadle_kept.
  void append_parameters(tree::Parts& list) const;
  /// Declares the local memory; call it in the kernel's outermost block.
  void declare(tree::BlockBuilder& code) const;
  /// Defines treadle_ticket; call it in uniform control flow.
  void take_ticket(tree::BlockBuilder& code) const;
  /// Publishes the sum of the tile. If treadle_ticket > 0, stores the sum of all tiles before in
  /// treadle_before_tile. Call it in uniform control flow; ends with a barrier. The first work-item
  /// must have the tile's sum.
  void write(tree::BlockBuilder& code, const Sum& own) const {
    hand_on(code, own);
    wait(code, own);
  }
  /// The two halves of write(); hand_on() does not wait.
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

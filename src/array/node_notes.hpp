// SPDX-License-Identifier: MIT
// Notes that a walk over nodes takes. They belong to the walk, so that walks may be nested and
// nodes do not store them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "array/node.hpp"

namespace treadle::array {

/// Stores a note for each node of a set. Lookup in a small set is fast. The notes keep no node
/// alive. An object that is used again allocates nothing until the set is larger than before.
template <class Note>
class NodeNotes {
 public:
  /// Returns the node's note, or null if there is none. The next add() invalidates the pointer.
  Note* find(const Node& node) noexcept {
    if (entries_.empty()) return nullptr;
    Entry& entry = place_of(node);
    return entry.walk == walk_ ? &entry.note : nullptr;
  }
  /// Adds the note of a node that has none yet. The next add() invalidates the reference.
  Note& add(const Node& node, Note note) {
    if (2 * (count_ + 1) > entries_.size()) grow();
    Entry& entry = place_of(node);
    entry = {&node, walk_, std::move(note)};
    ++count_;
    return entry.note;
  }
  void clear() noexcept {
    count_ = 0;
    if (++walk_ != 0) return;
    entries_.clear();
    walk_ = 1;
  }

 private:
  struct Entry {
    const Node* node = nullptr;
    std::uint32_t walk = 0;  // an entry with any number but walk_ is free
    Note note = {};
  };
  /// The node's entry, or the free entry where the node belongs.
  Entry& place_of(const Node& node) noexcept {
    const std::size_t mask = entries_.size() - 1;
    // Nodes lie at multiples of 16. The hash puts neighbouring nodes far apart.
    std::size_t place = (reinterpret_cast<std::uintptr_t>(&node) >> 4) * 0x9E3779B97F4A7C15u >> 40;
    for (place &= mask; entries_[place].walk == walk_ && entries_[place].node != &node;)
      place = (place + 1) & mask;
    return entries_[place];
  }
  void grow() {
    std::vector<Entry> smaller(entries_.empty() ? 64 : 2 * entries_.size());
    smaller.swap(entries_);
    for (Entry& entry : smaller)
      if (entry.walk == walk_) place_of(*entry.node) = std::move(entry);
  }

  std::vector<Entry> entries_;  // the size is a power of two; half of them or more are free
  std::size_t count_ = 0;
  std::uint32_t walk_ = 1;
};

}  // namespace treadle::array

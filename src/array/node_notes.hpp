// SPDX-License-Identifier: MIT
// What a walk over nodes notes of them: it is the walk's own, so that walks may lie within each
// other and nodes know nothing of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "array/node.hpp"

namespace treadle::array {

/// A note for each of some nodes. Few nodes are looked up fast, and none is kept alive. What was
/// used once allocates no more for as many nodes.
template <class Note>
class NodeNotes {
 public:
  /// Null: there is none. Until the next add().
  Note* find(const Node& node) noexcept {
    if (entries_.empty()) return nullptr;
    Entry& entry = place_of(node);
    return entry.walk == walk_ ? &entry.note : nullptr;
  }
  /// The note of a node that has none yet. Until the next add().
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
    std::uint32_t walk = 0;  // 0 and others than walk_: the entry is free
    Note note = {};
  };
  /// The node's entry, or the free one where it would be.
  Entry& place_of(const Node& node) noexcept {
    const std::size_t mask = entries_.size() - 1;
    // Nodes lie at multiples of 16; neighbouring ones get places far from each other.
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

  std::vector<Entry> entries_;  // a power of two of them, at least half of them free
  std::size_t count_ = 0;
  std::uint32_t walk_ = 1;
};

}  // namespace treadle::array

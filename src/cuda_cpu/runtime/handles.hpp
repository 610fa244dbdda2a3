// SPDX-License-Identifier: MIT
// Handles are numbers in pointer types, never addresses: stale and invalid ones are refused and not
// dereferenced.
//   bits 63..28 generation of the slot | 27..8 slot | 7..4 kind of object | 3..0 zero
// So no handle is ever null, CU_STREAM_LEGACY (1) or CU_STREAM_PER_THREAD (2).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace treadle::cuda_cpu {

enum class HandleKind : std::uint64_t {
  context = 1,
  stream,
  event,
  module,
  function,
  array,
  mipmapped_array,
  graph = 8,
  graph_node,
  graph_exec,
  user_object,
  link = 12,
  memory_pool,
  library,
  library_kernel
};

/// The live objects of one kind. Thread-safe. An object found stays alive while the caller holds
/// it.
template <class Object, class Raw, HandleKind kind>
class HandleRegistry {
 public:
  /// Makes the object findable; the handle is never used again after remove().
  Raw insert(std::shared_ptr<Object> object) {
    const std::lock_guard lock(mutex_);
    std::uint64_t slot = slots_.size();
    if (free_.empty()) {
      slots_.emplace_back();
    } else {
      slot = free_.back();
      free_.pop_back();
    }
    slots_[slot].object = std::move(object);
    return encode(slot, slots_[slot].generation);
  }

  /// Puts another object behind a live handle: the primary context keeps its handle over a reset.
  void replace(Raw handle, std::shared_ptr<Object> object) {
    const std::lock_guard lock(mutex_);
    if (Slot* slot = at(handle)) slot->object.swap(object);
  }

  /// Null if the handle is none of ours or the object is gone.
  std::shared_ptr<Object> find(Raw handle) const {
    const std::lock_guard lock(mutex_);
    const Slot* slot = at(handle);
    return slot == nullptr ? nullptr : slot->object;
  }

  /// Takes the object out; null if it was not there (any more).
  std::shared_ptr<Object> remove(Raw handle) {
    const std::lock_guard lock(mutex_);
    Slot* slot = at(handle);
    return slot == nullptr ? nullptr : release(static_cast<std::size_t>(slot - slots_.data()));
  }

  std::vector<std::shared_ptr<Object>> all() const {
    std::vector<std::shared_ptr<Object>> live;
    const std::lock_guard lock(mutex_);
    for (const Slot& slot : slots_)
      if (slot.object) live.push_back(slot.object);
    return live;
  }

  /// Takes out every object that `belongs` says yes to.
  std::vector<std::shared_ptr<Object>> remove_if(
      const std::function<bool(const Object&)>& belongs) {
    std::vector<std::shared_ptr<Object>> removed;
    const std::lock_guard lock(mutex_);
    for (std::size_t slot = 0; slot < slots_.size(); ++slot)
      if (slots_[slot].object && belongs(*slots_[slot].object)) removed.push_back(release(slot));
    return removed;
  }

 private:
  struct Slot {
    std::uint64_t generation = 1;
    std::shared_ptr<Object> object;
  };
  static constexpr std::uint64_t slot_mask = (1u << 20) - 1;

  static Raw encode(std::uint64_t slot, std::uint64_t generation) {
    return reinterpret_cast<Raw>(generation << 28 | slot << 8 |
                                 static_cast<std::uint64_t>(kind) << 4);
  }
  const Slot* at(Raw handle) const {
    const auto bits = reinterpret_cast<std::uint64_t>(handle);
    const std::uint64_t slot = bits >> 8 & slot_mask;
    if ((bits & 255) != static_cast<std::uint64_t>(kind) << 4 || slot >= slots_.size())
      return nullptr;
    const Slot& found = slots_[slot];
    return found.object && found.generation == bits >> 28 ? &found : nullptr;
  }
  Slot* at(Raw handle) { return const_cast<Slot*>(std::as_const(*this).at(handle)); }
  std::shared_ptr<Object> release(std::size_t slot) {
    ++slots_[slot].generation;
    free_.push_back(slot);
    return std::exchange(slots_[slot].object, nullptr);
  }

  mutable std::mutex mutex_;
  std::vector<Slot> slots_;
  std::vector<std::size_t> free_;
};

}  // namespace treadle::cuda_cpu

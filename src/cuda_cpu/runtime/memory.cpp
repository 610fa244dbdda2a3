// SPDX-License-Identifier: MIT
#include "cuda_cpu/runtime/memory.hpp"

#include <algorithm>
#include <atomic>
#include <deque>
#include <map>
#include <shared_mutex>
#include <vector>

#include "cuda_cpu/runtime/device_heap.hpp"
#include "cuda_cpu/runtime/global_accesses.hpp"
#include "cuda_cpu/runtime/ipc_memory.hpp"
#include "cuda_cpu/runtime/kernel_checks.hpp"
#include "cuda_cpu/runtime/machine.hpp"

namespace treadle::cuda_cpu {
namespace {

/// All allocations by address; they never overlap.
class AddressMap {
 public:
  bool add(Allocation allocation) {
    const std::unique_lock lock(mutex_);
    const std::uintptr_t base = allocation.base;
    const auto next = allocations_.lower_bound(base);
    if (next != allocations_.end() && next->first < base + allocation.size) return false;
    if (next != allocations_.begin() &&
        std::prev(next)->second.base + std::prev(next)->second.size > base)
      return false;
    allocation.id = ++last_id_;
    generation_.fetch_add(1, std::memory_order_release);
    allocations_.emplace_hint(next, base, std::move(allocation));
    return true;
  }

  std::optional<Allocation> find(std::uintptr_t address) const {
    const std::shared_lock lock(mutex_);
    const Allocation* found = at(address);
    return found == nullptr ? std::nullopt : std::optional(*found);
  }

  Neighbours neighbours(std::uintptr_t address) const {
    const std::shared_lock lock(mutex_);
    const auto behind = allocations_.upper_bound(address);
    Neighbours found;
    if (behind != allocations_.end()) found.behind = behind->second;
    if (behind != allocations_.begin()) found.before = std::prev(behind)->second;
    return found;
  }

  std::optional<Allocation> find_freed(std::uintptr_t address) const {
    const std::shared_lock lock(mutex_);
    if (at(address) != nullptr) return std::nullopt;
    const auto found = std::find_if(freed_.rbegin(), freed_.rend(), [&](const Allocation& freed) {
      return address - freed.base < freed.size;
    });
    return found == freed_.rend() ? std::nullopt : std::optional(*found);
  }

  std::uint64_t generation() const noexcept { return generation_.load(std::memory_order_acquire); }

  bool holds(std::uintptr_t address, std::size_t size) const {
    const std::shared_lock lock(mutex_);
    const Allocation* found = at(address);
    while (found != nullptr && size > found->base + found->size - address) {
      if (found->kind != MemoryKind::mapped) return false;
      size -= found->base + found->size - address;
      address = found->base + found->size;
      found = at(address);
      if (found != nullptr && found->kind != MemoryKind::mapped) return false;
    }
    return found != nullptr;
  }

  std::optional<Allocation> remove(std::uintptr_t base, std::initializer_list<MemoryKind> kinds) {
    const std::unique_lock lock(mutex_);
    const auto found = allocations_.find(base);
    if (found == allocations_.end() ||
        std::find(kinds.begin(), kinds.end(), found->second.kind) == kinds.end())
      return std::nullopt;
    Allocation taken = std::move(found->second);
    allocations_.erase(found);
    generation_.fetch_add(1, std::memory_order_release);
    remember_freed(taken);
    return taken;
  }

  std::vector<Allocation> remove_all(const Context& context) {
    const std::unique_lock lock(mutex_);
    std::vector<Allocation> taken;
    generation_.fetch_add(1, std::memory_order_release);
    for (auto i = allocations_.begin(); i != allocations_.end();) {
      const bool mine = i->second.context.get() == &context;
      if (mine) taken.push_back(std::move(i->second));
      i = mine ? allocations_.erase(i) : std::next(i);
    }
    return taken;
  }

 private:
  const Allocation* at(std::uintptr_t address) const {
    auto next = allocations_.upper_bound(address);
    if (next == allocations_.begin()) return nullptr;
    const Allocation& found = std::prev(next)->second;
    return address - found.base < found.size ? &found : nullptr;
  }
  /// For the texts of faults; the context is not kept alive for them.
  void remember_freed(const Allocation& allocation) {
    constexpr std::size_t most_remembered = 256;
    if (freed_.size() == most_remembered) freed_.pop_front();
    freed_.push_back({.base = allocation.base,
                      .size = allocation.size,
                      .kind = allocation.kind,
                      .flags = 0,
                      .id = allocation.id,
                      .context = nullptr,
                      .site = allocation.site});
  }
  mutable std::shared_mutex mutex_;
  std::map<std::uintptr_t, Allocation> allocations_;
  std::deque<Allocation> freed_;  // the last one last
  std::uint64_t last_id_ = 0;
  std::atomic<std::uint64_t> generation_{0};
};

AddressMap& addresses() {
  static AddressMap* const map = new AddressMap;  // outlives every thread
  return *map;
}

/// Keeps the sum of all allocations below what the device gives out, and below what the machine can
/// back: others use it as well. Pages are backed only when
/// they are first touched, which the kernel's counters do not anticipate: allocated memory that was
/// not touched yet counts as used.
class Budget {
 public:
  bool take(std::size_t size) {
    const std::lock_guard lock(mutex_);
    if (size > left_to_give()) return false;
    // Reading the counters costs tens of microseconds: not for every small allocation.
    unchecked_ += size;
    if (unchecked_ >= check_interval) {
      const std::size_t reserve = machine().memory_bytes / 64;
      if (size + reserve > backed()) return false;
      unchecked_ = 0;
    }
    in_use_ += size;
    return true;
  }
  void give_back(std::size_t size) {
    const std::lock_guard lock(mutex_);
    in_use_ -= size;
  }
  MemoryState state() {
    const std::lock_guard lock(mutex_);
    return {std::min(backed(), left_to_give()), machine().memory_bytes};
  }

 private:
  static constexpr std::size_t check_interval = 16u << 20;
  std::size_t left_to_give() const { return machine().memory_bytes - in_use_; }
  std::size_t backed() const {
    const std::size_t untouched = in_use_ - std::min(in_use_, resident_bytes());
    const std::size_t available = available_memory_bytes();
    return available - std::min(available, untouched);
  }
  std::mutex mutex_;
  std::size_t in_use_ = 0, unchecked_ = 0;
};

Budget& budget() {
  static Budget* const instance = new Budget;
  return *instance;
}

/// Delays the reuse of freed memory while kernels are checked, so that accesses to it are detected.
class Quarantine {
 public:
  void add(const Allocation& freed) {
    const std::lock_guard lock(mutex_);
    waiting_.push_back({reinterpret_cast<void*>(freed.base), freed.size});
    bytes_ += freed.size;
    while (!waiting_.empty() && (waiting_.size() > most_blocks || bytes_ > most_bytes)) {
      const auto [block, size] = waiting_.front();
      waiting_.pop_front();
      bytes_ -= size;
      device_heap_release(block, size);
      budget().give_back(size);
    }
  }

 private:
  static constexpr std::size_t most_blocks = 256, most_bytes = 64u << 20;
  std::mutex mutex_;
  std::deque<std::pair<void*, std::size_t>> waiting_;
  std::size_t bytes_ = 0;
};

Quarantine& quarantine() {
  static Quarantine* const instance = new Quarantine;
  return *instance;
}

}  // namespace

bool add_memory(Allocation allocation) {
  allocation.site = calling_site();
  // The host writes to all other kinds by itself.
  const bool kernels_only =
      allocation.kind == MemoryKind::device || allocation.kind == MemoryKind::kernel_heap;
  if (kernels_only && writes_are_noted(allocation.context.get()))
    allocation.written = std::make_shared<WrittenBytes>(allocation.size);
  if (allocation.kind == MemoryKind::managed) allocation.advice = std::make_shared<ManagedAdvice>();
  return addresses().add(std::move(allocation));
}
std::optional<Allocation> find_memory(std::uintptr_t address) { return addresses().find(address); }
Neighbours neighbouring_memory(std::uintptr_t address) { return addresses().neighbours(address); }
std::optional<Allocation> find_freed_memory(std::uintptr_t address) {
  return addresses().find_freed(address);
}
std::uint64_t memory_generation() noexcept { return addresses().generation(); }
bool known_memory(std::uintptr_t address, std::size_t size) {
  return addresses().holds(address, size);
}
std::optional<Allocation> remove_memory(std::uintptr_t base,
                                        std::initializer_list<MemoryKind> kinds) {
  return addresses().remove(base, kinds);
}

void note_written(std::uintptr_t address, std::size_t size) {
  if (!writes_are_noted()) return;
  if (const auto found = find_memory(address); found && found->written != nullptr)
    found->written->note(address - found->base, size);
}

void note_copied(std::uintptr_t to, std::uintptr_t from, std::size_t size) {
  if (!writes_are_noted()) return;
  const auto source = find_memory(from);
  if (!source || source->written == nullptr) return note_written(to, size);
  if (const auto target = find_memory(to); target && target->written != nullptr)
    target->written->note_copy(to - target->base, size, *source->written, from - source->base);
}

void release_memory(const Allocation& allocation) {
  if (kernels_are_checked()) forget_global_accesses(allocation.base, allocation.size);
  if (allocation.pool) allocation.pool->give_back(allocation.size);
  switch (allocation.kind) {
    case MemoryKind::registered:   // the program's,
    case MemoryKind::global:       // the module's,
    case MemoryKind::kernel_heap:  // Context::kernel_heap's,
    case MemoryKind::mapped:       // and that of who mapped it
      return;
    case MemoryKind::imported:
      return unmap_imported(allocation);
    default:
      forget_exported(allocation);
  }
  if (kernels_are_checked()) return quarantine().add(allocation);
  device_heap_release(reinterpret_cast<void*>(allocation.base), allocation.size);
  budget().give_back(allocation.size);
}

void free_memory_of(const Context& context) {
  for (const auto& allocation : addresses().remove_all(context)) release_memory(allocation);
}

MemoryState memory_state() { return budget().state(); }
bool take_memory(std::size_t size) { return budget().take(size); }
void give_back_memory(std::size_t size) { budget().give_back(size); }

CUresult allocate_memory(const std::shared_ptr<Context>& context, std::size_t size, MemoryKind kind,
                         unsigned flags, std::uintptr_t& address,
                         std::shared_ptr<MemoryPool> pool) {
  if (size == 0) return CUDA_ERROR_INVALID_VALUE;
  if (!budget().take(size)) return CUDA_ERROR_OUT_OF_MEMORY;
  void* const block = device_heap_allocate(size);
  if (block == nullptr) {
    budget().give_back(size);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  address = reinterpret_cast<std::uintptr_t>(block);
  add_memory({.base = address,
              .size = size,
              .kind = kind,
              .flags = flags,
              .id = 0,
              .context = context,
              .site = {},
              .pool = std::move(pool)});
  return CUDA_SUCCESS;
}

}  // namespace treadle::cuda_cpu

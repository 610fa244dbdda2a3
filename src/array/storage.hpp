// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "treadle/array/allocator.hpp"
#include "treadle/base/dtype.hpp"
#include "treadle/base/layout.hpp"
#include "treadle/device/deferred.hpp"
#include "treadle/device/stream.hpp"
#include "treadle/memory/buffer.hpp"
#include "treadle/process/launch_site.hpp"

namespace treadle::array {

using StreamRef = std::shared_ptr<device::Stream>;

/// A shared reference to an object with add_reference() and remove_reference(). In contrast to
/// shared_ptr it takes one word, because the object holds the count.
template <class T>
class Ref {
 public:
  Ref() = default;
  /// Takes over a reference that the caller owns.
  static Ref adopt(T* object) noexcept {
    Ref ref;
    ref.object_ = object;
    return ref;
  }
  /// Adds a reference.
  explicit Ref(T* object) noexcept : object_(object) {
    if (object_ != nullptr) object_->add_reference();
  }
  Ref(const Ref& other) noexcept : Ref(other.object_) {}
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() {
    if (object_ != nullptr) object_->remove_reference();
  }

  T* get() const noexcept { return object_; }
  T* release() noexcept { return std::exchange(object_, nullptr); }
  T& operator*() const noexcept { return *object_; }
  T* operator->() const noexcept { return object_; }
  explicit operator bool() const noexcept { return object_ != nullptr; }
  bool operator==(const Ref& other) const noexcept { return object_ == other.object_; }

 private:
  T* object_ = nullptr;
};

/// Makes later work of `second` wait for the work that is queued on `first` now. A null `first`
/// means no earlier work.
void order(const StreamRef& first, const StreamRef& second);

/// One allocation with the state of the work that uses it. All arrays that are views of the memory
/// share the Storage.
class Storage final : public device::WatchedMemory {
 public:
  /// Memory that has been used only in the order of `stream` so far.
  Storage(memory::Buffer memory, StreamRef stream)
      : buffer(std::move(memory)),
        handle(device::Location(buffer).handle),
        home_(std::move(stream)),
        stream_(home_) {}
  /// Allocates undefined memory of the device's pool for a dense layout from offset 0 on. Reports
  /// say that the memory was allocated at `site`. Throws OutOfMemory.
  static Ref<Storage> dense(const StreamRef& stream, const Layout& layout, const DType& dtype,
                            const LaunchSite& site = launch_site());
  /// Allocates the same from `allocator`.
  static Ref<Storage> dense(const StreamRef& stream, const Layout& layout, const DType& dtype,
                            Allocator& allocator);
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  void add_reference() noexcept { references_.fetch_add(1, std::memory_order_relaxed); }
  void remove_reference() noexcept {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

  /// The number of references.
  std::uint32_t owners() const noexcept { return references_.load(std::memory_order_acquire); }

  // A thread announces work when the work's order is settled, and queues the work later, without
  // the lock. Work that conflicts with announced work waits until that is queued. The caller of
  // these functions holds the context's lock.
  /// Whether conflicting work is announced and not queued yet.
  bool is_held_up(device::MemoryUse use) const noexcept {
    return unqueued_writes_ != 0 || (use == device::MemoryUse::writes && unqueued_reads_ != 0);
  }
  /// Orders the next work of `stream`: a reader after the last writer, a writer after all readers.
  /// Must not be called while the use is held up.
  void order(const StreamRef& stream, device::MemoryUse use);
  /// Announces a use.
  void announce(device::MemoryUse use) noexcept { ++unqueued(use); }
  void end_announced(device::MemoryUse use) noexcept { --unqueued(use); }
  /// Orders the streams for a use. Before a write, first computes the pending nodes that read the
  /// memory.
  void before_use(device::Stream& stream, device::MemoryUse use) override;
  /// The stream that changed the memory last. Before the first change, the stream of the
  /// allocation.
  const StreamRef& stream() const noexcept { return stream_; }
  /// How often work that writes has been ordered.
  std::uint64_t writes() const noexcept { return writes_.load(std::memory_order_acquire); }

  /// How many bytes the memory of `other` begins behind this memory; none where the two have no
  /// byte in common. Memory that others own may be adopted twice, and then has two storages.
  std::optional<std::int64_t> distance_to(const Storage& other) const;

  /// The place of the first element of a layout. The memory does not count as escaped.
  device::Location first_element(const Layout& layout) const {
    return device::Location(buffer) + static_cast<std::uint64_t>(layout.offset_bytes());
  }

  const memory::Buffer buffer;
  const std::uint64_t handle;  ///< of the allocation; 0 for no bytes
  /// Counts operands of pending nodes that are views of this memory. Read without the lock, because
  /// most often there are none.
  std::atomic<std::uint32_t> pending = 0;
  std::shared_ptr<Allocator> allocator;  ///< results inherit it; null: the pool

 private:
  ~Storage();
  void order_read(const StreamRef& stream);
  void order_write(const StreamRef& stream);
  std::uint32_t& unqueued(device::MemoryUse use) noexcept {
    return use == device::MemoryUse::writes ? unqueued_writes_ : unqueued_reads_;
  }

  std::atomic<std::uint32_t> references_ = 1;
  std::atomic<std::uint64_t> writes_ = 0;
  std::uint32_t unqueued_reads_ = 0, unqueued_writes_ = 0;
  StreamRef home_;                  // the pool takes the memory back in its order
  StreamRef stream_;                // of the last writer
  std::vector<StreamRef> readers_;  // other streams that have read since
};

}  // namespace treadle::array

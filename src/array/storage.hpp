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

/// A share in an object with add_reference() and remove_reference(): a shared_ptr of one word,
/// whose count lies in the object.
template <class T>
class Ref {
 public:
  Ref() = default;
  /// Takes over a share that the caller has.
  static Ref adopt(T* object) noexcept {
    Ref ref;
    ref.object_ = object;
    return ref;
  }
  /// One share more.
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

/// Later work of `second` comes after what is queued on `first` by now. Null comes before all.
void order(const StreamRef& first, const StreamRef& second);

/// One allocation, shared by all arrays that are views of it, with what is known of the work on it.
class Storage final : public device::WatchedMemory {
 public:
  /// Of memory that is used in the order of `stream` so far.
  Storage(memory::Buffer memory, StreamRef stream)
      : buffer(std::move(memory)),
        handle(device::Location(buffer).handle),
        home_(std::move(stream)),
        stream_(home_) {}
  /// Of the device's pool, undefined, for a dense layout from offset 0 on; reports say that it was
  /// made at `site`. Throws OutOfMemory.
  static Ref<Storage> dense(const StreamRef& stream, const Layout& layout, const DType& dtype,
                            const LaunchSite& site = launch_site());
  /// The same of an allocator's memory.
  static Ref<Storage> dense(const StreamRef& stream, const Layout& layout, const DType& dtype,
                            Allocator& allocator);
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  void add_reference() noexcept { references_.fetch_add(1, std::memory_order_relaxed); }
  void remove_reference() noexcept {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

  /// How many share it.
  std::uint32_t owners() const noexcept { return references_.load(std::memory_order_acquire); }

  // Work is announced when its order is settled, and queued by its thread some time later, without
  // the lock; what conflicts with it is not announced before that. The arrays' lock is held.
  /// Whether work that conflicts with such a use is announced and not queued yet.
  bool is_held_up(device::MemoryUse use) const noexcept {
    return unqueued_writes_ != 0 || (use == device::MemoryUse::writes && unqueued_reads_ != 0);
  }
  /// Makes work that is queued on `stream` next come after what it has to: a reader after the last
  /// writer, a writer after all readers. Not while it is held up.
  void order(const StreamRef& stream, device::MemoryUse use);
  /// From now on it is announced.
  void announce(device::MemoryUse use) noexcept { ++unqueued(use); }
  void end_announced(device::MemoryUse use) noexcept { --unqueued(use); }
  /// Computes pending nodes that read the memory, for a writer, and orders the streams.
  void before_use(device::Stream& stream, device::MemoryUse use) override;
  /// The stream whose work changed the memory last, or for which it was allocated.
  const StreamRef& stream() const noexcept { return stream_; }

  /// How many bytes behind its own begin the memory of `other` begins; none where both have no byte
  /// in common. Memory that others own may be adopted twice, and is two storages then.
  std::optional<std::int64_t> distance_to(const Storage& other) const;

  /// Of the first element of a layout of the memory; tells nobody its address.
  device::Location first_element(const Layout& layout) const {
    return device::Location(buffer) + static_cast<std::uint64_t>(layout.offset_bytes());
  }

  const memory::Buffer buffer;
  const std::uint64_t handle;  ///< of its allocation; 0 for no bytes
  /// Operands of pending nodes that are views of this. Read without the lock: 0 is the usual case.
  std::atomic<std::uint32_t> pending = 0;
  std::shared_ptr<Allocator> allocator;  ///< what results inherit; null: the pool

 private:
  ~Storage();
  void order_read(const StreamRef& stream);
  void order_write(const StreamRef& stream);
  std::uint32_t& unqueued(device::MemoryUse use) noexcept {
    return use == device::MemoryUse::writes ? unqueued_writes_ : unqueued_reads_;
  }

  std::atomic<std::uint32_t> references_ = 1;
  std::uint32_t unqueued_reads_ = 0, unqueued_writes_ = 0;
  StreamRef home_;                  // in whose order the pool takes the memory back
  StreamRef stream_;                // the last writer's
  std::vector<StreamRef> readers_;  // others that have read since
};

}  // namespace treadle::array

// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "array/context_mutex.hpp"
#include "array/node.hpp"
#include "treadle/array/array.hpp"
#include "treadle/device/deferred.hpp"

namespace treadle::array {

/// The stream on which a new array is made.
StreamRef stream_of(const Placement& placement);

/// The state that all arrays of one device share. The device owns its Context.
///
/// Its lock guards the list of pending nodes, evaluation's bookkeeping and the streams that storage
/// remembers. Code that may be a user's - allocators, compilers, launches, destructors of nodes
/// (ContextMutex) - is not called under the lock. A walk through nodes holds the lock, and a node
/// becomes a leaf under it: so no operand becomes a leaf during a walk.
class Context final : public device::DeferredWork {
 public:
  explicit Context(device::Device& device) : device_(device) {}

  /// The context of a device.
  static Context& of(device::Device& device);

  device::Device& device() const noexcept { return device_; }
  /// The stream for work that names no stream: the thread's current stream of the device, or else
  /// the device's default stream. Returns `likely` itself if that is the stream.
  StreamRef stream(const StreamRef& likely) const;

  /// Appends a pending node to the list. The node must have its operands already.
  void enlist(Node& node);
  /// Takes a node from the list, because the node becomes a leaf or ends. The caller holds the
  /// lock.
  void unlist(Node& node) noexcept;
  /// Returns a new number of a kernel, for Node::computed_in. The caller holds the lock.
  std::uint32_t next_kernel() noexcept { return ++kernels_; }
  /// Computes the pending nodes that read the memory and have a handle.
  void compute_readers(const Storage& storage);

  /// Whether a pending node reads the memory. The caller holds the lock.
  static bool reads(const Node& node, const Storage& storage);

  void before_write(device::Location location, device::Stream* writer) override;
  void before_mark(device::Stream* stream) override;
  void before_growth(std::size_t size_bytes) noexcept override;
  void reclaim() noexcept override;

  /// Counts how often code outside of the library has learned an address of memory while nodes were
  /// pending. The search for readers of that memory misses a node that is being recorded at the
  /// moment; the count tells the recording thread.
  std::uint32_t escapes() const noexcept { return escapes_.load(); }

  ContextMutex mutex;
  /// Notified when a node is no longer `computing`, and when announced work has been queued.
  std::condition_variable changed;

 private:
  template <class Wanted>
  std::vector<NodeRef> compute_where(Cut why, Wanted wanted);
  /// Computes pending nodes that keep more memory alive than their results take, if that frees at
  /// least `least_bytes`. Returns the number of bytes that this frees or, without computing, would
  /// free.
  std::size_t relieve(std::size_t least_bytes);
  std::size_t relieved(std::size_t least_bytes) noexcept;
  void tell_device() noexcept { device_.set_deferred(first_ != nullptr ? this : nullptr); }

  device::Device& device_;
  mutable std::atomic<const device::Stream*> default_stream_ = nullptr;  // null until it is needed
  std::atomic<std::size_t> growth_bytes_ = 0;                            // see before_growth()
  std::atomic<std::uint32_t> escapes_ = 0;
  std::uint32_t kernels_ = 0;
  Node *first_ = nullptr, *last_ = nullptr;  // pending nodes in the order they were made
};

/// Announces a use of memory by work that is no fused kernel. The calling thread queues the work on
/// a stream while this object lives. The constructor orders the stream after earlier work.
class AnnouncedUse {
 public:
  AnnouncedUse(Context& context, Storage& storage, const StreamRef& stream, device::MemoryUse use);
  ~AnnouncedUse();
  AnnouncedUse(const AnnouncedUse&) = delete;
  AnnouncedUse& operator=(const AnnouncedUse&) = delete;

 private:
  Context& context_;
  Ref<Storage> storage_;
  device::MemoryUse use_;
};

/// Throws InvalidArgument unless all arrays of an operation belong to one device and one context.
void require_one_context(std::string_view operation, const Context& one, const Context& other);

}  // namespace treadle::array

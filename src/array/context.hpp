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

/// Where the work of a new array goes.
StreamRef stream_of(const Placement& placement);

/// What arrays of one device share. Lives as long as the device, which keeps it.
///
/// Its lock guards the list of pending nodes, evaluation's bookkeeping and the streams that storage
/// remembers. Nothing that may run code of others is called under it: allocators, compilers,
/// launches, destructors of nodes (ContextMutex). An argument of a pending node cannot become a
/// leaf unnoticed, because both happen under the lock.
class Context final : public device::DeferredWork {
 public:
  explicit Context(device::Device& device) : device_(device) {}

  /// That of a device.
  static Context& of(device::Device& device);

  device::Device& device() const noexcept { return device_; }
  /// Where work goes that names no stream: the thread's current stream of the device, else its
  /// default stream. `likely` is given back where it is that one.
  StreamRef stream(const StreamRef& likely) const;

  /// Makes a pending node known that has operands now.
  void enlist(Node& node);
  /// The reverse, when it becomes a leaf or ends; the lock is held.
  void unlist(Node& node) noexcept;
  /// A number that no kernel had before, for Node::computed_in; the lock is held.
  std::uint32_t next_kernel() noexcept { return ++kernels_; }
  /// Computes pending nodes that arrays stand for and that read the memory.
  void compute_readers(const Storage& storage);

  /// Whether a pending node reads the memory; the lock is held.
  static bool reads(const Node& node, const Storage& storage);

  void before_write(device::Location location, device::Stream* writer) override;
  void before_mark(device::Stream* stream) override;
  void before_growth(std::size_t size_bytes) noexcept override;
  void reclaim() noexcept override;

  /// How often code that the library does not see has learned where memory is, while anything was
  /// pending. Nodes that are being recorded are not found then.
  std::uint32_t escapes() const noexcept { return escapes_.load(); }

  ContextMutex mutex;
  /// A node is not `computing` any more, or announced work is queued.
  std::condition_variable changed;

 private:
  template <class Wanted>
  std::vector<NodeRef> compute_where(Cut why, Wanted wanted);
  /// Computes pending nodes that keep more memory than they take, if that frees so many bytes.
  /// Returns how many it frees, or would.
  std::size_t relieve(std::size_t least_bytes);
  std::size_t relieved(std::size_t least_bytes) noexcept;
  void tell_device() noexcept { device_.set_deferred(first_ != nullptr ? this : nullptr); }

  device::Device& device_;
  mutable std::atomic<const device::Stream*> default_stream_ = nullptr;  // once it was asked for
  std::atomic<std::size_t> growth_bytes_ = 0;                            // see before_growth()
  std::atomic<std::uint32_t> escapes_ = 0;
  std::uint32_t kernels_ = 0;
  Node *first_ = nullptr, *last_ = nullptr;  // pending nodes in the order they were made
};

/// A use of memory by work that this thread queues on a stream within its lifetime, beside the
/// fused kernels: ordered, and announced.
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

/// Throws InvalidArgument unless the arrays of an operation are of one device and context.
void require_one_context(std::string_view operation, const Context& one, const Context& other);

}  // namespace treadle::array

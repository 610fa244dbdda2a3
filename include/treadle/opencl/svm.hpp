// SPDX-License-Identifier: MIT
// Shared virtual memory: one address for host and devices. Coarse-grained memory belongs to one of
// them at a time, and is mapped for the host; fine-grained memory both may use at once. Kernels
// take it as SharedMemory, or by address as SharedPointer.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "treadle/opencl/kernel.hpp"
#include "treadle/opencl/transfer.hpp"

namespace treadle::opencl {

/// Shared virtual memory of a context, owned. Its end frees it after all that was enqueued by this
/// library in the context and may use it, and, bound to a queue, after all that was enqueued there;
/// it does not wait. One thread at a time.
class SharedMemory {
 public:
  SharedMemory() = default;  ///< owns nothing
  /// `alignment` in bytes, a power of two; 0: that of the largest type. Zero bytes own nothing and
  /// have no address. Throws, before the platform is asked, DeviceError CL_INVALID_OPERATION where
  /// no device of the context has the memory that `flags` want, CL_INVALID_VALUE for an alignment;
  /// NotSupported before OpenCL 2.0; OutOfMemory.
  SharedMemory(const Context& context, std::size_t size_bytes,
               SvmMemFlags flags = SvmMemFlags::read_write, std::size_t alignment = 0);
  SharedMemory(SharedMemory&& other) noexcept;
  SharedMemory& operator=(SharedMemory&& other) noexcept;
  ~SharedMemory();

  /// The address on host and devices; null of zero bytes. Throws InvalidState once freed.
  void* data() const;
  /// As it was made; stays when it is freed.
  std::size_t size_bytes() const noexcept { return size_bytes_; }
  /// Where it was made; stays when it is freed.
  const Context& context() const noexcept { return context_; }
  /// Whether it was freed, moved from or never made.
  bool is_freed() const noexcept { return !is_live_; }

  /// From now on freed after what is enqueued in `queue`, which starts after what is enqueued in
  /// the queue it was bound to before. Throws InvalidArgument for a queue that is out of order,
  /// where that says nothing; DeviceError CL_INVALID_CONTEXT for one of another context;
  /// InvalidState once freed.
  void bind_to_queue(const Queue& queue);
  /// Waits for the queue it is bound to, if there is one, and is freed at once from now on.
  void unbind_from_queue();
  /// Null if it is bound to none.
  const Queue* queue() const noexcept { return queue_ ? &*queue_ : nullptr; }

  /// Frees it as its end does. Throws InvalidState the second time.
  void free();
  /// Frees it after what is enqueued in `queue` and after `order.after`; of zero bytes a marker.
  /// Throws DeviceError CL_INVALID_CONTEXT for a queue of another context.
  Event enqueue_free(const Queue& queue, const Order& order = {});

 private:
  void end() noexcept;
  void free_after_uses();
  void require_live() const;

  Context context_;
  std::optional<Queue> queue_;
  void* data_ = nullptr;
  std::size_t size_bytes_ = 0;
  bool is_live_ = false;
};

/// An address of shared virtual memory, or with fine-grained system memory any of the host's, as
/// argument of a kernel. Owns nothing.
struct SharedPointer {
  const void* address;  ///< may lie in the middle of an allocation
};
template <>
struct KernelArgument<SharedPointer> {
  static ArgumentView of(const SharedPointer& pointer) noexcept {
    return {ArgumentView::Kind::svm, sizeof(void*), pointer.address};
  }
};
/// The memory. Throws InvalidState if it was freed.
template <>
struct KernelArgument<SharedMemory> {
  static ArgumentView of(const SharedMemory& memory) {
    return {ArgumentView::Kind::svm, sizeof(void*), memory.data(), memory.context().raw()};
  }
};

/// Copies bytes; either side may be shared memory or the host's. Without blocking both must live
/// until the event is done. Throws InvalidArgument for ranges of different sizes, DeviceError
/// CL_MEM_COPY_OVERLAP for those that overlap, CL_INVALID_CONTEXT for shared memory of another
/// context than the queue's; the last do fill_shared() and map_shared(), too.
Event copy_shared(const Queue& queue, HostRange to, ConstHostRange from, const Order& order = {},
                  Blocking blocking = Blocking::yes);
/// Repeats `pattern`, of a power of two of bytes up to 128, over shared memory, whose address and
/// size are multiples of its size. `pattern` is copied before the call returns. Throws DeviceError
/// CL_INVALID_VALUE, before the platform is asked, where they are not. NVIDIA's driver (580) keeps
/// the context, some 500 MB, until the process ends.
Event fill_shared(const Queue& queue, HostRange to, ConstHostRange pattern,
                  const Order& order = {});
/// Gives coarse-grained memory to the host, for reading or writing as `flags` say, until
/// unmap_shared() of the same address. Does nothing to fine-grained memory.
Event map_shared(const Queue& queue, MapFlags flags, HostRange memory, const Order& order = {},
                 Blocking blocking = Blocking::yes);
/// Gives it back to the devices.
Event unmap_shared(const Queue& queue, void* address, const Order& order = {});
/// Memory that is mapped while this lives, and then given back. One thread at a time.
class SharedMapping {
 public:
  /// As map_shared(). The memory must live as long.
  SharedMapping(const Queue& queue, MapFlags flags, HostRange memory, const Order& order = {},
                Blocking blocking = Blocking::yes);
  SharedMapping(SharedMapping&& other) noexcept;
  SharedMapping& operator=(SharedMapping&& other) noexcept;
  ~SharedMapping();

  /// Usable once event() is done, until unmap(). Throws InvalidState after that.
  std::span<std::byte> bytes() const;
  /// As many whole T as there is room for. Throws as bytes().
  template <class T>
  std::span<T> as() const {
    const auto all = bytes();
    return {reinterpret_cast<T*>(all.data()), all.size() / sizeof(T)};
  }
  /// When the memory is there; done already if the map was blocking.
  const Event& event() const noexcept { return event_; }
  /// False after unmap(), and where it was moved from.
  bool is_mapped() const noexcept { return is_mapped_; }
  /// Gives the memory back to the devices. Throws InvalidState if that was done before.
  Event unmap(const Order& order = {});

 private:
  Queue queue_;
  std::span<std::byte> memory_;
  Event event_;
  bool is_mapped_ = false;
};
/// Moves whole allocations to the queue's device, or with MemMigrationFlags::host to the host.
/// Needs OpenCL 2.1.
Event migrate_shared(const Queue& queue, std::span<const void* const> addresses,
                     MemMigrationFlags flags = {}, const Order& order = {});

/// Tells a kernel which shared memory it reaches through pointers that lie in other memory. Each
/// call replaces what the last one told.
void use_shared_indirectly(const Kernel& kernel, std::span<const void* const> addresses);

}  // namespace treadle::opencl

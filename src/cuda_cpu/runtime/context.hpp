// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cuda_cpu/runtime/device_heap.hpp"
#include "cuda_cpu/runtime/driver_api.hpp"
#include "cuda_cpu/runtime/handles.hpp"

namespace treadle::cuda_cpu {

class Stream;

/// Description of a fault; null: there was none. Shared by all who may still read it.
using FaultText = std::shared_ptr<const std::string>;

/// Owner of streams, events, modules and memory. A fault in one of its kernels stays with it until
/// it is destroyed; other contexts of the process go on.
class Context {
 public:
  Context(bool is_primary, unsigned context_flags);

  CUcontext handle = nullptr;
  const bool primary;
  const std::uint64_t id;
  std::atomic<unsigned> flags;
  std::atomic<CUfunc_cache> cache_config{CU_FUNC_CACHE_PREFER_NONE};
  std::atomic<bool> destroyed{false};
  /// The program has asked to end all work (stop_signal.hpp); the error follows.
  std::atomic<bool> ending{false};
  /// The watchdog has asked for it: only the kernel that ran too long reports the timeout.
  std::atomic<bool> timed_out{false};
  /// All of its kernels so far note what they write (written_bytes.hpp); or one does not.
  std::atomic<bool> notes_writes{false}, has_unnoted_writes{false};

  /// Launches by kernels that have not ended.
  std::atomic<std::size_t> pending_launches{0};

  /// CUDA_SUCCESS, or the sticky error of a kernel that faulted.
  CUresult error() const noexcept { return error_.load(std::memory_order_acquire); }
  /// The first fault wins; `text` names kernel, block and thread.
  void fail(CUresult code, const std::string& text);
  /// The program ended the work, and no kernel was running that could be named.
  void fail_ended();
  /// Null until the first fault, and constant after it.
  FaultText fault_text() const;

  std::size_t limit(CUlimit which) const { return limits_[which].load(std::memory_order_relaxed); }
  void set_limit(CUlimit which, std::size_t value) {
    limits_[which].store(value, std::memory_order_relaxed);
  }
  /// For malloc() in kernels; limited by CU_LIMIT_MALLOC_HEAP_SIZE.
  KernelHeap kernel_heap;

  /// The legacy default stream; null once the context is destroyed.
  std::shared_ptr<Stream> legacy_stream() const;
  void add_stream(std::shared_ptr<Stream> stream);
  void drop_drained_streams();
  std::vector<std::shared_ptr<Stream>> streams() const;
  /// Visits the streams without copying the list. Lock order: the scheduler's mutex first, then
  /// this one.
  template <class Visit>
  void for_each_stream(Visit&& visit) const {
    const std::lock_guard lock(streams_mutex_);
    for (const auto& stream : streams_) visit(*stream);
  }

  /// Waits for all work, then takes everything the context owns out of the registries and frees it.
  void destroy();

 private:
  std::atomic<CUresult> error_{CUDA_SUCCESS};
  FaultText fault_text_;
  mutable std::mutex fault_mutex_;
  std::array<std::atomic<std::size_t>, CU_LIMIT_MAX> limits_{};
  mutable std::mutex streams_mutex_;
  std::vector<std::shared_ptr<Stream>> streams_;  // [0] is the legacy stream
};

using ContextHandles = HandleRegistry<Context, CUcontext, HandleKind::context>;
ContextHandles& context_handles();

/// The live context behind a handle; CUDA_ERROR_INVALID_CONTEXT, or CUDA_ERROR_CONTEXT_IS_DESTROYED
/// for a primary context that is not active.
CUresult find_context(CUcontext handle, std::shared_ptr<Context>& context);

/// The context that now stands behind the primary handle, if `context` is primary and was reset;
/// else `context`.
std::shared_ptr<Context> renewed(std::shared_ptr<Context> context);

}  // namespace treadle::cuda_cpu

// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "cuda_cpu/runtime/context.hpp"
#include "cuda_cpu/runtime/stream_order.hpp"

namespace treadle::cuda_cpu {

class Command;
class StreamCapture;

/// What cuStreamSetAttribute was given. Thread-safe.
class StreamAttributes {
 public:
  void set(CUstreamAttrID attribute, const CUstreamAttrValue& value);
  /// Zeros for one that was not set.
  CUstreamAttrValue get(CUstreamAttrID attribute) const;
  void copy_from(const StreamAttributes& other);

 private:
  mutable std::mutex mutex_;
  std::map<CUstreamAttrID, CUstreamAttrValue> values_;
};

/// Commands in order. `first`, `last` and `order` are guarded by the scheduler's mutex.
class Stream {
 public:
  Stream(std::shared_ptr<Context> owner, unsigned stream_flags, int stream_priority,
         bool is_legacy);

  CUstream handle = nullptr;
  const std::shared_ptr<Context> context;
  const unsigned flags;
  const int priority;
  const bool legacy;
  const std::uint64_t id;
  StreamAttributes attributes;

  /// Whether this stream and the legacy default stream wait for each other.
  bool blocking() const { return !legacy && (flags & CU_STREAM_NON_BLOCKING) == 0; }

  /// Whether what is queued becomes nodes of a graph: then `capture` says of which.
  std::atomic<bool> capturing{false};
  std::shared_ptr<StreamCapture> capture;  ///< guarded by the lock of capture.cpp

  /// Destroyed by its owner, or its thread has ended: removed once its queue is empty.
  std::atomic<bool> abandoned{false};

  Command* first = nullptr;
  Command* last = nullptr;
  StreamOrder order;
  std::atomic<std::uint64_t> submitted{0};
  /// Commands finished so far: position p of the stream is done when completed >= p.
  std::atomic<std::uint64_t> completed{0};
  /// Kernels up to this position are wanted no more: see cancel_kernels().
  std::atomic<std::uint64_t> cancelled{0};
  bool idle() const {
    return completed.load(std::memory_order_acquire) >= submitted.load(std::memory_order_acquire);
  }
};

using StreamHandles = HandleRegistry<Stream, CUstream, HandleKind::stream>;
StreamHandles& stream_handles();

/// The stream a call means: null and CU_STREAM_LEGACY, CU_STREAM_PER_THREAD, or a created one.
/// CUDA_ERROR_INVALID_HANDLE if the handle is stale or belongs to another context.
CUresult resolve_stream(const std::shared_ptr<Context>& context, CUstream handle,
                        std::shared_ptr<Stream>& stream);

inline constexpr int least_priority = 0;
inline constexpr int greatest_priority = -5;

}  // namespace treadle::cuda_cpu

// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <mutex>

#include "cuda_cpu/runtime/command.hpp"
#include "cuda_cpu/runtime/ipc_event.hpp"

namespace treadle::cuda_cpu {

struct CapturedPoint;

class Event {
 public:
  Event(std::shared_ptr<Context> owner, unsigned event_flags,
        std::shared_ptr<SharedMark> mark = nullptr)
      : context(std::move(owner)), flags(event_flags), shared(std::move(mark)) {}

  const std::shared_ptr<Context> context;
  const unsigned flags;
  const std::shared_ptr<SharedMark> shared;  ///< of CU_EVENT_INTERPROCESS, else null
  bool timed() const { return (flags & CU_EVENT_DISABLE_TIMING) == 0; }

  /// Where it was last recorded; null before the first time.
  std::shared_ptr<StreamPoint> point() const {
    const std::lock_guard lock(mutex_);
    return point_;
  }
  void set_point(std::shared_ptr<StreamPoint> point) {
    const std::lock_guard lock(mutex_);
    point_ = std::move(point);
    captured_.reset();
  }
  /// Where it was recorded last, if that was in a stream that captures; else null.
  std::shared_ptr<const CapturedPoint> captured() const {
    const std::lock_guard lock(mutex_);
    return captured_;
  }
  void set_captured(std::shared_ptr<const CapturedPoint> captured) {
    const std::lock_guard lock(mutex_);
    captured_ = std::move(captured);
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<StreamPoint> point_;
  std::shared_ptr<const CapturedPoint> captured_;
};

using EventHandles = HandleRegistry<Event, CUevent, HandleKind::event>;
EventHandles& event_handles();

}  // namespace treadle::cuda_cpu

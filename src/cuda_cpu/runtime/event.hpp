// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <mutex>

#include "cuda_cpu/runtime/command.hpp"

namespace treadle::cuda_cpu {

class Event {
 public:
  Event(std::shared_ptr<Context> owner, unsigned event_flags)
      : context(std::move(owner)), flags(event_flags) {}

  const std::shared_ptr<Context> context;
  const unsigned flags;
  bool timed() const { return (flags & CU_EVENT_DISABLE_TIMING) == 0; }

  /// Where it was last recorded; null before the first time.
  std::shared_ptr<StreamPoint> point() const {
    const std::lock_guard lock(mutex_);
    return point_;
  }
  void set_point(std::shared_ptr<StreamPoint> point) {
    const std::lock_guard lock(mutex_);
    point_ = std::move(point);
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<StreamPoint> point_;
};

using EventHandles = HandleRegistry<Event, CUevent, HandleKind::event>;
EventHandles& event_handles();

}  // namespace treadle::cuda_cpu

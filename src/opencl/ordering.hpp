// SPDX-License-Identifier: MIT
// The last three arguments of every enqueue.
#pragma once

#include "treadle/opencl/queue.hpp"
#include "treadle/opencl/table.hpp"

namespace treadle::opencl {

/// Holds an Order in the form entry points take, and makes their event an Event.
class Ordering {
 public:
  explicit Ordering(const Order& order) noexcept : order_(order) {}
  cl_uint count() const noexcept { return order_.after.size(); }
  const RawEvent* list() const noexcept { return order_.after.data(); }
  RawEvent* event() noexcept { return order_.without_event ? nullptr : &event_; }
  /// The event of a command that was enqueued in `queue`; empty if none was wanted.
  Event take(const Queue& queue) const {
    if (event_ == nullptr) return {};
    return {queue.shared_table(), event_, Ownership::adopt};
  }

 private:
  const Order& order_;
  RawEvent event_ = nullptr;
};

}  // namespace treadle::opencl

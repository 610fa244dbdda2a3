// SPDX-License-Identifier: MIT
// Which work may use shared virtual memory: platforms do not keep it for work that does, and no
// launch says which of it the kernel reaches.
#pragma once

#include <atomic>
#include <vector>

#include "treadle/opencl/queue.hpp"

namespace treadle::opencl {

/// Allocations of shared virtual memory of all contexts that are alive.
inline std::atomic<int> svm_allocations{0};

/// Work that may use shared memory of the queue's context was enqueued.
void note_svm_use_now(const Queue& queue);
inline void note_svm_use(const Queue& queue) {
  if (svm_allocations.load(std::memory_order_relaxed) != 0) [[unlikely]]
    note_svm_use_now(queue);
}
/// An object of C++ for the queue is about to end, and perhaps the queue; its work goes on.
void note_svm_queue_end(const Context& context, const Handle<RawQueue>& queue) noexcept;
/// Marks behind all that was noted since the context had no allocation, but of `left_out`, and has
/// not ended. It was handed to the devices.
std::vector<Event> svm_uses(const Context& context, const Queue* left_out);
/// Counts an allocation of the context; the reverse forgets what was noted with the last.
void add_svm(RawContext context);
void remove_svm(RawContext context) noexcept;

}  // namespace treadle::opencl

// SPDX-License-Identifier: MIT
#include "cuda_cpu/runtime/command.hpp"

#include <chrono>

#include "cuda_cpu/runtime/ipc_event.hpp"

namespace treadle::cuda_cpu {

std::int64_t monotonic_nanoseconds() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

TaskCommand::TaskCommand(std::function<void(std::uint64_t)> work, std::uint64_t pieces)
    : Command(Kind::work), work_(std::move(work)), pieces_(pieces) {}

/// Pieces are claimed one by one, not dealt: a thread that comes late, or is slow, takes fewer.
bool TaskCommand::run() {
  while (true) {
    const std::uint64_t piece = next_.fetch_add(1, std::memory_order_relaxed);
    if (piece >= pieces_) return true;
    work_(piece);
  }
}

void MarkerCommand::finished() {
  if (!point_) return;
  point_->nanoseconds.store(monotonic_nanoseconds(), std::memory_order_relaxed);
  point_->marker = nullptr;
  if (point_->shared) point_->shared->reach(point_->shared_number);
}

}  // namespace treadle::cuda_cpu

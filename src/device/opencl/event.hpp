// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>

#include "treadle/device/event.hpp"
#include "treadle/opencl/event.hpp"
#include "treadle/opencl/queue.hpp"

namespace treadle::device {

/// The latest command that was recorded in it: a marker, or the command whose end it is.
class OpenclEvent final : public Event {
 public:
  /// `event` is what is recorded at first, if anything is.
  OpenclEvent(std::shared_ptr<Device> device, Timing timing, opencl::Event event = {})
      : Event(std::move(device)), timing_(timing), event_(std::move(event)) {}

  void synchronize() override;
  bool is_done() override;

  /// Replaces what is recorded. `unflushed` is the queue of the command if that was not flushed
  /// since: a flush costs more than an event, and most events are waited for in their own queue.
  void set(opencl::Event event, std::shared_ptr<const opencl::Queue> unflushed);
  /// What is recorded, for whoever will ask or wait for it; empty if nothing is.
  opencl::Event recorded() const { return recorded_for(nullptr); }
  /// The same for a command of `queue`, which itself needs no flush to reach it.
  opencl::Event recorded_for(const opencl::Queue* queue) const;

 private:
  double elapsed_seconds(const Event& start) override;
  std::uint64_t end_time() const;

  Timing timing_;
  mutable std::mutex mutex_;  // guards what follows, never held while waiting
  opencl::Event event_;
  mutable std::shared_ptr<const opencl::Queue> unflushed_;
};

}  // namespace treadle::device

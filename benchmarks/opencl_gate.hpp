// SPDX-License-Identifier: MIT
#pragma once

#include <treadle/opencl/queue.hpp>

namespace bench {

/// Keeps a queue's commands waiting while it lives, so that the host is timed and no device
/// competes for its cores. Opened whatever happens: a queue that waits for ever is one that drivers
/// wait for when the process ends.
class Gate {
 public:
  explicit Gate(const treadle::opencl::Queue& queue) : queue_(queue), event_(queue.context()) {
    queue.marker({.after = event_});
  }
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;
  ~Gate() {
    event_.set_status(0);
    queue_.finish();
  }

 private:
  const treadle::opencl::Queue& queue_;
  treadle::opencl::UserEvent event_;
};

}  // namespace bench

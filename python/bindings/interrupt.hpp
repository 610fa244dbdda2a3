// SPDX-License-Identifier: MIT
// Waiting for the device with the GIL released, so that other Python threads run, and so that
// Ctrl-C ends the wait: the work itself stays queued.
#pragma once

#include "treadle/cuda/context.hpp"
#include "treadle/cuda/event.hpp"
#include "treadle/cuda/stream.hpp"

namespace treadle::bindings {

void wait_for(const cuda::Context& context);
void wait_for(const cuda::Stream& stream);
void wait_for(const cuda::Event& event);

/// Runs a blocking call, such as a copy, without the GIL. On the CPU device Ctrl-C ends it, too.
void without_gil(const cuda::Driver& driver, void (*call)(void*), void* data);
template <class F>
void without_gil(const cuda::Driver& driver, F&& function) {
  without_gil(
      driver, [](void* data) { (*static_cast<std::remove_reference_t<F>*>(data))(); },
      static_cast<void*>(&function));
}

}  // namespace treadle::bindings

// SPDX-License-Identifier: MIT
// Waiting for the device with the GIL released, so that other Python threads run, and so that
// Ctrl-C ends the wait: the work itself stays queued.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>
#include <utility>

#include "treadle/cuda/context.hpp"
#include "treadle/cuda/event.hpp"
#include "treadle/cuda/launch.hpp"
#include "treadle/cuda/stream.hpp"

namespace treadle::bindings {

/// What a wait refers to: kept alive by it, for a wait that Ctrl-C left goes on in the background.
using Owner = std::shared_ptr<const void>;
/// Owns the Python object that a stream or an event belongs to. Needs the GIL.
Owner python_owner(nanobind::handle object);

void wait_for(const cuda::Context& context);
void wait_for(const cuda::Stream& stream, Owner owner);
void wait_for(const cuda::Event& event, Owner owner);
void wait_for_default_stream(const cuda::Context& context);

/// How much work of a kernel was seen to be done in no time, so that a wait for it need not be one
/// that Ctrl-C can leave: those cost a hand-over to another thread on the CPU device.
struct QuickWork {
  std::uint64_t threads = 0;  ///< grid times block
  std::uint64_t age = 0;      ///< of the knowledge; see note_unknown_work
};
/// Counts the waits that took long: what was known before one of them is forgotten. Guarded by the
/// GIL.
extern std::uint64_t quick_work_age;
/// Remembers, until the next wait, that nobody knows how long this launch takes.
void note_unknown_work(std::shared_ptr<QuickWork> work, std::uint64_t threads);
/// Call before each launch.
inline void note_launch(const std::shared_ptr<QuickWork>& work, const cuda::LaunchConfig& config) {
  const auto threads = std::uint64_t{config.grid.x} * config.grid.y * config.grid.z *
                       config.block.x * config.block.y * config.block.z;
  if (work->age != quick_work_age || threads > work->threads) [[unlikely]]
    note_unknown_work(work, threads);
}

/// Runs a blocking copy or fill without the GIL. It comes after the work queued on the default
/// stream: that is the part that may take long, and Ctrl-C ends it.
template <class F>
void without_gil(const cuda::Context& context, F&& function) {
  wait_for_default_stream(context);
  nanobind::gil_scoped_release released;
  function();
}

/// Frees memory without the GIL: the driver may wait for work that uses it. Taken out of `memory`
/// first, so that other threads find it freed.
template <class Memory>
void free_without_gil(Memory& memory) {
  if (memory.is_freed()) return memory.free();  // says so
  Memory leaving = std::move(memory);
  nanobind::gil_scoped_release released;
  leaving.free();
}

}  // namespace treadle::bindings

// SPDX-License-Identifier: MIT
// Shared by all transfers between host memory and a device, of any shape and direction.
#pragma once

#include <span>
#include <utility>

#include "pyopencl/classes.hpp"

namespace treadle::bindings::cl {

/// The arguments that each of these Python calls has.
struct HostTransfer {
  const CommandQueue& queue;
  const MemoryObjectHolder& mem;
  nb::handle hostbuf, wait_for;
  bool is_blocking;
  const char* routine;  ///< the call of OpenCL, for errors
};

/// Whether a blocking transfer of `bytes` ends soon: it is small, and no earlier work is pending
/// that Ctrl-C might have to leave.
bool is_soon_over(const HostTransfer& call, std::size_t bytes);

/// The staging memory of the queue.
std::shared_ptr<opencl::ReadStaging> staging_of(const CommandQueue& queue);

/// Submits a transfer and blocks until it is done; other threads run. Throws nb::python_error if
/// Ctrl-C ends the wait: the transfer goes on, and its memory is kept.
void wait_for_transfer(const opencl::Queue& queue, const opencl::Event& event, nb::handle host);
/// Waits for the last command of `queue`. An in-order queue is then idle.
void wait_for_last(const CommandQueue& queue, const opencl::Event& event, nb::handle host);

/// For memory that uses the host's: notes when the platform frees it.
void note_end_of(MemoryObject& object);

/// Enqueues `transfer(queue, memory, bytes, order, blocking)` and returns its event, which keeps
/// the host's memory. `access` is the access to that memory: reading from the device writes to it.
/// `is_dense`: the transfer uses all bytes of the host's memory.
template <HostBuffer::Access access, class F>
nb::object transfer_host(const HostTransfer& call, F transfer, bool is_dense = false) try {
  const HostBuffer host(call.hostbuf, access, "hostbuf");
  const Events after(call.wait_for);
  const bool is_soon = is_soon_over(call, host.size());
  const opencl::Queue queue = use_queue(call.queue);  // copies: other threads may drop the objects
  const opencl::MemoryObject memory = call.mem.memory();
  opencl::Event event;
  if (access == HostBuffer::write && is_dense && call.is_blocking) {
    const auto read = [&](std::span<std::byte> bytes) {
      event = with_retry(
          [&] { return transfer(queue, memory, bytes, after.order(), opencl::Blocking::no); });
    };
    const auto wait = [&] { wait_for_last(call.queue, event, call.hostbuf); };
    if (staging_of(call.queue)->read(host.bytes(), read, wait))
      return make_ended_transfer(std::move(event), call.hostbuf);
  }
  if (is_soon) {  // OpenCL's own blocking form is fastest, but Ctrl-C cannot end it
    call.queue.is_busy = false;
    return make_ended_transfer(with_retry([&] {
                                 const nb::gil_scoped_release released;
                                 return transfer(queue, memory, host.bytes(), after.order(),
                                                 opencl::Blocking::yes);
                               }),
                               call.hostbuf);
  }
  event = with_retry(
      [&] { return transfer(queue, memory, host.bytes(), after.order(), opencl::Blocking::no); });
  if (!call.is_blocking) return make_nanny_event(std::move(event), call.hostbuf);
  wait_for_last(call.queue, event, call.hostbuf);
  return make_ended_transfer(std::move(event), call.hostbuf);
} catch (const InvalidArgument& refused) {
  raise_refused(refused, call.routine);
}

}  // namespace treadle::bindings::cl

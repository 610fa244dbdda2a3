// SPDX-License-Identifier: MIT
// What every transfer between host memory and a device shares, whatever its shape and direction.
#pragma once

#include <span>
#include <utility>

#include "pyopencl/classes.hpp"

namespace treadle::bindings::cl {

/// The arguments that each such call of Python's has.
struct HostTransfer {
  const CommandQueue& queue;
  const MemoryObjectHolder& mem;
  nb::handle hostbuf, wait_for;
  bool is_blocking;
  const char* routine;  ///< OpenCL's call, which errors name
};

/// Whether a blocking transfer of `bytes` is soon over: it is small, and no earlier work is waiting
/// that Ctrl-C might have to leave.
bool is_soon_over(const HostTransfer& call, std::size_t bytes);

/// That of the queue.
std::shared_ptr<opencl::ReadStaging> staging_of(const CommandQueue& queue);

/// Hands a transfer over and blocks until it is done, while other threads run. Throws
/// nb::python_error if Ctrl-C ended the wait: the transfer goes on, and its memory stays in place.
void wait_for_transfer(const opencl::Queue& queue, const opencl::Event& event, nb::handle host);
/// The same of the last command of `queue`, which has nothing to do then if it is in order.
void wait_for_last(const CommandQueue& queue, const opencl::Event& event, nb::handle host);

/// For memory that uses the host's: notes when the platform frees it.
void note_end_of(MemoryObject& object);

/// Enqueues `transfer(queue, memory, bytes, order, blocking)` and gives its event, which keeps the
/// host's memory. `access` is what becomes of that: to read from the device is to write to it.
/// `is_dense`: all bytes of the host are read or written.
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
  if (is_soon) {  // OpenCL's own blocking form, which is the fastest, cannot be left
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

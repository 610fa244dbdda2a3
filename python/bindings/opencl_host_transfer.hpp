// SPDX-License-Identifier: MIT
// What every transfer between host memory and a device shares, whatever its shape and direction.
#pragma once

#include <span>
#include <utility>

#include "opencl_classes.hpp"

namespace treadle::bindings::cl {

/// The arguments that each such call of Python's has.
struct HostTransfer {
  const CommandQueue& queue;
  const MemoryObjectHolder& mem;
  nb::handle hostbuf, wait_for;
  bool is_blocking;
};

/// Enqueues `transfer(queue, memory, bytes, order, blocking)` and gives its event, which keeps the
/// host's memory. `access` is what becomes of that: to read from the device is to write to it.
/// Blocking ones let other threads run.
template <HostBuffer::Access access, class F>
nb::object transfer_host(const HostTransfer& call, F transfer) {
  const HostBuffer host(call.hostbuf, access);
  const Events after(call.wait_for);
  const opencl::Queue& queue = use_queue(call.queue);
  const opencl::MemoryObject memory = call.mem.memory();
  opencl::Event event = with_retry([&] {
    if (!call.is_blocking)
      return transfer(queue, memory, host.bytes(), after.order(), opencl::Blocking::no);
    nb::gil_scoped_release released;
    return transfer(queue, memory, host.bytes(), after.order(), opencl::Blocking::yes);
  });
  return make_nanny_event(std::move(event), call.hostbuf);
}

}  // namespace treadle::bindings::cl

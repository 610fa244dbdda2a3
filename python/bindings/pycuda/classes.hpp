// SPDX-License-Identifier: MIT
// The C++ side of pycuda._driver's classes: Treadle's objects under PyCUDA's rules.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <string>

#include "calls/argument.hpp"
#include "errors.hpp"
#include "memory/host_buffer.hpp"
#include "treadle/cuda/context.hpp"
#include "treadle/cuda/event.hpp"
#include "treadle/cuda/memory.hpp"
#include "treadle/cuda/stream.hpp"

namespace treadle::bindings::face {

struct Device {
  cuda::Device device;
};
struct Context {
  cuda::Context context;
};
struct Stream {
  cuda::Stream stream;
};
struct Event {
  cuda::Event event;
};

/// Makes a context and makes it current on the calling thread.
Context make_context(const Device& device, nb::object flags);

/// The current context. Throws pycuda.driver.LogicError in PyCUDA's words if there is none.
cuda::Context current_context();
/// Queues pending arithmetic of arrays on the current context's device, so that marks and waits
/// include all operations that the program has written before them.
void queue_deferred();
/// Throws pycuda.driver.LogicError if the program has not called init().
void require_init(const char* call);
void set_initialized();

/// A member of one of the enumerations in treadle.pycuda._enums.
nb::object enum_member(const char* enumeration, int value);
/// The number of an enumeration's member, given as a member or an int.
int enum_value(nb::handle member, const char* what);

/// A writable view of raw memory. Throws OverflowError or ValueError if there can be no view.
nb::object raw_buffer(cuda::DevicePointer address, nb::handle size, nb::handle offset);

}  // namespace treadle::bindings::face

// SPDX-License-Identifier: MIT
// Contexts, streams and events of other libraries, and of Treadle's own shells and faces, found by
// the attributes of their Python objects.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>

#include "treadle/device/device.hpp"

namespace treadle::bindings {

namespace nb = nanobind;

/// The handle of a stream. `stream` is an integer, or an object with a handle in the form of
/// cuda.core's protocol (`__cuda_stream__`), PyTorch (`cuda_stream`), CuPy (`ptr`), PyCUDA
/// (`handle`) or PyOpenCL (`int_ptr`). An attribute that other objects may have, too, is only used
/// if the object's class is called a stream or a queue. Throws TypeError for other objects,
/// NotSupported for another version of the protocol.
std::uint64_t stream_handle(nb::handle stream);
/// The handle of an event, with the attributes `raw`, `cuda_event`, `ptr`, `handle`, `int_ptr`.
std::uint64_t event_handle(nb::handle event);

/// The Device of a context. `context` is a treadle.cuda.Context, a CUcontext as an integer, an
/// object whose `handle` is a CUcontext (PyCUDA), or an object whose `int_ptr` is a cl_context
/// (PyOpenCL). For a cl_context, `device` chooses a device of the context, and may be None if there
/// is only one.
std::shared_ptr<device::Device> device_of_context(nb::handle context, nb::handle device);

}  // namespace treadle::bindings

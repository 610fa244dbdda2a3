// SPDX-License-Identifier: MIT
// Contexts, streams and events of other libraries and of Treadle's own shells and faces, by what
// their Python objects say of themselves.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>

#include "treadle/device/device.hpp"

namespace treadle::bindings {

namespace nb = nanobind;

/// The handle of a stream: an integer, or an object that has one as cuda.core's protocol
/// (`__cuda_stream__`), PyTorch (`cuda_stream`), CuPy (`ptr`), PyCUDA (`handle`) or PyOpenCL
/// (`int_ptr`) give it; of an attribute that other objects have, too, only if the object's class is
/// called a stream or a queue. Throws TypeError for anything else, NotSupported for another version
/// of the protocol.
std::uint64_t stream_handle(nb::handle stream);
/// The same for an event: `raw`, `cuda_event`, `ptr`, `handle`, `int_ptr`.
std::uint64_t event_handle(nb::handle event);

/// The Device of a context: a treadle.cuda.Context, a CUcontext as an integer, an object whose
/// `handle` (PyCUDA) is one, or one whose `int_ptr` is a cl_context (PyOpenCL); there `device` says
/// which of the context's, and may be None if it has but one.
std::shared_ptr<device::Device> device_of_context(nb::handle context, nb::handle device);

}  // namespace treadle::bindings

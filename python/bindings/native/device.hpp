// SPDX-License-Identifier: MIT
// The waist's classes in Python: shared by the bindings of devices, streams, buffers and kernels.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>

#include "treadle/device/event.hpp"
#include "treadle/device/info.hpp"
#include "treadle/device/stream.hpp"
#include "treadle/memory/buffer.hpp"

namespace treadle::bindings {

namespace nb = nanobind;

/// The C++ object if `object` is an instance of the bound class or of a subclass; else null.
const memory::Buffer* as_buffer(PyObject* object);
device::Stream* as_stream(PyObject* object);
device::Event* as_event(PyObject* object);
bool is_instance(PyObject* object, PyTypeObject* type) noexcept;

/// Reads 1 to 3 sizes from an integer or a sequence. Throws TypeError or OverflowError naming
/// `what`.
device::Extent extent_argument(PyObject* object, const char* what);

/// A Python object for a stream. It keeps the device, because nanobind only keeps the stream.
nb::object stream_object(const std::shared_ptr<device::Stream>& stream);
/// The stream for work on `device` that names no stream: the thread's current stream if it belongs
/// to this device, else the device's default stream.
std::shared_ptr<device::Stream> stream_for(device::Device& device);
/// The given stream, or stream_for() if `stream` is None. Throws TypeError if the object is no
/// treadle.Stream.
std::shared_ptr<device::Stream> stream_or_current(nb::handle stream, device::Device& device);

/// Waits without the GIL. Ctrl-C ends the wait, but not the work. The first function also drops
/// objects that copies on any stream kept and that are no longer in use.
void wait_for(device::Stream& stream);
void wait_for(device::Event& event);
/// From now on Ctrl-C ends the waits of the waist, wherever the C++ core waits.
void hear_signals_in_waits() noexcept;

// The following functions bind the classes, each in a file of its own.
void bind_device_info(nb::module_& m);
void bind_device_pool(nb::module_& m);
/// The object that Python calls device.pool.
nb::object pool_of_device(const std::shared_ptr<device::Device>& device);
void bind_events(nb::module_& m);
void bind_streams(nb::module_& m);
void bind_buffers(nb::module_& m);

}  // namespace treadle::bindings

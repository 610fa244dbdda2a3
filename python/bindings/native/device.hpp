// SPDX-License-Identifier: MIT
// The waist as Python has it: what the bindings of devices, streams, buffers and kernels share.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>

#include "treadle/device/event.hpp"
#include "treadle/device/info.hpp"
#include "treadle/device/stream.hpp"
#include "treadle/memory/buffer.hpp"

namespace treadle::bindings {

namespace nb = nanobind;

/// The C++ object if `object` is an instance of the bound class (or of a subclass); else null.
const memory::Buffer* as_buffer(PyObject* object);
device::Stream* as_stream(PyObject* object);
device::Event* as_event(PyObject* object);
bool is_instance(PyObject* object, PyTypeObject* type) noexcept;

/// 1 to 3 sizes: an integer or a sequence. Throws TypeError or OverflowError naming `what`.
device::Extent extent_argument(PyObject* object, const char* what);

/// A stream for Python, which keeps its device: nanobind owns the stream alone.
nb::object stream_object(const std::shared_ptr<device::Stream>& stream);
/// The stream for work on `device` that names none: the thread's current stream, if it is of this
/// device, else the device's default stream.
std::shared_ptr<device::Stream> stream_for(device::Device& device);
/// The same where `stream` is None. Throws TypeError for an object that is no treadle.Stream.
std::shared_ptr<device::Stream> stream_or_current(nb::handle stream, device::Device& device);

/// Wait without the GIL; Ctrl-C ends the wait, not the work. The first also releases what copies on
/// any stream kept alive and is over.
void wait_for(device::Stream& stream);
void wait_for(device::Event& event);
/// From now on waits of the waist obey Ctrl-C, wherever the C++ core comes to them.
void hear_signals_in_waits() noexcept;

// The classes, one file each.
void bind_device_info(nb::module_& m);
void bind_device_pool(nb::module_& m);
/// What Python calls device.pool.
nb::object pool_of_device(const std::shared_ptr<device::Device>& device);
void bind_events(nb::module_& m);
void bind_streams(nb::module_& m);
void bind_buffers(nb::module_& m);

}  // namespace treadle::bindings

// SPDX-License-Identifier: MIT
// Between the waist and the OpenCL shell below it: what only OpenCL has is reached through these,
// and contexts, queues and events of the shell or of other libraries become objects of the waist.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "treadle/device/device.hpp"
#include "treadle/device/driver.hpp"
#include "treadle/device/event.hpp"
#include "treadle/device/kernel.hpp"
#include "treadle/device/location.hpp"
#include "treadle/device/module.hpp"
#include "treadle/device/stream.hpp"

namespace treadle::opencl {
class Buffer;
class Context;
class Device;
class Event;
class Kernel;
class Loader;
class Program;
class Queue;
}  // namespace treadle::opencl

namespace treadle::device {

/// The devices of every platform that a loader knows. A platform that does not answer is passed
/// over with a warning.
std::shared_ptr<Driver> opencl_driver(const opencl::Loader& loader);
/// Those of the system's loader. Throws LibraryNotFound.
std::shared_ptr<Driver> opencl_driver();
/// The id of the device that PYOPENCL_CTX names, "opencl:1:0", by PyOpenCL's rules: of several
/// platforms whose names match the last, of several devices the first. None if it is not set.
/// Throws InvalidArgument listing what there is if nothing matches, LibraryNotFound.
std::optional<std::string> requested_opencl_id();

/// The Device of one device in a context that the shell or another library made; InvalidArgument if
/// the device is none of the context's. One object for each pair, and the native Device for a
/// context that one of those made. It keeps the context. Asking again for the pair that was asked
/// for last costs some 10 ns.
std::shared_ptr<Device> device_of(const opencl::Context& context, const opencl::Device& device);
/// The same without a share in it, for paths where a few nanoseconds count: null where this thread
/// did not ask device_of() for this pair last, or nobody holds the Device any more.
Device* last_device_of(const opencl::Context& context, const opencl::Device& device) noexcept;
/// The waist's object for a queue, which it retains; in order or not. See Device::adopt_stream().
std::shared_ptr<Stream> stream_of(const opencl::Queue& queue);
/// The waist's object for an event, which it retains, on `device`. Throws InvalidArgument for an
/// event of another context, InvalidState for none.
std::shared_ptr<Event> event_of(Device& device, const opencl::Event& event);

/// The object that is wrapped; null if the device is not one of OpenCL's. It lives as long as the
/// wrapping one.
const opencl::Device* opencl_device(const Device& device) noexcept;
/// The context: the one it was adopted in; that of a native device is made by the first call, for
/// that device alone. Null for a device of another run-time.
const opencl::Context* opencl_context(Device& device);
/// Null for a stream of another run-time. A marker of ours stands before what is queued there
/// later: who queued something asks for the queue again, so that the stream is not taken for done.
const opencl::Queue* opencl_queue(const Stream& stream) noexcept;
/// Null for a module of another run-time.
const opencl::Program* opencl_program(const Module& module) noexcept;
/// Null for a kernel of another run-time.
const opencl::Kernel* opencl_kernel(const Kernel& kernel) noexcept;
/// What is recorded in the event now; none if nothing is. Throws InvalidArgument for an event of
/// another run-time.
opencl::Event opencl_event(const Event& event);
/// The buffer that `location` lies in; its offset is not part of it. Throws InvalidState if it is
/// no live memory of `device`, InvalidArgument if that is not one of OpenCL's.
opencl::Buffer opencl_buffer(const Device& device, Location location);

}  // namespace treadle::device

// SPDX-License-Identifier: MIT
// Between the waist and the CUDA shell below it: what only CUDA has is reached through these, and
// contexts, streams and events of the shell or of other libraries become objects of the waist.
#pragma once

#include <cstdint>
#include <memory>

#include "treadle/device/device.hpp"
#include "treadle/device/driver.hpp"
#include "treadle/device/event.hpp"
#include "treadle/device/kernel.hpp"
#include "treadle/device/module.hpp"
#include "treadle/device/stream.hpp"

namespace treadle::cuda {
class Context;
class Driver;
class Event;
class Function;
class Module;
class Stream;
}  // namespace treadle::cuda

namespace treadle::device {

/// The devices of one CUDA driver: NVIDIA's, the CPU device's, or a table a test filled in.
std::shared_ptr<Driver> cuda_driver(const cuda::Driver& driver);
/// NVIDIA's driver, and the CPU device's. Throw LibraryNotFound.
std::shared_ptr<Driver> nvidia_driver();
/// The CPU device's, whatever TREADLE_DEVICE says. Throws LibraryNotFound.
std::shared_ptr<Driver> cpu_driver();

/// The Device of a context: of cuda::Context::create(), of another library (cuda::Context::attach()
/// or wrap()), or, for a primary one, the native Device. One object for each context. It keeps the
/// context alive; after cuda::Context::detach() its memory is gone and what is asked of it throws
/// InvalidState. Asking again for the context that was asked for last costs some 10 ns. Throws
/// InvalidState for a context that was detached.
std::shared_ptr<Device> device_of(const cuda::Context& context);
/// A Device like this one in a new context of its own, which ends with it: what a kernel breaks
/// there is nobody else's. Null for a device of another run-time.
std::shared_ptr<Device> in_new_context(Device& device);
/// As device_of() without a share in it, for paths where a few nanoseconds count: null where this
/// thread did not ask device_of() for this context last, or nobody holds the Device any more.
Device* last_device_of(const cuda::Context& context) noexcept;
/// The Device whose context `address` was allocated in, by any library of the process; null for an
/// address that `driver` does not know, and for memory that belongs to no context.
std::shared_ptr<Device> device_of_address(const cuda::Driver& driver, std::uint64_t address);
/// The waist's object for a stream of the shell, which must outlive its use; see
/// Device::adopt_stream().
std::shared_ptr<Stream> stream_of(const cuda::Stream& stream);
/// The waist's object for an event of the shell, which must outlive its use.
std::shared_ptr<Event> event_of(const cuda::Event& event);

/// The context; null if the device is not one of CUDA's. It lives as long as the device. The
/// primary one of a native device is set up by the first call.
const cuda::Context* cuda_context(Device& device);
/// Null for a stream of another run-time, and for one that was adopted or is the default stream:
/// Stream::raw() is CUstream for each of CUDA's.
const cuda::Stream* cuda_stream(const Stream& stream) noexcept;
/// CUevent; 0 for an event of another run-time.
std::uint64_t cuda_event(const Event& event) noexcept;
/// Null for a module of another run-time.
const cuda::Module* cuda_module(const Module& module) noexcept;
/// Null for a kernel of another run-time.
const cuda::Function* cuda_function(const Kernel& kernel) noexcept;

}  // namespace treadle::device

// SPDX-License-Identifier: MIT
// From the waist to the CUDA shell below it: what only CUDA has is reached through these.
#pragma once

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

/// The object that is wrapped; null if the device is not one of CUDA's. It lives as long as the
/// wrapping one. The context is the device's primary one, set up by the first call.
const cuda::Context* cuda_context(Device& device);
/// Null for a stream of another run-time.
const cuda::Stream* cuda_stream(const Stream& stream) noexcept;
/// Null for an event of another run-time.
const cuda::Event* cuda_event(const Event& event) noexcept;
/// Null for a module of another run-time.
const cuda::Module* cuda_module(const Module& module) noexcept;
/// Null for a kernel of another run-time.
const cuda::Function* cuda_function(const Kernel& kernel) noexcept;

}  // namespace treadle::device

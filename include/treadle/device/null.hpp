// SPDX-License-Identifier: MIT
// A device without hardware: memory on the host, kernels that are found, checked and recorded but
// not run. For tests of what stands above the waist, on machines that have nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "treadle/device/device.hpp"
#include "treadle/device/driver.hpp"
#include "treadle/device/event.hpp"
#include "treadle/device/stream.hpp"

namespace treadle::device {

/// What a null device pretends to be.
struct NullOptions {
  std::uint64_t memory_bytes = std::uint64_t{1} << 30;  ///< allocations beyond it fail
  Language language = Language::cuda_c;  ///< of info(); kernels of either language are found
  Schedule schedule = Schedule::wide;    ///< of info().traits
  bool is_adopted = false;               ///< what Device::is_adopted() says
};

/// A driver of one device, "null".
std::shared_ptr<Driver> null_driver();
/// A device of its own, with a record of its own.
std::shared_ptr<Device> make_null_device(const NullOptions& options = {});

/// The calls to a null device and to what was made on it, in order: "allocate 64",
/// "launch twice 4x1x1 16x1x1". Throws InvalidArgument for any other device.
std::vector<std::string> null_calls(const Device& device);
/// Forgets the calls so far. Throws as null_calls().
void clear_null_calls(Device& device);

/// The `call`-th call from now on to the device, or to what was made on it, that a run-time may
/// refuse fails: with OutOfMemory where memory is asked for, else with DeviceError. 0: none does.
/// Returns how many such calls were made since this was asked last. Throws as null_calls().
std::size_t fail_null_call(Device& device, std::size_t call);

}  // namespace treadle::device

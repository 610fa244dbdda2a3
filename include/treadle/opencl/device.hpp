// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "treadle/opencl/handle.hpp"
#include "treadle/opencl/platform.hpp"

namespace treadle::opencl {

/// The two clocks of Device::timestamps, in nanoseconds, read at nearly the same time.
struct Timestamps {
  std::uint64_t device, host;  ///< the device's clock and the host's
};

/// A device of a platform, or a part of one. A cheap value; any thread.
class Device : public Queries<Device, DeviceInfo> {
 public:
  /// Wraps a device of another library. `table` is its platform's, or the loader's.
  Device(std::shared_ptr<const Table> table, RawDevice raw, Ownership ownership)
      : handle_(std::move(table), raw, ownership) {}

  /// Throws DeviceError CL_INVALID_VALUE for parameters this device does not know.
  InfoValue info(DeviceInfo parameter) const;
  std::string name() const;  ///< without blanks at its ends
  /// One bit or more: a default device says so beside what it is.
  DeviceType type() const;
  Version version() const;           ///< of the standard
  std::size_t total_memory() const;  ///< bytes of global memory
  /// By its whole name: "cl_khr_fp64".
  bool has_extension(std::string_view name) const;
  /// Whose device it is, with the platform's own extensions in its table.
  Platform platform() const;
  /// Parts of this device. `properties` as clCreateSubDevices takes them, for example
  /// {DevicePartitionProperty::equally, 2}; the 0 at the end is added.
  std::vector<Device> create_sub_devices(std::span<const std::intptr_t> properties) const;
  Timestamps timestamps() const;         ///< needs OpenCL 2.1
  std::uint64_t host_timestamp() const;  ///< nanoseconds; needs OpenCL 2.1

  /// For calls of OpenCL itself, without a reference of its own.
  RawDevice raw() const { return handle_.raw(); }
  /// The platform's entry points; valid as long as the device.
  const Table& table() const { return handle_.table(); }
  /// The same, to keep them.
  const std::shared_ptr<const Table>& shared_table() const { return handle_.shared_table(); }
  bool operator==(const Device& other) const noexcept { return handle_ == other.handle_; }

 private:
  Handle<RawDevice> handle_;
};

}  // namespace treadle::opencl

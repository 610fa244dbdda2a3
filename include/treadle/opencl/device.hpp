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
  std::uint64_t device, host;
};

/// A device of a platform, or a part of one. A cheap value; any thread.
class Device : public Queries<Device, DeviceInfo> {
 public:
  Device(std::shared_ptr<const Table> table, RawDevice raw, Ownership ownership)
      : handle_(std::move(table), raw, ownership) {}

  /// Throws DeviceError CL_INVALID_VALUE for parameters this device does not know.
  InfoValue info(DeviceInfo parameter) const;
  std::string name() const;  ///< without blanks at its ends
  DeviceType type() const;
  Version version() const;           ///< of the standard
  std::size_t total_memory() const;  ///< bytes of global memory
  bool has_extension(std::string_view name) const;
  Platform platform() const;
  /// Parts of this device. `properties` as clCreateSubDevices takes them, for example
  /// {DevicePartitionProperty::equally, 2}; the 0 at the end is added.
  std::vector<Device> create_sub_devices(std::span<const std::intptr_t> properties) const;
  Timestamps timestamps() const;         ///< needs OpenCL 2.1
  std::uint64_t host_timestamp() const;  ///< nanoseconds; needs OpenCL 2.1

  RawDevice raw() const { return handle_.raw(); }
  const Table& table() const { return handle_.table(); }
  const std::shared_ptr<const Table>& shared_table() const { return handle_.shared_table(); }
  bool operator==(const Device& other) const noexcept { return handle_ == other.handle_; }

 private:
  Handle<RawDevice> handle_;
};

}  // namespace treadle::opencl

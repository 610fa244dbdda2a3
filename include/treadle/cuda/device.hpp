// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "treadle/cuda/driver.hpp"

namespace treadle::cuda {

/// CUdevice_attribute, every value of the pinned header. device_attributes.def is generated from
/// it.
enum class DeviceAttribute : int {
#define TREADLE_DEVICE_ATTRIBUTE(name, driver_name, value) name = value,
#include "treadle/cuda/device_attributes.def"
#undef TREADLE_DEVICE_ATTRIBUTE
};

/// An attribute and its name in the header without the prefix CU_DEVICE_ATTRIBUTE_, for example
/// "MAX_THREADS_PER_BLOCK".
struct DeviceAttributeName {
  DeviceAttribute attribute;  ///< what Device::attribute() takes
  std::string_view name;      ///< valid as long as the process
};
/// Every attribute once, in the order of their values.
std::span<const DeviceAttributeName> device_attributes() noexcept;

/// Ordered: a later architecture is greater.
struct ComputeCapability {
  int major, minor;  ///< sm_<major><minor>
  auto operator<=>(const ComputeCapability&) const = default;
};

/// A device of one driver. A cheap value; any thread.
class Device {
 public:
  /// The device number `ordinal` of the default driver. Throws as Driver::device.
  explicit Device(int ordinal);
  Device(Driver driver, RawDevice raw) noexcept : driver_(std::move(driver)), raw_(raw) {}
  /// The device with this PCI bus id ("0000:3b:00.0").
  static Device by_pci_bus_id(const std::string& bus_id, const Driver& driver = default_driver());

  /// As the driver calls it: "NVIDIA H200". This and what follows throws DeviceError if the driver
  /// does not answer.
  std::string name() const;
  /// The same device has the same one in every process.
  std::array<std::uint8_t, 16> uuid() const;
  /// "0000:3b:00.0".
  std::string pci_bus_id() const;
  /// The architecture: {9, 0} is sm_90.
  ComputeCapability compute_capability() const;
  std::size_t total_memory() const;  ///< bytes
  /// Its unit is the attribute's own: a count, bytes, kHz, or 0 and 1.
  int attribute(DeviceAttribute attribute) const;
  /// Whether kernels of this device may be given memory of `peer` (Context::enable_peer_access).
  bool can_access_peer(const Device& peer) const;
  /// What to compile for, as compile::Target::parse reads it: "sm_90", or "cpu" for the CPU device.
  std::string target() const;

  /// The driver it belongs to.
  const Driver& driver() const noexcept { return driver_; }
  /// The driver's number of the device: CUdevice.
  RawDevice raw() const noexcept { return raw_; }
  bool operator==(const Device&) const = default;

 private:
  Driver driver_;
  RawDevice raw_;
};

}  // namespace treadle::cuda

// SPDX-License-Identifier: MIT
#include "treadle/cuda/device.hpp"

#include <algorithm>
#include <cstring>

#include "treadle/cuda/table.hpp"

namespace treadle::cuda {
namespace {

constexpr DeviceAttributeName attribute_names[] = {
#define TREADLE_DEVICE_ATTRIBUTE(name, driver_name, value) {DeviceAttribute::name, #driver_name},
#include "treadle/cuda/device_attributes.def"
#undef TREADLE_DEVICE_ATTRIBUTE
};

std::string attribute_text(DeviceAttribute attribute) {
  const auto* found =
      std::ranges::find(attribute_names, attribute, &DeviceAttributeName::attribute);
  return found != std::end(attribute_names) ? std::string(found->name)
                                            : std::to_string(static_cast<int>(attribute));
}

}  // namespace

std::span<const DeviceAttributeName> device_attributes() noexcept { return attribute_names; }

Device::Device(int ordinal) : Device(default_driver().device(ordinal)) {}

Device Device::by_pci_bus_id(const std::string& bus_id, const Driver& driver) {
  driver.initialize();
  const Table& cu = driver.table();
  RawDevice raw = 0;
  check(cu, cu.cuDeviceGetByPCIBusId(&raw, bus_id.c_str()), "cuDeviceGetByPCIBusId",
        [&] { return "there is no device at \"" + bus_id + "\""; });
  return {driver, raw};
}

std::string Device::name() const {
  const Table& cu = driver_.table();
  char text[256] = "";
  check(cu, cu.cuDeviceGetName(text, sizeof text, raw_), "cuDeviceGetName");
  return text;
}

std::array<std::uint8_t, 16> Device::uuid() const {
  const Table& cu = driver_.table();
  CUuuid uuid{};
  check(cu, cu.cuDeviceGetUuid(&uuid, raw_), "cuDeviceGetUuid");
  std::array<std::uint8_t, 16> bytes{};
  std::memcpy(bytes.data(), uuid.bytes, sizeof uuid.bytes);
  return bytes;
}

std::string Device::pci_bus_id() const {
  const Table& cu = driver_.table();
  char text[32] = "";
  check(cu, cu.cuDeviceGetPCIBusId(text, sizeof text, raw_), "cuDeviceGetPCIBusId");
  return text;
}

ComputeCapability Device::compute_capability() const {
  return {attribute(DeviceAttribute::compute_capability_major),
          attribute(DeviceAttribute::compute_capability_minor)};
}

std::size_t Device::total_memory() const {
  const Table& cu = driver_.table();
  std::size_t bytes = 0;
  check(cu, cu.cuDeviceTotalMem(&bytes, raw_), "cuDeviceTotalMem");
  return bytes;
}

int Device::attribute(DeviceAttribute attribute) const {
  const Table& cu = driver_.table();
  int value = 0;
  check(cu, cu.cuDeviceGetAttribute(&value, static_cast<CUdevice_attribute>(attribute), raw_),
        "cuDeviceGetAttribute", [&] { return attribute_text(attribute); });
  return value;
}

bool Device::can_access_peer(const Device& peer) const {
  if (driver_ != peer.driver_) return false;
  const Table& cu = driver_.table();
  int answer = 0;
  check(cu, cu.cuDeviceCanAccessPeer(&answer, raw_, peer.raw_), "cuDeviceCanAccessPeer");
  return answer != 0;
}

std::string Device::target() const {
  if (driver_.provider() == Provider::cpu) return "cpu";
  const auto [major, minor] = compute_capability();
  return "sm_" + std::to_string(major) + std::to_string(minor);
}

}  // namespace treadle::cuda

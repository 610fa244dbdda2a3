// SPDX-License-Identifier: MIT
#include "treadle/opencl/device.hpp"

#include <algorithm>

#include "opencl/query.hpp"
#include "opencl/version.hpp"

namespace treadle::opencl {

InfoValue Device::info(DeviceInfo parameter) const {
  return query_object(table(), "clGetDeviceInfo", table().clGetDeviceInfo, raw(), parameter);
}

std::string Device::name() const {
  const std::string name = get<DeviceInfo::name>();
  const auto first = name.find_first_not_of(' '), last = name.find_last_not_of(' ');
  return first == std::string::npos ? "" : name.substr(first, last - first + 1);
}

DeviceType Device::type() const { return static_cast<DeviceType>(get<DeviceInfo::type>()); }
std::size_t Device::total_memory() const { return get<DeviceInfo::global_mem_size>(); }

Version Device::version() const {
  return parse_version(table(), "clGetDeviceInfo", get<DeviceInfo::version>());
}

bool Device::has_extension(std::string_view name) const {
  return std::ranges::count(split_words(get<DeviceInfo::extensions>(), ' '), name) > 0;
}

Platform Device::platform() const {
  // Devices that were wrapped with a loader's table know their platform only by asking.
  if (table().platform != nullptr) return Platform(shared_table());
  const RawPlatform raw = get<DeviceInfo::platform>();
  // The system's loader has made the table of each platform already, by hundreds of look-ups.
  const bool is_loaded = !table().library.empty();
  if (is_loaded && Loader::system().shared_table() == shared_table())
    return Loader::system().platform(raw);
  return Platform(load_platform_table(table(), raw));
}

std::vector<Device> Device::create_sub_devices(std::span<const std::intptr_t> properties) const {
  std::vector<cl_device_partition_property> list(properties.begin(), properties.end());
  list.insert(list.end(), 2, 0);  // platforms read a value behind each name, if there is one or not
  const auto describe = [&] { return "dividing " + name(); };
  cl_uint count = 0;
  check(table(), table().clCreateSubDevices(raw(), list.data(), 0, nullptr, &count),
        "clCreateSubDevices", describe);
  std::vector<RawDevice> raws(count);
  check(table(), table().clCreateSubDevices(raw(), list.data(), count, raws.data(), nullptr),
        "clCreateSubDevices", describe);
  std::vector<Device> devices;
  for (RawDevice part : raws) devices.emplace_back(shared_table(), part, Ownership::adopt);
  return devices;
}

Timestamps Device::timestamps() const {
  cl_ulong device = 0, host = 0;
  check(table(), table().clGetDeviceAndHostTimer(raw(), &device, &host), "clGetDeviceAndHostTimer");
  return {device, host};
}

std::uint64_t Device::host_timestamp() const {
  cl_ulong host = 0;
  check(table(), table().clGetHostTimer(raw(), &host), "clGetHostTimer");
  return host;
}

}  // namespace treadle::opencl

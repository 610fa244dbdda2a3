// SPDX-License-Identifier: MIT
#include "treadle/cuda/nvml.hpp"

#include <memory>

#include "treadle/base/error.hpp"
#include "treadle/process/library.hpp"

namespace treadle::cuda {
namespace {

using NvmlDevice = void*;
using NvmlResult = int;  // 0 is success

constexpr int nvml_not_found = 6;
constexpr int nvml_invalid_argument = 2;

/// What is needed of NVML's entry points, whose header is not needed for it.
struct Nvml {
  NvmlResult (*device_by_uuid)(const char* uuid, NvmlDevice* device) = nullptr;
  NvmlResult (*device_by_bus_id)(const char* bus_id, NvmlDevice* device) = nullptr;
  NvmlResult (*index)(NvmlDevice device, unsigned* index) = nullptr;
  NvmlResult (*uuid)(NvmlDevice device, char* text, unsigned length) = nullptr;
  NvmlResult (*name)(NvmlDevice device, char* text, unsigned length) = nullptr;
  NvmlResult (*pci_info)(NvmlDevice device, void* info) = nullptr;
  const char* (*error_text)(NvmlResult result) = nullptr;
};

/// nvmlPciInfo_t: what is read of it, and room for the rest.
struct PciInfo {
  char old_bus_id[16];
  unsigned domain, bus, device, pci_device_id, pci_subsystem_id;
  char bus_id[32];
  char more[64];
};

template <class Function>
bool find_symbol(const SharedLibrary& library, Function& function, const char* name) {
  function = reinterpret_cast<Function>(library.symbol(name));
  return function != nullptr;
}

std::unique_ptr<const Nvml> open_nvml() {
  static const std::string candidates[] = {"libnvidia-ml.so.1", "libnvidia-ml.so",
                                           "/usr/lib/wsl/lib/libnvidia-ml.so.1"};
  try {
    SharedLibrary library("libnvidia-ml.so.1", candidates, "it comes with NVIDIA's driver");
    auto nvml = std::make_unique<Nvml>();
    NvmlResult (*start)() = nullptr;
    const bool complete =
        find_symbol(library, start, "nvmlInit_v2") &&
        find_symbol(library, nvml->device_by_uuid, "nvmlDeviceGetHandleByUUID") &&
        find_symbol(library, nvml->device_by_bus_id, "nvmlDeviceGetHandleByPciBusId_v2") &&
        find_symbol(library, nvml->index, "nvmlDeviceGetIndex") &&
        find_symbol(library, nvml->uuid, "nvmlDeviceGetUUID") &&
        find_symbol(library, nvml->name, "nvmlDeviceGetName") &&
        find_symbol(library, nvml->pci_info, "nvmlDeviceGetPciInfo_v3") &&
        find_symbol(library, nvml->error_text, "nvmlErrorString");
    if (!complete || start() != 0) return nullptr;
    library.keep_loaded();
    return nvml;
  } catch (const LibraryNotFound&) {
    return nullptr;
  }
}

void check_nvml(const Nvml& nvml, NvmlResult result, const char* call) {
  if (result != 0)
    throw DeviceError({.code = result,
                       .code_name = "NVML_ERROR_" + std::to_string(result),
                       .call = call,
                       .driver_text = nvml.error_text(result)});
}

}  // namespace

std::string uuid_text(const std::array<std::uint8_t, 16>& uuid) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text = "GPU";
  for (std::size_t i = 0; i < uuid.size(); ++i) {
    if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += digits[uuid[i] >> 4];
    text += digits[uuid[i] & 15];
  }
  return text;
}

std::optional<NvmlIdentity> nvml_identity(const Device& device) {
  if (device.driver().provider() != Provider::nvidia) return std::nullopt;
  static const std::unique_ptr<const Nvml> nvml = open_nvml();
  if (nvml == nullptr) return std::nullopt;
  NvmlDevice found = nullptr;
  NvmlResult result = nvml->device_by_uuid(uuid_text(device.uuid()).c_str(), &found);
  // The UUID of a part of a device begins with MIG.
  if (result == nvml_not_found || result == nvml_invalid_argument)
    result = nvml->device_by_bus_id(device.pci_bus_id().c_str(), &found);
  check_nvml(*nvml, result, "nvmlDeviceGetHandleByUUID");
  NvmlIdentity identity;
  char text[128] = "";
  check_nvml(*nvml, nvml->index(found, &identity.index), "nvmlDeviceGetIndex");
  check_nvml(*nvml, nvml->uuid(found, text, sizeof text), "nvmlDeviceGetUUID");
  identity.uuid = text;
  check_nvml(*nvml, nvml->name(found, text, sizeof text), "nvmlDeviceGetName");
  identity.name = text;
  PciInfo info{};
  check_nvml(*nvml, nvml->pci_info(found, &info), "nvmlDeviceGetPciInfo_v3");
  identity.bus_id = info.bus_id;
  return identity;
}

}  // namespace treadle::cuda

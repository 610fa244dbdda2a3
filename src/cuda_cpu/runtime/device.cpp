// SPDX-License-Identifier: MIT
#include "cuda_cpu/runtime/device.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "cuda_cpu/runtime/array.hpp"
#include "cuda_cpu/runtime/entry.hpp"
#include "cuda_cpu/runtime/machine.hpp"

using namespace treadle::cuda_cpu;

namespace {

constexpr const char* pci_bus_id = "0000:00:00.0";

/// For calls that name the device: `body()` once the ordinal is known to be ours.
template <class Body>
CUresult with_device(CUdevice device, Body&& body) {
  return with_process(
      [&]() -> CUresult { return device != 0 ? CUDA_ERROR_INVALID_DEVICE : body(); });
}

/// Attributes that depend on this machine.
bool machine_attribute(CUdevice_attribute attribute, int& value) {
  const Machine& here = machine();
  switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
      value = static_cast<int>(here.threads);
      return true;
    case CU_DEVICE_ATTRIBUTE_CLOCK_RATE:
    case CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE:
      value = static_cast<int>(here.clock_khz);
      return true;
    case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE:
      value = static_cast<int>(here.level2_cache_bytes);
      return true;
    default:
      return false;
  }
}

/// Whether it is a family of calls that the device has.
constexpr bool is_supported(CUdevice_attribute attribute) {
  switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS:
    case CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR:
    case CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED:
      return true;
    default:
      return false;
  }
}

/// What the device's design fixes. Everything else, clusters and sharing between processes among
/// it, is absent: 0.
int fixed_attribute(CUdevice_attribute attribute) {
  switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      return max_threads_per_block;
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X:
      return max_block_size[0];
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y:
      return max_block_size[1];
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z:
      return max_block_size[2];
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X:
      return max_grid_size[0];
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y:
      return max_grid_size[1];
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z:
      return max_grid_size[2];
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK:
      return shared_per_block;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR:
      return shared_per_block_optin;
    case CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY:
      return constant_memory;
    case CU_DEVICE_ATTRIBUTE_WARP_SIZE:
      return static_cast<int>(warp_size);
    case CU_DEVICE_ATTRIBUTE_MAX_PITCH:
      return max_pitch;
    // Registers do not limit a launch here; programs divide by these numbers to choose a block
    // size.
    case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK:
    case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR:
      return 65536;
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR:
      return 2 * max_threads_per_block;
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR:
      return 32;
    case CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT:
    case CU_DEVICE_ATTRIBUTE_SURFACE_ALIGNMENT:
      return memory_alignment;
    case CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT:
      return texture_pitch_alignment;
    case CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH:
      return 64;
    case CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT:
      return 2;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
      return capability_major;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
      return capability_minor;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_MODE:
      return CU_COMPUTEMODE_DEFAULT;
    case CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO:
      return 2;
    case CU_DEVICE_ATTRIBUTE_NUMA_ID:
    case CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID:
      return -1;
    case CU_DEVICE_ATTRIBUTE_GPU_OVERLAP:
    case CU_DEVICE_ATTRIBUTE_INTEGRATED:
    case CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY:
    case CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS:
    case CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH:
    case CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING:
    case CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_GLOBAL_L1_CACHE_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_LOCAL_L1_CACHE_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY:
    case CU_DEVICE_ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS:
    case CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS:
    case CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM:
    case CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES:
    case CU_DEVICE_ATTRIBUTE_DIRECT_MANAGED_MEM_ACCESS_FROM_HOST:
    case CU_DEVICE_ATTRIBUTE_READ_ONLY_HOST_REGISTER_SUPPORTED:
      return 1;
    default:
      return is_supported(attribute) ? 1 : texture_attribute(attribute);
  }
}

CUresult fill_uuid(CUuuid* uuid) {
  if (uuid == nullptr) return CUDA_ERROR_INVALID_VALUE;
  // The same on every run of one machine, and told apart from a GPU's: a name, not a secret.
  std::string name = "treadle-cpu:" + machine().processor;
  name.resize(std::max(name.size(), sizeof uuid->bytes), '.');
  for (std::size_t i = 0; i < name.size(); ++i) {
    char& byte = uuid->bytes[i % sizeof uuid->bytes];
    byte = static_cast<char>(i < sizeof uuid->bytes ? name[i] : byte * 31 + name[i]);
  }
  return CUDA_SUCCESS;
}

}  // namespace

CUresult cuInit(unsigned flags) {
  return guarded([&]() -> CUresult {
    if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
    if (process_forked()) return CUDA_ERROR_NOT_INITIALIZED;
    initialize_process();
    return CUDA_SUCCESS;
  });
}

CUresult cuDriverGetVersion(int* version) {
  if (version == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *version = driver_version;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  return with_process([&]() -> CUresult {
    if (device == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (ordinal != 0) return CUDA_ERROR_INVALID_DEVICE;
    *device = 0;
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetCount(int* count) {
  return with_process([&]() -> CUresult {
    if (count == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *count = 1;
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetName(char* name, int length, CUdevice device) {
  return with_device(device, [&]() -> CUresult {
    if (name == nullptr || length <= 0) return CUDA_ERROR_INVALID_VALUE;
    const std::string& text = machine().processor;
    const std::size_t copied = std::min(text.size(), static_cast<std::size_t>(length) - 1);
    std::memcpy(name, text.data(), copied);
    name[copied] = '\0';
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice device) {
  return with_device(device, [&] { return fill_uuid(uuid); });
}

#undef cuDeviceGetUuid
TREADLE_CPU_EXPORT CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice device) {
  return cuDeviceGetUuid_v2(uuid, device);
}

CUresult cuDeviceTotalMem(size_t* bytes, CUdevice device) {
  return with_device(device, [&]() -> CUresult {
    if (bytes == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *bytes = machine().memory_bytes;
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
  return with_device(device, [&]() -> CUresult {
    if (value == nullptr || attribute <= 0 || attribute >= CU_DEVICE_ATTRIBUTE_MAX)
      return CUDA_ERROR_INVALID_VALUE;
    if (!machine_attribute(attribute, *value)) *value = fixed_attribute(attribute);
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetPCIBusId(char* text, int length, CUdevice device) {
  return with_device(device, [&]() -> CUresult {
    const std::size_t needed = std::strlen(pci_bus_id) + 1;
    if (text == nullptr || length < static_cast<int>(needed)) return CUDA_ERROR_INVALID_VALUE;
    std::memcpy(text, pci_bus_id, needed);
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetByPCIBusId(CUdevice* device, const char* text) {
  return with_process([&]() -> CUresult {
    if (device == nullptr || text == nullptr) return CUDA_ERROR_INVALID_VALUE;
    // [domain:]bus:device[.function], each part as short as its writer likes.
    unsigned part[4] = {0, 0, 0, 0};
    const int read = std::sscanf(text, "%x:%x:%x.%x", &part[0], &part[1], &part[2], &part[3]);
    const int read_short =
        read >= 3 ? read : std::sscanf(text, "%x:%x.%x", &part[1], &part[2], &part[3]);
    if (read_short < 2) return CUDA_ERROR_INVALID_VALUE;
    if (part[0] != 0 || part[1] != 0 || part[2] != 0 || part[3] != 0)
      return CUDA_ERROR_INVALID_DEVICE;
    *device = 0;
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceCanAccessPeer(int* can, CUdevice device, CUdevice peer) {
  return with_device(device, [&]() -> CUresult {
    if (can == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (peer != 0) return CUDA_ERROR_INVALID_DEVICE;
    *can = 0;  // as CUDA answers for a device and itself
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetP2PAttribute(int*, CUdevice_P2PAttribute, CUdevice source, CUdevice) {
  // Asked of two devices; there is only one.
  return with_device(source, [&]() -> CUresult { return CUDA_ERROR_INVALID_DEVICE; });
}

CUresult cuDeviceGetExecAffinitySupport(int* supported, CUexecAffinityType type, CUdevice device) {
  return with_device(device, [&]() -> CUresult {
    if (supported == nullptr || type < 0 || type >= CU_EXEC_AFFINITY_TYPE_MAX)
      return CUDA_ERROR_INVALID_VALUE;
    *supported = 0;
    return CUDA_SUCCESS;
  });
}

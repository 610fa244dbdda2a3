// SPDX-License-Identifier: MIT
#include "device/cuda/info.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "treadle/cuda/context.hpp"
#include "treadle/cuda/table.hpp"

namespace treadle::device {
namespace {

std::string version_text(int version) {
  return "CUDA " + std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

/// Reads attributes of a device. What a driver does not know is 0.
class Attributes {
 public:
  explicit Attributes(const cuda::Device& device) : device_(device) {}

  unsigned number(cuda::DeviceAttribute name) const {
    int value = 0;
    const cuda::Table& cu = device_.driver().table();
    const int code =
        cu.cuDeviceGetAttribute(&value, static_cast<CUdevice_attribute>(name), device_.raw());
    return code == CUDA_SUCCESS && value > 0 ? static_cast<unsigned>(value) : 0;
  }
  bool flag(cuda::DeviceAttribute name) const { return number(name) != 0; }
  Extent extent(const std::array<cuda::DeviceAttribute, 3>& names) const {
    return {number(names[0]), number(names[1]), number(names[2])};
  }

 private:
  const cuda::Device& device_;
};

DeviceLimits limits_of(const cuda::Device& device, const Attributes& ask) {
  using enum cuda::DeviceAttribute;
  DeviceLimits limits;
  limits.max_groups = ask.extent({max_grid_dim_x, max_grid_dim_y, max_grid_dim_z});
  limits.max_group_size = ask.extent({max_block_dim_x, max_block_dim_y, max_block_dim_z});
  limits.max_group_items = ask.number(max_threads_per_block);
  limits.local_memory_bytes = ask.number(max_shared_memory_per_block);
  limits.opt_in_local_memory_bytes = std::max<std::uint64_t>(
      ask.number(max_shared_memory_per_block_optin), limits.local_memory_bytes);
  limits.compute_unit_local_bytes = ask.number(max_shared_memory_per_multiprocessor);
  limits.compute_unit_registers = ask.number(max_registers_per_multiprocessor);
  limits.compute_unit_items = ask.number(max_threads_per_multiprocessor);
  limits.max_allocation_bytes = device.total_memory();
  // CUDA 12.1 raised it, for architectures since Volta.
  const bool is_large =
      device.driver().version() >= 12010 && device.compute_capability().major >= 7;
  limits.parameter_bytes = is_large ? 32764 : 4096;
  limits.l2_bytes = ask.number(l2_cache_size);
  limits.allocation_alignment = 256;  // what the driver promises for every allocation
  return limits;
}

DeviceTraits traits_of(const cuda::Device& device, const Attributes& ask, bool is_cpu) {
  using enum cuda::DeviceAttribute;
  const auto capability = device.compute_capability();
  DeviceTraits traits;
  traits.sub_group_width = ask.number(warp_size);
  traits.sub_group_operations = true;
  traits.fp16 = capability >= cuda::ComputeCapability{5, 3};
  traits.fp64 = traits.exact_division = true;
  traits.atomics_64 = true;
  traits.generic_address_space = true;
  // Blocks that were started run on; threads of a warp do so since Volta.
  traits.forward_progress = capability.major >= 7;
  traits.unified_memory = is_cpu || ask.flag(integrated);
  traits.schedule = is_cpu ? Schedule::narrow : Schedule::wide;
  traits.cooperative_launch = ask.flag(cooperative_launch);
  traits.module_globals = true;
  traits.kernel_occupancy = true;
  return traits;
}

DevicePerformance performance_of(const Attributes& ask, bool is_cpu) {
  using enum cuda::DeviceAttribute;
  DevicePerformance performance;
  performance.compute_units = ask.number(multiprocessor_count);
  performance.clock_hz = 1e3 * ask.number(clock_rate);
  if (is_cpu) return performance;
  // Two transfers a clock, each as wide as the bus.
  performance.bandwidth_bytes_per_s =
      2e3 * ask.number(memory_clock_rate) * ask.number(global_memory_bus_width) / 8;
  if (performance.bandwidth_bytes_per_s > 0) performance.bandwidth = Figure::stated;
  return performance;
}

}  // namespace

DeviceInfo cuda_device_info(const cuda::Device& device) {
  const bool is_cpu = device.driver().provider() == cuda::Provider::cpu;
  const Attributes ask(device);
  DeviceInfo info;
  info.id = is_cpu ? "cpu" : "cuda:" + std::to_string(device.raw());
  info.name = device.name();
  info.runtime = version_text(device.driver().version());
  info.kind = is_cpu ? DeviceKind::cpu : DeviceKind::gpu;
  info.memory_bytes = device.total_memory();
  info.language = Language::cuda_c;
  info.target = device.target();
  info.limits = limits_of(device, ask);
  info.traits = traits_of(device, ask, is_cpu);
  info.performance = performance_of(ask, is_cpu);
  return info;
}

}  // namespace treadle::device

// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <string_view>
#include <utility>

#include "device/opencl/device.hpp"
#include "treadle/base/error.hpp"
#include "treadle/opencl/platform.hpp"
#include "treadle/opencl/program_binary.hpp"
#include "treadle/opencl/table.hpp"

namespace treadle::device {
namespace {

using enum opencl::DeviceInfo;

DeviceKind kind_of(opencl::DeviceType type) {
  if ((type & opencl::DeviceType::gpu) != opencl::DeviceType{}) return DeviceKind::gpu;
  if ((type & opencl::DeviceType::cpu) != opencl::DeviceType{}) return DeviceKind::cpu;
  return DeviceKind::accelerator;
}

/// What some versions and platforms do not tell: 0 or false then.
template <opencl::DeviceInfo Parameter>
opencl::InfoType<Parameter> ask(const opencl::Device& device) {
  try {
    return device.get<Parameter>();
  } catch (const DeviceError&) {
    return {};
  }
}

DeviceLimits limits_of(const opencl::Device& device) {
  DeviceLimits limits;
  constexpr unsigned many = 0x7FFFFFFF;  // OpenCL sets no limit
  limits.max_groups = {many, many, many};
  std::array<unsigned, 3> sizes = {1, 1, 1};
  const auto allowed = device.get<max_work_item_sizes>();
  for (std::size_t i = 0; i < std::min(sizes.size(), allowed.size()); ++i)
    sizes[i] = static_cast<unsigned>(std::min<std::uint64_t>(allowed[i], many));
  limits.max_group_size = {sizes[0], sizes[1], sizes[2]};
  limits.max_group_items = static_cast<unsigned>(device.get<max_work_group_size>());
  limits.local_memory_bytes = device.get<local_mem_size>();
  limits.opt_in_local_memory_bytes = limits.local_memory_bytes;
  // Of a group, which on NVIDIA's devices may have all that there are.
  limits.compute_unit_registers = static_cast<unsigned>(ask<registers_per_block_nv>(device));
  limits.max_allocation_bytes = device.get<max_mem_alloc_size>();
  limits.parameter_bytes = device.get<max_parameter_size>();
  limits.l2_bytes =
      ask<global_mem_cache_type>(device) == CL_NONE ? 0 : ask<global_mem_cache_size>(device);
  // OpenCL tells bits. The one rule is for where allocations start and where parts of one may.
  limits.allocation_alignment = std::max<std::size_t>(device.get<mem_base_addr_align>() / 8, 1);
  limits.offset_alignment = limits.allocation_alignment;
  if (device.has_extension("cl_khr_priority_hints")) {
    limits.least_priority = 1;  // low, medium and high
    limits.greatest_priority = -1;
  }
  return limits;
}

unsigned sub_group_width_of(const opencl::Device& device) {
  const auto told = ask<warp_size_nv>(device);
  return static_cast<unsigned>(told != 0 ? told : ask<wavefront_width_amd>(device));
}

bool has_generic_address_space(const opencl::Device& device) {
  const int major = device.version().major;  // optional from 3.0 on
  return major == 2 || (major > 2 && ask<generic_address_space_support>(device));
}

/// The standard promises nothing. NVIDIA's GPUs never suspend a group that started, and PoCL gives
/// each group a thread of the host until the group ends.
bool has_forward_progress(const opencl::Device& device, DeviceKind kind) {
  constexpr std::uint64_t nvidia = 0x10DE;  // of PCI
  if (kind == DeviceKind::gpu) return device.get<vendor_id>() == nvidia;
  return kind == DeviceKind::cpu && device.platform().name() == "Portable Computing Language";
}

DeviceTraits traits_of(const opencl::Device& device, DeviceKind kind) {
  DeviceTraits traits;
  traits.sub_group_width = sub_group_width_of(device);
  traits.sub_group_operations = device.has_extension("cl_khr_subgroup_shuffle") &&
                                device.has_extension("cl_khr_subgroup_ballot");
  traits.fp16 = device.has_extension("cl_khr_fp16");
  traits.fp64 = device.has_extension("cl_khr_fp64") || ask<double_fp_config>(device) != 0;
  traits.exact_division =
      (ask<single_fp_config>(device) &
       static_cast<std::uint64_t>(opencl::DeviceFpConfig::correctly_rounded_divide_sqrt)) != 0;
  traits.atomics_64 = device.has_extension("cl_khr_int64_base_atomics");
  traits.generic_address_space = has_generic_address_space(device);
  traits.forward_progress = has_forward_progress(device, kind);
  traits.unified_memory = ask<host_unified_memory>(device);
  traits.schedule = kind == DeviceKind::cpu ? Schedule::narrow : Schedule::wide;
  traits.builds_text = true;
  traits.shape_local_memory = false;
  return traits;
}

DeviceInfo info_of(const opencl::Device& device) {
  DeviceInfo info;
  info.name = device.name();
  info.runtime = device.platform().get<opencl::PlatformInfo::version>();
  info.kind = kind_of(device.type());
  info.memory_bytes = device.total_memory();
  info.language = Language::opencl_c;
  info.build_identity = opencl::binary_identity(device);
  info.limits = limits_of(device);
  info.traits = traits_of(device, info.kind);
  info.performance.compute_units = static_cast<unsigned>(device.get<max_compute_units>());
  info.performance.clock_hz = 1e6 * static_cast<double>(device.get<max_clock_frequency>());
  return info;
}

/// The device that this one is a part of; null for a whole one, whose handle is never freed.
opencl::RawDevice parent_of(const opencl::Device& device) { return ask<parent_device>(device); }

std::string id_of(const opencl::Device& device) {
  try {
    opencl::RawDevice whole = device.raw();
    for (auto parent = parent_of(device); parent != nullptr;
         parent = parent_of({device.shared_table(), whole, opencl::Ownership::retain}))
      whole = parent;
    const auto platforms = opencl::Loader::system().platforms();
    for (std::size_t p = 0; p < platforms.size(); ++p) {
      const auto devices = platforms[p].devices();
      const auto found = std::ranges::find(devices, whole, &opencl::Device::raw);
      if (found != devices.end())
        return "opencl:" + std::to_string(p) + ":" + std::to_string(found - devices.begin());
    }
  } catch (const Error&) {
    // A device of a table that was filled in by hand, perhaps, on a machine without OpenCL.
  }
  return "opencl";
}

}  // namespace

DeviceInfo opencl_info(const opencl::Device& device, std::string id) {
  // The entry point is part of the key because a table that was filled in by hand may answer
  // otherwise.
  using Key = std::pair<opencl::RawDevice, decltype(opencl::Table::clGetDeviceInfo)>;
  static auto& mutex = *new std::mutex;  // never destroyed: static objects may look devices up
  static auto& known = *new std::map<Key, DeviceInfo>;
  const auto complete = [&](DeviceInfo& info) {
    if (info.runtime.empty()) info = info_of(device);
    if (id.empty() && info.id.empty()) info.id = id_of(device);
    DeviceInfo result = info;
    if (!id.empty()) result.id = std::move(id);
    return result;
  };
  DeviceInfo of_part;
  if (parent_of(device) != nullptr) return complete(of_part);
  const std::lock_guard lock(mutex);
  return complete(known[{device.raw(), device.table().clGetDeviceInfo}]);
}

}  // namespace treadle::device

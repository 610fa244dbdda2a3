// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "treadle/base/language.hpp"
#include "treadle/base/schedule.hpp"

namespace treadle::device {

/// What does the work.
enum class DeviceKind { gpu, cpu, accelerator, null };
/// "gpu", "cpu", "accelerator" or "null".
std::string_view kind_name(DeviceKind kind) noexcept;

/// Numbers of work-items or groups in up to three dimensions, x the fastest.
struct Extent {
  /// Implicit: a launch over 128 groups says 128.
  constexpr Extent(unsigned size_x = 1, unsigned size_y = 1, unsigned size_z = 1) noexcept
      : x(size_x), y(size_y), z(size_z) {}
  unsigned x, y, z;  ///< of a number of groups, 0 in any runs nothing

  /// All of them. Does not overflow for sizes that a device allows.
  constexpr std::uint64_t count() const noexcept { return std::uint64_t{x} * y * z; }
  /// Whether there are none.
  constexpr bool is_empty() const noexcept { return x == 0 || y == 0 || z == 0; }
  constexpr bool operator==(const Extent&) const = default;
};
/// "16x16x1".
std::string extent_text(const Extent& extent);

/// What a device allows. A compute unit is a multiprocessor or a core; 0 means that the run-time
/// does not tell, unless something else is said.
struct DeviceLimits {
  Extent max_groups;             ///< in each dimension
  Extent max_group_size;         ///< in each dimension
  unsigned max_group_items = 0;  ///< work-items of one group, over all dimensions

  std::uint64_t local_memory_bytes = 0;         ///< that any kernel's group can use
  std::uint64_t opt_in_local_memory_bytes = 0;  ///< that a kernel's group can use on request
  std::uint64_t compute_unit_local_bytes = 0;   ///< shared by the groups on a compute unit
  unsigned compute_unit_registers = 0;          ///< of 32 bits
  unsigned compute_unit_items = 0;              ///< work-items resident at the same time
  std::uint64_t max_allocation_bytes = 0;       ///< of one allocation
  std::size_t parameter_bytes = 0;              ///< of all arguments of a kernel together
  std::uint64_t l2_bytes = 0;                   ///< last cache before device memory
  /// Allocations start at a multiple of this many bytes; at least 1.
  std::size_t allocation_alignment = 1;
  /// An offset of a Location that is passed to a kernel must be a multiple of this many bytes; at
  /// least 1.
  std::size_t offset_alignment = 1;
  /// Priorities of streams: numerically lower is more urgent; both 0 where there are none.
  int least_priority = 0, greatest_priority = 0;
};

using treadle::Schedule;

/// What a device is able to do.
struct DeviceTraits {
  unsigned sub_group_width = 0;        ///< work-items in lockstep (a warp); 0: not told, or several
  bool sub_group_operations = false;   ///< shuffles and votes within a sub-group
  bool fp16 = false;                   ///< arithmetic on half; storage is always possible
  bool fp64 = false;                   ///< arithmetic on double
  bool exact_division = false;         ///< float32 / and sqrt to the last digit, if a build asks
  bool atomics_64 = false;             ///< on 64-bit integers in device memory
  bool generic_address_space = false;  ///< a pointer may point to local or to device memory
  /// A group that waits for an earlier group of the same launch will see its writes: groups that
  /// have started are not kept waiting for ever by those that have not.
  bool forward_progress = false;
  bool unified_memory = false;  ///< host and device share the same physical memory
  Schedule schedule = Schedule::wide;

  bool builds_text = false;  ///< Device::build() compiles text; false: compile_cuda, for `target`
  /// Local memory whose size the launch decides: LaunchShape::local_bytes. False: an argument
  /// Local{bytes} for a `__local` pointer.
  bool shape_local_memory = true;
  bool cooperative_launch = false;  ///< groups of a launch may meet: LaunchShape::cooperative
  bool module_globals = false;      ///< Module::global() finds variables
  bool kernel_occupancy = false;    ///< Kernel::groups_per_compute_unit() has an answer
  bool runs_kernels = true;         ///< false: a launch is checked and recorded, and nothing runs
};

/// Where a figure comes from.
enum class Figure { unknown, stated, measured };
/// "unknown", "stated" or "measured".
std::string_view figure_name(Figure figure) noexcept;

/// How fast a device is.
struct DevicePerformance {
  unsigned compute_units = 0;          ///< multiprocessors, or cores
  double clock_hz = 0;                 ///< of the compute units at most; 0: unknown
  double bandwidth_bytes_per_s = 0;    ///< of device memory, reads and writes together
  Figure bandwidth = Figure::unknown;  ///< `stated`: from bus width and memory clock
};

/// What a device is. Asked from the run-time once.
struct DeviceInfo {
  std::string id;       ///< what TREADLE_DEVICE takes: "cuda:0", "opencl:0:1", "cpu", "null"
  std::string name;     ///< the vendor's: "NVIDIA H200"
  std::string runtime;  ///< with its version: "CUDA 13.0", "OpenCL 3.0 PoCL"
  DeviceKind kind = DeviceKind::null;    ///< as the run-time says; the CPU device is `cpu`
  std::uint64_t memory_bytes = 0;        ///< in all, not what is free
  Language language = Language::cuda_c;  ///< of the kernel text the device takes
  std::string target;                    ///< "sm_90", "cpu"; empty where traits.builds_text
  /// Everything about run-time and device that can change what a build gives, as name and value;
  /// part of cache keys.
  std::vector<std::pair<std::string, std::string>> build_identity;

  DeviceLimits limits;            ///< what it allows
  DeviceTraits traits;            ///< what it can do
  DevicePerformance performance;  ///< how fast it is
};

}  // namespace treadle::device

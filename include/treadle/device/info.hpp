// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "treadle/base/language.hpp"

namespace treadle::device {

/// What does the work.
enum class DeviceKind { gpu, cpu, accelerator, null };
/// "gpu", "cpu", "accelerator" or "null".
std::string_view kind_name(DeviceKind kind) noexcept;

/// Numbers of work-items or groups in up to three dimensions, x the fastest.
struct Extent {
  /// Implicit: a launch over 128 groups says 128.
  constexpr Extent(unsigned size_x = 1, unsigned size_y = 1, unsigned size_z = 1) noexcept
      : x(size_x), y(size_y), z(size_z) {}  // implicit: a launch over 128 groups says 128
  unsigned x, y, z;                         ///< of a number of groups, 0 in any runs nothing

  /// All of them. Does not overflow for sizes that a device allows.
  constexpr std::uint64_t count() const noexcept { return std::uint64_t{x} * y * z; }
  /// Whether there are none.
  constexpr bool is_empty() const noexcept { return x == 0 || y == 0 || z == 0; }
  constexpr bool operator==(const Extent&) const = default;
};
/// "16x16x1".
std::string extent_text(const Extent& extent);

/// What a device is, what it allows, and what it lacks. Asked from the run-time once.
struct DeviceInfo {
  std::string id;       ///< what TREADLE_DEVICE takes: "cuda:0", "opencl:0:1", "cpu", "null"
  std::string name;     ///< the maker's: "NVIDIA H200"
  std::string runtime;  ///< with its version: "CUDA 13.0", "OpenCL 3.0 PoCL"
  DeviceKind kind = DeviceKind::null;  ///< as the run-time says; the CPU device is `cpu`
  std::uint64_t memory_bytes = 0;      ///< in all, not what is free

  Extent max_groups;                     ///< in each dimension
  Extent max_group_size;                 ///< in each dimension
  unsigned max_group_items = 0;          ///< work-items of one group, over all dimensions
  std::uint64_t local_memory_bytes = 0;  ///< that one group can use
  unsigned compute_units = 0;            ///< multiprocessors, or cores
  /// Allocations start at a multiple of this many bytes.
  std::size_t allocation_alignment = 1;
  /// An offset of a Location that is passed to a kernel must be a multiple of this many bytes.
  std::size_t offset_alignment = 1;

  Language language = Language::cuda_c;  ///< of the kernel text the device takes
  /// Device::build() compiles text. False: compile::compile_cuda does, for `target`.
  bool builds_text = false;
  std::string target;  ///< "sm_90", "cpu"; empty where builds_text
  /// Everything about run-time and device that can change what a build gives, as name and value;
  /// part of cache keys.
  std::vector<std::pair<std::string, std::string>> build_identity;

  /// Local memory whose size the launch decides: LaunchShape::local_bytes. False: an argument
  /// Local{bytes} for a `__local` pointer.
  bool has_shape_local_memory = true;
  /// The groups of one launch may meet: LaunchShape::cooperative.
  bool has_cooperative_launch = false;
  /// False: a launch is checked and recorded, and nothing runs.
  bool runs_kernels = true;
};

}  // namespace treadle::device

// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "treadle/cuda/context.hpp"
#include "treadle/cuda/launch.hpp"

namespace treadle::cuda {

class FunctionState;
class ModuleState;

/// CUfunction_attribute.
enum class FunctionAttribute : int {
  max_threads_per_block = 0,
  shared_size_bytes = 1,
  const_size_bytes = 2,
  local_size_bytes = 3,
  num_regs = 4,
  ptx_version = 5,
  binary_version = 6,
  cache_mode_ca = 7,
  max_dynamic_shared_size_bytes = 8,
  preferred_shared_memory_carveout = 9,
  cluster_size_must_be_set = 10,
  required_cluster_width = 11,
  required_cluster_height = 12,
  required_cluster_depth = 13,
  non_portable_cluster_size_allowed = 14,
  cluster_scheduling_policy_preference = 15,
};

/// A kernel of a loaded module, which it keeps loaded. A cheap value; launches from any thread.
class Function {
 public:
  Function(const Function&) = default;  // and no move: every Function can be launched
  Function& operator=(const Function&) = default;

  /// Starts the kernel and returns; errors of the running kernel surface at the next
  /// synchronization, or here with TREADLE_SYNC=1. Arguments are checked first against
  /// parameters(): InvalidArgument names the parameter, its index and both sizes. The module's
  /// context is made current if it is not. Throws LaunchError with the numbers that forbid a block,
  /// grid or amount of shared memory, or a cooperative launch of so many blocks; NotSupported for a
  /// cooperative one, or one with attributes, where the driver is older than CUDA 11.8, and for
  /// clusters on a device without them.
  template <class... Arguments>
  void launch(const LaunchConfig& config, const Arguments&... arguments) const {
    // One spare entry: a kernel without parameters would otherwise need an array of none.
    const void* data[] = {LaunchArgument<Arguments>::data(arguments)..., nullptr};
    static constexpr std::size_t sizes[] = {LaunchArgument<Arguments>::size..., 0};
    launch_checked(config, const_cast<void**>(data), {sizes, sizeof...(Arguments)});
  }
  /// The same for arguments collected at run time.
  void launch(const LaunchConfig& config, ArgumentBuffer& arguments) const {
    launch_unchecked(config, arguments.finish());
  }
  /// The same for callers that have checked the arguments against parameters(): one pointer to
  /// each.
  void launch_unchecked(const LaunchConfig& config, void** arguments) const;
  /// The same for arguments the caller has laid out as the kernel expects them, `size_bytes` in
  /// all. Throws InvalidArgument naming both sizes if the kernel's parameters take another number
  /// of bytes.
  void launch_buffer(const LaunchConfig& config, const void* packed, std::size_t size_bytes) const;

  /// Asked from the driver once.
  const ParameterLayout& parameters() const;
  /// Its unit is the attribute's own: threads, bytes, registers, or 10 * major + minor.
  int attribute(FunctionAttribute attribute) const;
  /// For example max_dynamic_shared_size_bytes, to use more than 48 KiB of shared memory.
  void set_attribute(FunctionAttribute attribute, int value) const;
  /// The preference for later launches of this kernel; devices may ignore it.
  void set_cache_config(CacheConfig config) const;

  /// As a reader knows it: demangled, or the name expression it was asked for by.
  const std::string& name() const noexcept;
  /// As the module's symbol table has it.
  const std::string& symbol() const noexcept;
  /// Where its module was loaded.
  const Context& context() const noexcept;
  /// CUfunction, for calls of the driver itself while this Function or its module lives.
  RawFunction raw() const noexcept;
  /// Whether the module is unloaded where this ends, as Module::is_last().
  bool is_last() const noexcept;
  /// Throws as launch() does for arguments of these sizes in bytes.
  void check_arguments(std::span<const std::size_t> sizes) const;
  /// One for all Functions of this kernel of this module.
  const std::shared_ptr<const FunctionState>& state() const noexcept { return state_; }
  bool operator==(const Function& other) const noexcept { return raw() == other.raw(); }

 private:
  friend class ModuleState;
  friend class TextureReference;
  explicit Function(std::shared_ptr<const FunctionState> state) noexcept
      : state_(std::move(state)) {}
  void launch_checked(const LaunchConfig& config, void** arguments,
                      std::span<const std::size_t> sizes) const;

  std::shared_ptr<const FunctionState> state_;
};

}  // namespace treadle::cuda

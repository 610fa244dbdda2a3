// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "treadle/cuda/function.hpp"
#include "treadle/cuda/module.hpp"
#include "treadle/device/module.hpp"

namespace treadle::device {

/// A kernel as the shell has it.
struct CudaKernel final : KernelState {
  explicit CudaKernel(cuda::Function shell) : function(std::move(shell)) {}
  unsigned resident_groups(unsigned group_items, std::size_t local_bytes) const override;
  /// Asks the driver for so much dynamic shared memory where a kernel has less without asking.
  /// Where the device has less, too, nothing happens: the launch is refused, with the reason. Any
  /// thread.
  void allow_local_bytes(std::size_t bytes) const {
    if (bytes > allowed_local_bytes.load(std::memory_order_relaxed)) [[unlikely]]
      ask_for_local_bytes(bytes);
  }
  cuda::Function function;
  /// What a launch may have; it only grows.
  mutable std::atomic<std::size_t> allowed_local_bytes = 0;

 private:
  void ask_for_local_bytes(std::size_t bytes) const;
  mutable std::mutex mutex_;  // held while it grows
};

/// `kernel` is one of CUDA's.
inline const cuda::Function& function_of(const Kernel& kernel) noexcept {
  return static_cast<const CudaKernel&>(kernel.state()).function;
}

/// A module of the shell.
class CudaModule final : public Module {
 public:
  CudaModule(std::shared_ptr<Device> device, cuda::Module module)
      : Module(std::move(device)), module_(std::move(module)) {}

  Kernel kernel(std::string_view name) override;
  std::vector<std::string> kernel_names() override;
  const cuda::Module& shell() const noexcept { return module_; }

 private:
  Global find_global(std::string_view name) override;

  cuda::Module module_;
};

}  // namespace treadle::device

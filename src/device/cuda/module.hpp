// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
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
  cuda::Function function;
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

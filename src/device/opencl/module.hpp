// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "device/opencl/kernel_list.hpp"
#include "treadle/device/kernel.hpp"
#include "treadle/device/module.hpp"
#include "treadle/opencl/kernel.hpp"
#include "treadle/opencl/program.hpp"

namespace treadle::device {

struct OpenclKernel final : KernelState {
  explicit OpenclKernel(opencl::Kernel shell) : kernel(std::move(shell)) {}
  // Not asked: OpenCL does not tell (traits.kernel_occupancy).
  unsigned resident_groups(unsigned, std::size_t) const override { return 0; }
  opencl::Kernel kernel;
};

inline const opencl::Kernel& shell_of(const Kernel& kernel) noexcept {
  return static_cast<const OpenclKernel&>(kernel.state()).kernel;
}

class OpenclModule final : public Module {
 public:
  OpenclModule(std::shared_ptr<Device> device, opencl::Program program, KernelList kernels)
      : Module(std::move(device)), program_(std::move(program)), kernels_(std::move(kernels)) {}

  Kernel kernel(std::string_view name) override;
  std::vector<std::string> kernel_names() override { return program_.kernel_names(); }
  const opencl::Program& shell() const noexcept { return program_; }

 private:
  Global find_global(std::string_view name) override;
  opencl::Kernel find(std::string_view name);

  opencl::Program program_;
  KernelList kernels_;
};

/// What the kernels of a built program take.
KernelList list_kernels(const opencl::Program& program);

}  // namespace treadle::device

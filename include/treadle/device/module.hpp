// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "treadle/device/kernel.hpp"

namespace treadle::device {

class Device;

/// Code loaded on a device. Its kernels keep it loaded. Any thread.
class Module : public std::enable_shared_from_this<Module> {
 public:
  virtual ~Module() = default;
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  /// Where it is loaded; kept alive by the module.
  Device& device() const noexcept { return *device_; }

  /// The kernel of this name, with its parameters; two calls give equal kernels. On CUDA also a C++
  /// name expression ("scale<float, 4>") or the plain name of a kernel that is not overloaded.
  /// Lifetime: the kernel keeps the module. Lock: any thread may ask, others may launch meanwhile.
  /// Throws DeviceError naming the nearest kernels there are.
  virtual Kernel kernel(std::string_view name) = 0;
  /// As kernel() takes them, in the run-time's order; empty where the run-time cannot list them.
  /// Lock and lifetime as kernel().
  virtual std::vector<std::string> kernel_names() = 0;

 protected:
  explicit Module(std::shared_ptr<Device> device) noexcept : device_(std::move(device)) {}

 private:
  std::shared_ptr<Device> device_;
};

}  // namespace treadle::device

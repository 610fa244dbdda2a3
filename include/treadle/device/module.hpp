// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "treadle/device/kernel.hpp"
#include "treadle/device/location.hpp"

namespace treadle::device {

class Device;

/// A variable of a module, in device memory.
struct Global {
  Location location;           ///< valid while the module is loaded
  std::size_t size_bytes = 0;  ///< of the whole variable, arrays included
};

/// Code loaded on a device. Its kernels keep it loaded. Any thread.
class Module : public std::enable_shared_from_this<Module> {
 public:
  /// Variables that global() found are no longer known memory of the device.
  virtual ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  /// Where it is loaded; kept alive by the module.
  Device& device() const noexcept { return *device_; }

  /// The kernel of this name, with its parameters; two calls give equal kernels. On CUDA also a C++
  /// name expression ("scale<float, 4>") or the plain name of a kernel that is not overloaded.
  /// Lifetime: the kernel keeps the module. Lock: any thread may ask, others may launch meanwhile.
  /// Throws InvalidArgument naming the nearest kernels there are.
  virtual Kernel kernel(std::string_view name) = 0;
  /// As kernel() takes them, in the run-time's order; empty where the run-time cannot list them.
  /// Lock and lifetime as kernel().
  virtual std::vector<std::string> kernel_names() = 0;
  /// The variable of this name; copies and fills take its memory while the module is loaded. Throws
  /// InvalidArgument if there is none, NotSupported where !info().traits.module_globals.
  Global global(std::string_view name);

 protected:
  explicit Module(std::shared_ptr<Device> device) noexcept : device_(std::move(device)) {}

  /// Asked only where info().traits.module_globals; throws InvalidArgument for an unknown name.
  /// Lock and lifetime as kernel().
  virtual Global find_global(std::string_view name) = 0;

 private:
  std::shared_ptr<Device> device_;
  std::mutex mutex_;               // guards what follows
  std::vector<Location> globals_;  // adopted by the device until the module ends
};

}  // namespace treadle::device

// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace treadle::device {

class Device;

/// One run-time system of this machine and the devices it offers. Any thread.
class Driver {
 public:
  virtual ~Driver() = default;
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  /// As the first part of its devices' ids: "cuda", "opencl", "cpu", "null".
  const std::string& name() const noexcept { return name_; }

  /// The devices in the run-time's order. Makes no context, so it is cheap and leaves no trace.
  /// Lock: none is held by the caller, none may be needed. Lifetime: each device keeps what it
  /// needs of the driver; the driver may go before them. While somebody holds the object of a
  /// device, every call gives that one. Throws DeviceError if the run-time does not answer; an
  /// empty list is no error.
  virtual std::vector<std::shared_ptr<Device>> devices() = 0;

 protected:
  explicit Driver(std::string name) : name_(std::move(name)) {}

 private:
  std::string name_;
};

}  // namespace treadle::device

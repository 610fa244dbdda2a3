// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "treadle/opencl/device.hpp"

namespace treadle::opencl {

class ContextState;
class Queue;

/// What a platform reports about an error in a context, when it happens: a text, and data for its
/// vendor. Called on any thread; what it throws becomes a warning.
using ContextNotifier =
    std::function<void(std::string_view text, std::span<const std::byte> private_info)>;

/// The devices that share memory and programs. A cheap value: copies are the same context, which
/// ends with the last of them and of the objects made in it. Any thread.
class Context : public Queries<Context, ContextInfo> {
 public:
  Context() = default;
  /// `properties` are pairs of name and value as clCreateContext takes them; the platform's own
  /// pair and the 0 at the end are added. Throws InvalidArgument for no devices, or devices of
  /// several platforms.
  explicit Context(std::span<const Device> devices, std::span<const std::intptr_t> properties = {},
                   ContextNotifier notifier = {});
  explicit Context(const Device& device) : Context(std::span(&device, 1)) {}
  /// Wraps a context of another library. `table` is its platform's, or the loader's.
  Context(std::shared_ptr<const Table> table, RawContext raw, Ownership ownership);

  /// Throws DeviceError CL_INVALID_VALUE for parameters the platform does not know.
  InfoValue info(ContextInfo parameter) const;
  /// In the order they were given.
  const std::vector<Device>& devices() const;
  /// The one that all of its devices are of.
  Platform platform() const;
  /// The queue that kernels on `device` enqueue to by default. Needs OpenCL 2.1.
  void set_default_device_queue(const Device& device, const Queue& queue) const;

  /// Calls `callback` when the platform ends the context, after all that was made in it; several
  /// are called last set first. On any thread; what it throws becomes a warning. Needs OpenCL 3.0.
  void on_destruction(std::function<void()> callback) const;
  /// Ends what runs in the context; from then on it can only be released. Needs
  /// cl_khr_terminate_context, and a context made for it.
  void terminate() const;

  /// False where there is none: every question throws InvalidState then.
  explicit operator bool() const noexcept { return state_ != nullptr; }
  /// For calls of OpenCL itself, without a reference of its own.
  RawContext raw() const;
  /// The platform's entry points; valid as long as the context.
  const Table& table() const { return *shared_table(); }
  /// The same, to keep them.
  const std::shared_ptr<const Table>& shared_table() const;
  bool operator==(const Context& other) const noexcept;

 private:
  std::shared_ptr<const ContextState> state_;
};

}  // namespace treadle::opencl

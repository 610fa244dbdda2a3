// SPDX-License-Identifier: MIT
// The device and the stream that code works on when it names none: of the calling thread, for the
// length of a scope.
#pragma once

#include <memory>

#include "treadle/device/device.hpp"
#include "treadle/device/stream.hpp"

namespace treadle::device {

/// The device of the innermost DeviceScope or StreamScope of this thread, else default_device().
/// Throws as that. Not null.
std::shared_ptr<Device> current_device();
/// The stream of the innermost StreamScope of this thread, if that is of current_device(); else the
/// default stream of current_device(). Not null.
std::shared_ptr<Stream> current_stream();

/// What current_device() and current_stream() give, without a share in it.
struct Current {
  Device& device;  ///< current_device()
  Stream& stream;  ///< current_stream()
};
/// For paths where a few nanoseconds count. Valid on this thread until it enters or leaves a scope;
/// outside of scopes until the thread ends, which then keeps default_device(). Throws as that.
Current current();

/// Where work on `device` goes that names no stream, if this thread said so: the stream of its
/// innermost scope, if that is a StreamScope of `device`; else null. Some nanoseconds: for launch
/// paths. Valid as long as the scope.
Stream* scoped_stream(const Device& device) noexcept;

/// Launches on current_stream(); see Stream::launch().
template <class... Arguments>
void launch(const Kernel& kernel, const LaunchShape& shape, const Arguments&... arguments) {
  current_stream()->launch(kernel, shape, arguments...);
}

/// Makes a device current on the calling thread until it is destroyed, on that thread, in reverse
/// order of making. Its default stream is current with it.
class [[nodiscard]] DeviceScope {
 public:
  /// Throws InvalidArgument if there is no device.
  explicit DeviceScope(std::shared_ptr<Device> device);
  ~DeviceScope();
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;
};

/// The same for a stream and its device.
class [[nodiscard]] StreamScope {
 public:
  /// Throws InvalidArgument if there is no stream.
  explicit StreamScope(std::shared_ptr<Stream> stream);
  ~StreamScope();
  StreamScope(const StreamScope&) = delete;
  StreamScope& operator=(const StreamScope&) = delete;
};

/// For languages whose scopes are no C++ scopes; a push is undone by one pop on the same thread.
void push_current(std::shared_ptr<Device> device, std::shared_ptr<Stream> stream);
/// Throws InvalidState if nothing was pushed on this thread.
void pop_current();

}  // namespace treadle::device

namespace treadle {

using device::current_device;
using device::current_stream;
using device::DeviceScope;
using device::launch;
using device::StreamScope;

}  // namespace treadle

// SPDX-License-Identifier: MIT
#include "treadle/device/current.hpp"

#include <utility>
#include <vector>

#include "treadle/base/error.hpp"
#include "treadle/device/registry.hpp"

namespace treadle::device {
namespace {

struct Entry {
  std::shared_ptr<Device> device;
  std::shared_ptr<Stream> stream;  // null: the device's default stream
};

std::vector<Entry>& stack() {
  static thread_local std::vector<Entry> entries;
  return entries;
}

/// What current() answers with; plain pointers, so that reading them costs nothing. Null: to be
/// looked up.
struct Answer {
  Device* device;
  Stream* stream;
};
constinit thread_local Answer answer = {nullptr, nullptr};

void look_up() {
  static thread_local std::shared_ptr<Device> kept;  // while the thread is outside of scopes
  const auto& entries = stack();
  if (entries.empty() && kept == nullptr) kept = default_device();
  Device& device = entries.empty() ? *kept : *entries.back().device;
  Stream* stream = entries.empty() ? nullptr : entries.back().stream.get();
  answer = {&device, stream != nullptr ? stream : device.default_stream().get()};
}

}  // namespace

Current current() {
  if (answer.device == nullptr) [[unlikely]]
    look_up();
  return {*answer.device, *answer.stream};
}

std::shared_ptr<Device> current_device() {
  const auto& entries = stack();
  return entries.empty() ? default_device() : entries.back().device;
}

std::shared_ptr<Stream> current_stream() {
  const auto& entries = stack();
  if (entries.empty()) return default_device()->default_stream();
  const Entry& current = entries.back();
  return current.stream != nullptr ? current.stream : current.device->default_stream();
}

Stream* scoped_stream(const Device& device) noexcept {
  const auto& entries = stack();
  if (entries.empty()) return nullptr;
  const Entry& current = entries.back();
  return current.stream != nullptr && current.device.get() == &device ? current.stream.get()
                                                                      : nullptr;
}

void push_current(std::shared_ptr<Device> device, std::shared_ptr<Stream> stream) {
  if (device == nullptr && stream != nullptr) device = stream->device().shared_from_this();
  if (device == nullptr)
    throw InvalidArgument("there is no device to make current", "pass a Device or a Stream");
  stack().push_back({std::move(device), std::move(stream)});
  answer = {};
}

void pop_current() {
  auto& entries = stack();
  if (entries.empty())
    throw InvalidState("nothing was made current on this thread",
                       "leave a scope on the thread that entered it");
  const Entry ended = std::move(entries.back());  // its end may ask what is current
  entries.pop_back();
  answer = {};
}

DeviceScope::DeviceScope(std::shared_ptr<Device> device) {
  push_current(std::move(device), nullptr);
}
DeviceScope::~DeviceScope() { pop_current(); }

StreamScope::StreamScope(std::shared_ptr<Stream> stream) {
  if (stream == nullptr)
    throw InvalidArgument("there is no stream to make current", "pass a Stream");
  push_current(nullptr, std::move(stream));
}
StreamScope::~StreamScope() { pop_current(); }

}  // namespace treadle::device

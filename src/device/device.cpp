// SPDX-License-Identifier: MIT
#include "treadle/device/device.hpp"

#include <utility>

#include "device/launch_log.hpp"
#include "treadle/base/census.hpp"
#include "treadle/base/error.hpp"
#include "treadle/device/event.hpp"
#include "treadle/device/module.hpp"
#include "treadle/device/stream.hpp"

namespace treadle::device {

namespace {

/// Those of every device; P14. Memory that was adopted is its owner's to count.
LiveCount& allocations() {
  static LiveCount& count = *new LiveCount("device memory");
  return count;
}

}  // namespace

Device::Device(DeviceInfo info)
    : info_(std::move(info)), launches_(std::make_unique<LaunchLog>()) {}
Device::~Device() {
  // What its user did not free ends with it.
  for (std::size_t i = 0; i < memory_.size(); ++i) allocations().remove();
}

Location Device::allocate(std::size_t size_bytes) {
  if (size_bytes == 0) return {};
  const Location location = allocate_memory(size_bytes);
  try {
    const std::lock_guard lock(mutex_);
    memory_[location.handle] = size_bytes;
  } catch (...) {
    free_memory(location);
    throw;
  }
  allocations().add();
  return location;
}

void Device::free(Location location) {
  if (location == Location{}) return;
  {
    const std::lock_guard lock(mutex_);
    const auto found = memory_.find(location.handle);
    if (found == memory_.end() || location.offset != 0)
      throw InvalidState("this is no live allocation of " + info_.id + ": it was freed before, " +
                         "belongs to another device or is a place inside an allocation");
    // Forgotten before it is freed: the run-time may give the same handle to another thread at
    // once.
    memory_.erase(found);
  }
  allocations().remove();
  free_memory(location);
}

void Device::adopt(Location location, std::size_t size_bytes) {
  const std::lock_guard lock(mutex_);
  adopted_[location.handle] = size_bytes;
}

void Device::forget(Location location) noexcept {
  const std::lock_guard lock(mutex_);
  adopted_.erase(location.handle);
}

void Device::require_memory(Location location, std::size_t size_bytes, const char* what) const {
  if (size_bytes == 0) return;
  std::uint64_t allocated = 0;
  {
    const std::lock_guard lock(mutex_);
    const auto own = memory_.find(location.handle);
    const auto other = own == memory_.end() ? adopted_.find(location.handle) : own;
    if (own == memory_.end() && other == adopted_.end())
      throw InvalidState(std::string(what) + " is no live memory of " + info_.id + " (" +
                             info_.name + "): it was freed, or belongs to another device",
                         "copy between devices through the host");
    allocated = other->second;
  }
  if (location.offset > allocated || size_bytes > allocated - location.offset)
    throw InvalidArgument(std::string(what) + " has " + std::to_string(allocated) +
                          " bytes, which " + std::to_string(size_bytes) + " bytes from byte " +
                          std::to_string(location.offset) + " on are not within");
}

Device::LiveMemory Device::live_memory() const {
  const std::lock_guard lock(mutex_);
  LiveMemory live;
  live.count = memory_.size();
  for (const auto& [handle, bytes] : memory_) live.bytes += bytes;
  return live;
}

std::shared_ptr<Stream> Device::make_stream() {
  // The stream's deleter keeps the device: a stream ends before what it was made on.
  return {create_stream().release(),
          [device = shared_from_this()](Stream* stream) { delete stream; }};
}

std::shared_ptr<Stream> Device::default_stream() {
  std::call_once(default_stream_made_, [this] { default_stream_ = create_stream(); });
  return {shared_from_this(), default_stream_.get()};
}

std::shared_ptr<Event> Device::make_event() { return create_event(); }

std::shared_ptr<Module> Device::load(const ModuleImage& image) {
  if (image.code.empty()) throw InvalidArgument("the module to load is empty");
  return load_module(image);
}

BuildResult Device::build(const BuildRequest& request) {
  if (!info_.builds_text)
    throw NotSupported(info_.id + " (" + info_.runtime + ") does not compile text itself",
                       "kernel::Program compiles for every device");
  return build_text(request);
}

}  // namespace treadle::device

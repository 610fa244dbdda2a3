// SPDX-License-Identifier: MIT
#include "treadle/device/device.hpp"

#include <algorithm>
#include <utility>

#include "device/launch_log.hpp"
#include "treadle/base/error.hpp"
#include "treadle/device/deferred.hpp"
#include "treadle/device/event.hpp"
#include "treadle/device/module.hpp"
#include "treadle/device/stream.hpp"
#include "treadle/process/census.hpp"
#include "treadle/process/warning.hpp"

namespace treadle::device {

namespace {

/// Those of every device; P14. Memory that was adopted is its owner's to count.
LiveCount& allocations() {
  static LiveCount& count = *new LiveCount("device memory");
  return count;
}

}  // namespace

Device::Device(DeviceInfo info, bool is_adopted, const void* event_domain)
    : info_(std::move(info)),
      is_adopted_(is_adopted),
      event_domain_(event_domain != nullptr ? event_domain : this),
      launches_(std::make_unique<LaunchLog>()) {}

Device::~Device() = default;

void Device::end() noexcept {
  // What is in slots may own memory and streams of this device.
  while (!slot_owners_.empty()) {
    const auto [number, owner] = std::move(slot_owners_.back());
    slot_owners_.pop_back();
    if (number < slots_.size()) slots_[number] = nullptr;
  }
  std::uint64_t bytes = 0;
  for (const auto& [handle, allocation] : memory_) {
    bytes += allocation.size_bytes;
    try {
      free_memory(allocation.kind, {handle, 0});
      allocations().remove();
    } catch (const std::exception& error) {
      warn("freeing " + std::to_string(allocation.size_bytes) + " bytes of " + info_.id +
           " that nobody freed: " + error.what());
    }
  }
  if (!memory_.empty())
    warn(info_.id + " ends with " + std::to_string(memory_.size()) + " allocations, " +
         std::to_string(bytes) + " bytes, that were not freed: they are freed now");
  memory_.clear();
  default_stream_.reset();
}

void Device::queue_deferred(Stream* stream) {
  DeferredWork* const work = deferred();
  if (work != nullptr && !LeaveDeferred::is_active()) [[unlikely]]
    work->before_mark(stream);
}

Location Device::allocate(std::size_t size_bytes) {
  return allocate_as(MemoryKind::device, size_bytes).location;
}

Allocated Device::allocate_as(MemoryKind kind, std::size_t size_bytes) {
  if (size_bytes == 0) return {};
  const Allocated made = allocate_memory(kind, size_bytes);
  try {
    const std::lock_guard lock(mutex_);
    memory_[made.location.handle] = {size_bytes, kind};
  } catch (...) {
    free_memory(kind, made.location);
    throw;
  }
  allocations().add();
  return made;
}

void Device::free(Location location) {
  if (location == Location{}) return;
  MemoryKind kind{};
  {
    const std::lock_guard lock(mutex_);
    const auto found = memory_.find(location.handle);
    if (found == memory_.end() || location.offset != 0)
      throw InvalidState("this is no live allocation of " + info_.id + ": it was freed before, " +
                         "belongs to another device or is a place inside an allocation");
    kind = found->second.kind;
    // Forgotten before it is freed: the run-time may give the same handle to another thread at
    // once.
    memory_.erase(found);
  }
  allocations().remove();
  free_memory(kind, location);
}

void Device::adopt(Location location, std::size_t size_bytes) {
  const std::lock_guard lock(mutex_);
  Adoption& adoption = adopted_[location.handle];
  adoption.size_bytes = std::max<std::uint64_t>(adoption.size_bytes, size_bytes);
  ++adoption.count;
}

void Device::forget(Location location) noexcept {
  const std::lock_guard lock(mutex_);
  const auto found = adopted_.find(location.handle);
  if (found != adopted_.end() && --found->second.count == 0) adopted_.erase(found);
}

void Device::require_memory(Location location, std::size_t size_bytes, const char* what) const {
  if (size_bytes == 0) return;
  std::uint64_t allocated = 0;
  {
    const std::lock_guard lock(mutex_);
    if (const auto own = memory_.find(location.handle); own != memory_.end())
      allocated = own->second.size_bytes;
    else if (const auto other = adopted_.find(location.handle); other != adopted_.end())
      allocated = other->second.size_bytes;
    else
      throw InvalidState(std::string(what) + " is no live memory of " + info_.id + " (" +
                             info_.name + "): it was freed, or belongs to another device",
                         "Stream::copy_from_peer() copies between devices");
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
  for (const auto& [handle, allocation] : memory_) live.bytes += allocation.size_bytes;
  return live;
}

MemoryInfo Device::memory_info() {
  MemoryInfo info = query_memory();
  info.total_bytes = info_.memory_bytes;
  if (!info.is_measured)
    info.free_bytes = info.total_bytes - std::min(info.total_bytes, live_memory().bytes);
  return info;
}

AddressInfo Device::address_info(std::uint64_t address) {
  return address == 0 ? AddressInfo{} : query_address(address);
}

std::string_view address_kind_name(AddressInfo::Kind kind) noexcept {
  switch (kind) {
    case AddressInfo::Kind::device:
      return "device";
    case AddressInfo::Kind::page_locked:
      return "page-locked";
    case AddressInfo::Kind::managed:
      return "managed";
    case AddressInfo::Kind::unknown:
      break;
  }
  return "unknown";
}

/// A stream for users, who need not keep its device. The stream's own shared_from_this() does not
/// keep it, so what a slot of the device has may keep streams.
std::shared_ptr<Stream> Device::keeping_device(const std::shared_ptr<Stream>& stream) {
  struct Kept {
    std::shared_ptr<Device> device;
    std::shared_ptr<Stream> stream;  // ends first
  };
  auto kept = std::make_shared<Kept>(Kept{shared_from_this(), stream});
  return {std::move(kept), stream.get()};
}

std::shared_ptr<Stream> Device::make_stream(const StreamOptions& options) {
  const DeviceLimits& limits = info_.limits;
  const StreamOptions clamped{
      .priority = std::clamp(options.priority, limits.greatest_priority, limits.least_priority)};
  return keeping_device(create_stream({.from = StreamSource::From::options, .options = clamped}));
}

std::shared_ptr<Stream> Device::default_stream() {
  std::call_once(default_stream_made_, [this] {
    default_stream_ = create_stream({.from = StreamSource::From::default_stream});
  });
  // The device keeps this one, so keeping the device is enough.
  return {shared_from_this(), default_stream_.get()};
}

std::shared_ptr<Stream> Device::adopt_stream(std::uint64_t raw, std::shared_ptr<void> owner) {
  // The default stream has one object, whatever it is called.
  if (auto stream = default_stream(); raw <= 1 || raw == stream->raw()) return stream;
  const std::lock_guard lock(streams_mutex_);
  auto& known = adopted_streams_[raw];
  if (const auto live = known.lock()) {
    if (live->owner_ == nullptr) live->owner_ = std::move(owner);
    return keeping_device(live);
  }
  std::erase_if(adopted_streams_,
                [&](const auto& entry) { return entry.first != raw && entry.second.expired(); });
  std::shared_ptr<Stream> made = create_stream({.from = StreamSource::From::raw, .raw = raw});
  made->owner_ = std::move(owner);
  adopted_streams_[raw] = made;
  return keeping_device(made);
}

std::shared_ptr<Event> Device::make_event(Timing timing) { return create_event(timing, 0); }

std::shared_ptr<Event> Device::adopt_event(std::uint64_t raw) {
  if (raw == 0)
    throw InvalidArgument("the event to adopt on " + info_.id + " is null",
                          "pass what the run-time made: a CUevent or a cl_event");
  return create_event(Timing::on, raw);
}

std::shared_ptr<Module> Device::load(const ModuleImage& image) {
  if (image.code.empty()) throw InvalidArgument("the module to load is empty");
  return load_module(image);
}

BuildResult Device::build(const BuildRequest& request) {
  if (!info_.traits.builds_text)
    throw NotSupported(info_.id + " (" + info_.runtime + ") does not compile text itself",
                       "kernel::Program compiles for every device");
  return build_text(request);
}

std::size_t next_slot_number() noexcept {
  static std::atomic<std::size_t> count = 0;
  return count++;
}

void* Device::fill_slot(std::size_t number, const std::function<std::shared_ptr<void>()>& make) {
  const std::lock_guard lock(slots_mutex_);
  for (const auto& [known, owner] : slot_owners_)
    if (known == number) return owner.get();
  std::shared_ptr<void> made = make();
  void* const there = slot_owners_.emplace_back(number, std::move(made)).second.get();
  if (number < slots_.size()) slots_[number].store(there, std::memory_order_release);
  return there;
}

}  // namespace treadle::device

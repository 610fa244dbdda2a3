// SPDX-License-Identifier: MIT
#include "treadle/device/stream.hpp"

#include <algorithm>
#include <bit>
#include <memory>
#include <utility>
#include <vector>

#include "device/launch_check.hpp"
#include "treadle/base/error.hpp"
#include "treadle/device/deferred.hpp"
#include "treadle/device/device.hpp"
#include "treadle/device/event.hpp"
#include "treadle/device/host_wait.hpp"

namespace treadle::device {
namespace {

void require_host(const void* host, const char* what) {
  if (host == nullptr) throw InvalidArgument(std::string(what) + " is a null address of the host");
}

void require_own(const Device& own, const Device& other, const char* what) {
  if (&own != &other)
    throw InvalidArgument(std::string(what) + " belongs to " + other.info().id +
                          ", the stream to " + own.info().id);
}

bool overlap(Location a, Location b, std::size_t size_bytes) {
  if (a.handle != b.handle) return false;
  const auto [low, high] = std::minmax(a.offset, b.offset);
  return high - low < size_bytes;
}

Box row_of(std::size_t size_bytes) { return {.row_bytes = size_bytes}; }

constexpr std::uint64_t too_many = ~std::uint64_t{0};

std::uint64_t product(std::uint64_t a, std::uint64_t b) {
  std::uint64_t result = 0;
  return __builtin_mul_overflow(a, b, &result) ? too_many : result;
}
std::uint64_t sum(std::uint64_t a, std::uint64_t b) {
  std::uint64_t result = 0;
  return __builtin_add_overflow(a, b, &result) ? too_many : result;
}

/// Bytes from the first to behind the last one of a box; as many as can be where that overflows.
std::uint64_t extent_bytes(const Box& box, const Pitch& pitch) {
  return sum(box.row_bytes, sum(product(box.rows - 1, pitch.row_bytes),
                                product(box.slices - 1, pitch.slice_bytes)));
}

void check_pitch(const Box& box, const Pitch& pitch, const char* what) {
  const auto refuse = [&](const char* name, std::uint64_t given, std::uint64_t least) {
    throw InvalidArgument(std::string(what) + " has a pitch." + name + " of " +
                          std::to_string(given) + " bytes, where what it separates has " +
                          (least == too_many ? "more than any" : std::to_string(least)));
  };
  if (box.rows > 1 && pitch.row_bytes < box.row_bytes)
    refuse("row_bytes", pitch.row_bytes, box.row_bytes);
  const std::uint64_t slice = sum(box.row_bytes, product(box.rows - 1, pitch.row_bytes));
  if (box.slices > 1 && pitch.slice_bytes < slice) refuse("slice_bytes", pitch.slice_bytes, slice);
}

/// Before memory is changed: what was put off and reads it comes first.
void about_to_write(const Device& device, Location destination, Stream& writer) {
  DeferredWork* const deferred = device.deferred();
  if (deferred != nullptr && !LeaveDeferred::is_active()) [[unlikely]]
    deferred->before_write(destination, &writer);
}

/// Whether a parameter is a pointer to const, as far as the run-time tells.
bool is_read_only(const Kernel& kernel, std::size_t index) {
  if (index >= kernel.parameters().size()) return false;
  const std::string& type = kernel.parameters()[index].type;
  const std::size_t star = type.find('*'), word = type.find("const");
  return word < star && star != std::string::npos && type.find('*', star + 1) == std::string::npos;
}

/// The same for what a launch is given.
[[gnu::cold]] void about_to_launch(Stream& stream, const Kernel& kernel,
                                   std::span<const Argument> arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Argument& argument = arguments[i];
    if (argument.kind() != Argument::Kind::memory) continue;
    const MemoryUse use = is_read_only(kernel, i) ? MemoryUse::reads : MemoryUse::writes;
    if (argument.watched() != nullptr)
      argument.watched()->before_use(stream, use);
    else if (use == MemoryUse::writes)
      about_to_write(stream.device(), argument.location(), stream);
  }
}

bool is_watched(const Argument& argument) noexcept { return argument.watched() != nullptr; }

bool is_empty(const Box& box) { return box.row_bytes == 0 || box.rows == 0 || box.slices == 0; }

}  // namespace

/// The events that a command waits for on the device; those of other event domains were waited for
/// by the host before.
struct Stream::Waits {
  Waits(const Device& device, const Order& given) : order(given) {
    if (given.done != nullptr) require_own(device, given.done->device(), "the event for the end");
    for (const Event* event : given.after)
      if (event == nullptr) throw InvalidArgument("an event to wait for is null");
    const auto is_own = [&](const Event* event) {
      return event->device().event_domain() == device.event_domain();
    };
    if (std::ranges::all_of(given.after, is_own)) [[likely]]
      return;
    for (const Event* event : given.after) {
      if (is_own(event))
        own.push_back(event);
      else
        const_cast<Event*>(event)->synchronize();
    }
    order.after = own;
  }
  std::vector<const Event*> own;
  Order order;
};

void Stream::copy_in(Location destination, const void* source, std::size_t size_bytes,
                     const Order& order) {
  copy_in(destination, {}, source, {}, row_of(size_bytes), order);
}
void Stream::copy_out(void* destination, Location source, std::size_t size_bytes,
                      const Order& order) {
  copy_out(destination, {}, source, {}, row_of(size_bytes), order);
}

void Stream::fetch(void* destination, Location source, std::size_t size_bytes,
                   const std::function<void()>& wait) {
  wait_before_copy(*this);  // a driver may not return from the copy before
  copy_out(destination, source, size_bytes);
  const WaitToTheEnd nothing_else_is_queued;
  wait();
}

void Stream::copy_in(Location destination, const Pitch& destination_pitch, const void* source,
                     const Pitch& source_pitch, const Box& box, const Order& order) {
  const Waits waits(device_, order);
  if (is_empty(box)) return queue_order(waits.order);
  require_host(source, "the source of a copy");
  check_pitch(box, destination_pitch, "the destination of a copy");
  check_pitch(box, source_pitch, "the source of a copy");
  device_.require_memory(destination, extent_bytes(box, destination_pitch),
                         "the destination of a copy");
  about_to_write(device_, destination, *this);
  queue_copy({.direction = Copy::Direction::to_device,
              .destination = destination,
              .host = const_cast<void*>(source),
              .box = box,
              .destination_pitch = destination_pitch,
              .source_pitch = source_pitch},
             waits.order);
}

void Stream::copy_out(void* destination, const Pitch& destination_pitch, Location source,
                      const Pitch& source_pitch, const Box& box, const Order& order) {
  const Waits waits(device_, order);
  if (is_empty(box)) return queue_order(waits.order);
  require_host(destination, "the destination of a copy");
  check_pitch(box, destination_pitch, "the destination of a copy");
  check_pitch(box, source_pitch, "the source of a copy");
  device_.require_memory(source, extent_bytes(box, source_pitch), "the source of a copy");
  queue_copy({.direction = Copy::Direction::to_host,
              .source = source,
              .host = destination,
              .box = box,
              .destination_pitch = destination_pitch,
              .source_pitch = source_pitch},
             waits.order);
}

void Stream::copy(Location destination, Location source, std::size_t size_bytes,
                  const Order& order) {
  if (size_bytes != 0 && overlap(destination, source, size_bytes))
    throw InvalidArgument("a copy of " + std::to_string(size_bytes) + " bytes from byte " +
                              std::to_string(source.offset) + " to byte " +
                              std::to_string(destination.offset) +
                              " of one allocation overlaps itself",
                          "copy by way of another allocation");
  copy(destination, {}, source, {}, row_of(size_bytes), order);
}

void Stream::copy(Location destination, const Pitch& destination_pitch, Location source,
                  const Pitch& source_pitch, const Box& box, const Order& order) {
  const Waits waits(device_, order);
  if (is_empty(box)) return queue_order(waits.order);
  check_pitch(box, destination_pitch, "the destination of a copy");
  check_pitch(box, source_pitch, "the source of a copy");
  device_.require_memory(destination, extent_bytes(box, destination_pitch),
                         "the destination of a copy");
  device_.require_memory(source, extent_bytes(box, source_pitch), "the source of a copy");
  about_to_write(device_, destination, *this);
  queue_copy({.direction = Copy::Direction::on_device,
              .destination = destination,
              .source = source,
              .box = box,
              .destination_pitch = destination_pitch,
              .source_pitch = source_pitch},
             waits.order);
}

void Stream::copy_from_peer(Location destination, Device& source_device, Location source,
                            std::size_t size_bytes, const Order& order) {
  if (&source_device == &device_) return copy(destination, source, size_bytes, order);
  copy_peer({.direction = Copy::Direction::from_peer,
             .destination = destination,
             .source = source,
             .box = row_of(size_bytes),
             .peer = &source_device},
            order);
}

void Stream::copy_to_peer(Device& destination_device, Location destination, Location source,
                          std::size_t size_bytes, const Order& order) {
  if (&destination_device == &device_) return copy(destination, source, size_bytes, order);
  copy_peer({.direction = Copy::Direction::to_peer,
             .destination = destination,
             .source = source,
             .box = row_of(size_bytes),
             .peer = &destination_device},
            order);
}

/// Between this device and another one.
void Stream::copy_peer(const Copy& copy, const Order& order) {
  const Waits waits(device_, order);
  const std::size_t size_bytes = copy.box.row_bytes;
  if (size_bytes == 0) return queue_order(waits.order);
  const bool is_from_peer = copy.direction == Copy::Direction::from_peer;
  const Device& to = is_from_peer ? device_ : *copy.peer;
  const Device& from = is_from_peer ? *copy.peer : device_;
  to.require_memory(copy.destination, size_bytes, "the destination of a copy");
  from.require_memory(copy.source, size_bytes, "the source of a copy");
  about_to_write(to, copy.destination, *this);
  if (to.event_domain() == from.event_domain()) return queue_copy(copy, waits.order);
  copy_staged(copy, waits.order);
}

/// Between devices that do not know each other: by way of the host's memory, piece by piece. The
/// host waits for each, so the far side needs no order beside that of its memory's owner.
void Stream::copy_staged(const Copy& copy, const Order& order) {
  const bool is_from_peer = copy.direction == Copy::Direction::from_peer;
  const std::size_t size = copy.box.row_bytes;
  std::vector<std::byte> staging(std::min<std::size_t>(size, std::size_t{16} << 20));
  const auto far = copy.peer->make_stream();
  for (std::size_t done = 0; done < size; done += staging.size()) {
    const std::size_t bytes = std::min(staging.size(), size - done);
    const bool is_last = done + bytes == size;
    const Order near_order{.after = done == 0 ? order.after : std::span<const Event* const>{},
                           .done = is_last ? order.done : nullptr};
    if (is_from_peer) {
      far->copy_out(staging.data(), copy.source + done, bytes);
      far->synchronize();
      copy_in(copy.destination + done, staging.data(), bytes, near_order);
      synchronize();
    } else {
      copy_out(staging.data(), copy.source + done, bytes, near_order);
      synchronize();
      far->copy_in(copy.destination + done, staging.data(), bytes);
      far->synchronize();
    }
  }
}

void Stream::fill(Location destination, std::span<const std::byte> pattern, std::size_t count,
                  const Order& order) {
  const std::size_t size = pattern.size();
  if (!std::has_single_bit(size) || size > 16)
    throw InvalidArgument("a fill pattern has " + std::to_string(size) +
                          " bytes; it may have 1, 2, 4, 8 or 16");
  const Waits waits(device_, order);
  if (count == 0) return queue_order(waits.order);
  if (destination.offset % size != 0)
    throw InvalidArgument("a fill begins at byte " + std::to_string(destination.offset) +
                          ", which is no multiple of its pattern of " + std::to_string(size));
  device_.require_memory(destination, product(count, size), "the destination of a fill");
  about_to_write(device_, destination, *this);
  queue_fill(destination, pattern, count, waits.order);
}

void Stream::launch_arguments(const Kernel& kernel, const LaunchShape& shape,
                              std::span<const Argument> arguments, const Order& order) {
  check_launch(kernel, shape, arguments, device_);
  before_launch(kernel, arguments);
  if (order.after.empty() && order.done == nullptr) [[likely]] {
    if (!shape.groups.is_empty()) queue_launch(kernel, shape, arguments, order);
    return;
  }
  const Waits waits(device_, order);
  if (shape.groups.is_empty()) return queue_order(waits.order);
  queue_launch(kernel, shape, arguments, waits.order);
}

void Stream::before_launch(const Kernel& kernel, std::span<const Argument> arguments) {
  const bool is_told = device_.deferred() != nullptr && !LeaveDeferred::is_active();
  if (is_told || std::ranges::any_of(arguments, is_watched)) [[unlikely]]
    about_to_launch(*this, kernel, arguments);
}

/// What an order means where there is no work.
void Stream::queue_order(const Order& order) {
  for (const Event* event : order.after) queue_wait(*event);
  if (order.done != nullptr) queue_record(*order.done);
}

void Stream::queue_deferred() { device_.queue_deferred(this); }

void Stream::record(Event& event) {
  require_own(device_, event.device(), "the event");
  queue_deferred();
  queue_record(event);
}

void Stream::wait(const Event& event) {
  queue_deferred();
  if (event.device().event_domain() == device_.event_domain()) [[likely]]
    return queue_wait(event);
  const_cast<Event&>(event).synchronize();
}

void Stream::call_host(std::function<void()> callback) {
  if (!callback) throw InvalidArgument("there is no function to call", "pass a callable");
  queue_deferred();
  queue_callback(std::move(callback));
}

}  // namespace treadle::device

// SPDX-License-Identifier: MIT
#include "treadle/device/stream.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "device/launch_check.hpp"
#include "treadle/base/error.hpp"
#include "treadle/device/device.hpp"
#include "treadle/device/event.hpp"

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

}  // namespace

void Stream::copy_in(Location destination, const void* source, std::size_t size_bytes) {
  if (size_bytes == 0) return;
  require_host(source, "the source of a copy");
  device_.require_memory(destination, size_bytes, "the destination of a copy");
  queue_copy({.direction = Copy::Direction::to_device,
              .destination = destination,
              .host = const_cast<void*>(source),
              .size_bytes = size_bytes});
}

void Stream::copy_out(void* destination, Location source, std::size_t size_bytes) {
  if (size_bytes == 0) return;
  require_host(destination, "the destination of a copy");
  device_.require_memory(source, size_bytes, "the source of a copy");
  queue_copy({.direction = Copy::Direction::to_host,
              .source = source,
              .host = destination,
              .size_bytes = size_bytes});
}

void Stream::copy(Location destination, Location source, std::size_t size_bytes) {
  if (size_bytes == 0) return;
  device_.require_memory(destination, size_bytes, "the destination of a copy");
  device_.require_memory(source, size_bytes, "the source of a copy");
  if (overlap(destination, source, size_bytes))
    throw InvalidArgument("a copy of " + std::to_string(size_bytes) + " bytes from byte " +
                              std::to_string(source.offset) + " to byte " +
                              std::to_string(destination.offset) +
                              " of one allocation overlaps itself",
                          "copy by way of another allocation");
  queue_copy({.direction = Copy::Direction::on_device,
              .destination = destination,
              .source = source,
              .size_bytes = size_bytes});
}

void Stream::fill(Location destination, std::span<const std::byte> pattern, std::size_t count) {
  const std::size_t size = pattern.size();
  if (!std::has_single_bit(size) || size > 16)
    throw InvalidArgument("a fill pattern has " + std::to_string(size) +
                          " bytes; it may have 1, 2, 4, 8 or 16");
  if (count == 0) return;
  if (destination.offset % size != 0)
    throw InvalidArgument("a fill begins at byte " + std::to_string(destination.offset) +
                          ", which is no multiple of its pattern of " + std::to_string(size));
  const std::size_t most = ~std::size_t{0} / size;
  device_.require_memory(destination, count > most ? ~std::size_t{0} : count * size,
                         "the destination of a fill");
  queue_fill(destination, pattern, count);
}

void Stream::launch_arguments(const Kernel& kernel, const LaunchShape& shape,
                              std::span<const Argument> arguments) {
  check_launch(kernel, shape, arguments, device_);
  if (shape.groups.is_empty()) return;
  queue_launch(kernel, shape, arguments);
}

void Stream::record(Event& event) {
  require_own(device_, event.device(), "the event");
  queue_record(event);
}

void Stream::wait(const Event& event) {
  require_own(device_, event.device(), "the event");
  queue_wait(event);
}

}  // namespace treadle::device

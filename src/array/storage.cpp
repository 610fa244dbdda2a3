// SPDX-License-Identifier: MIT
#include "array/storage.hpp"

#include <algorithm>
#include <exception>
#include <string>

#include "treadle/base/error.hpp"
#include "treadle/device/device.hpp"
#include "treadle/device/event.hpp"
#include "treadle/process/warning.hpp"

namespace treadle::array {
void order(const StreamRef& first, const StreamRef& second) {
  // Work of one out-of-order queue has to be ordered explicitly, too.
  if (first == nullptr || (first.get() == second.get() && first->is_in_order())) [[likely]]
    return;
  const device::LeaveDeferred leave;  // the lock may be held
  const auto event = first->device().make_event(device::Timing::off);
  first->record(*event);
  second->wait(*event);
}

Ref<Storage> Storage::dense(const StreamRef& stream, const Layout& layout, const DType& dtype,
                            const LaunchSite& site) {
  const std::size_t size_bytes = static_cast<std::size_t>(layout.size()) * dtype.size_bytes();
  return Ref<Storage>::adopt(new Storage(memory::Buffer::pooled(stream, size_bytes, site), stream));
}

Ref<Storage> Storage::dense(const StreamRef& stream, const Layout& layout, const DType& dtype,
                            Allocator& allocator) {
  const std::size_t size_bytes = static_cast<std::size_t>(layout.size()) * dtype.size_bytes();
  if (size_bytes == 0) return dense(stream, layout, dtype);
  memory::Buffer memory = allocator.allocate(size_bytes, stream);
  if (memory.is_freed() || memory.size_bytes() < size_bytes ||
      &memory.device() != &stream->device())
    throw InvalidArgument("the allocator of an array gave no memory of " +
                              stream->device().info().id + " for " + std::to_string(size_bytes) +
                              " bytes",
                          "set_allocator(x, nullptr) takes memory of the device's pool");
  return Ref<Storage>::adopt(new Storage(std::move(memory), stream));
}

void Storage::order(const StreamRef& stream, device::MemoryUse use) {
  use == device::MemoryUse::writes ? order_write(stream) : order_read(stream);
}

void Storage::order_read(const StreamRef& stream) {
  array::order(stream, stream);
  if (stream.get() == stream_.get()) [[likely]]
    return;
  if (std::ranges::find(readers_, stream) != readers_.end()) return;  // ordered before
  array::order(stream_, stream);
  readers_.push_back(stream);
}

void Storage::order_write(const StreamRef& stream) {
  writes_.fetch_add(1, std::memory_order_release);
  array::order(stream, stream);
  if (stream.get() == stream_.get() && readers_.empty()) [[likely]]
    return;
  array::order(stream_, stream);
  for (const StreamRef& reader : readers_) array::order(reader, stream);
  readers_.clear();
  stream_ = stream;
}

std::optional<std::int64_t> Storage::distance_to(const Storage& other) const {
  if (this == &other) return 0;
  // Only code that has learned the address of memory can adopt the memory.
  if (!buffer.has_escaped() || !other.buffer.has_escaped()) [[likely]]
    return std::nullopt;
  const device::Location own = buffer, theirs = other.buffer;
  const bool has_addresses = buffer.device().info().language != Language::opencl_c;
  if (own.handle != theirs.handle && !has_addresses) return std::nullopt;
  const auto distance = static_cast<std::int64_t>(theirs.handle + theirs.offset) -
                        static_cast<std::int64_t>(own.handle + own.offset);
  const bool is_apart = distance >= static_cast<std::int64_t>(buffer.size_bytes()) ||
                        -distance >= static_cast<std::int64_t>(other.buffer.size_bytes());
  return is_apart ? std::nullopt : std::optional(distance);
}

Storage::~Storage() {
  if (readers_.empty() && home_.get() == stream_.get()) [[likely]]
    return;
  // The pool takes back the memory in the order of `home_`, so `home_` waits for all other streams.
  try {
    array::order(stream_, home_);
    for (const StreamRef& reader : readers_) array::order(reader, home_);
  } catch (const std::exception& error) {
    warn(std::string("memory of an array is released: ") + error.what());
  }
}

}  // namespace treadle::array

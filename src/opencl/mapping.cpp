// SPDX-License-Identifier: MIT
#include <utility>

#include "opencl/ordering.hpp"
#include "treadle/opencl/transfer.hpp"

namespace treadle::opencl {

Mapping::Mapping(const Queue& queue, const MemoryObject& memory, std::size_t size_bytes)
    : queue_(queue), memory_(memory), size_bytes_(size_bytes) {}

Mapping::Mapping(Mapping&& other) noexcept
    : queue_(std::move(other.queue_)),
      memory_(std::move(other.memory_)),
      event_(std::move(other.event_)),
      data_(std::exchange(other.data_, nullptr)),
      size_bytes_(other.size_bytes_) {}

Mapping& Mapping::operator=(Mapping&& other) noexcept {
  Mapping incoming(std::move(other));
  std::swap(queue_, incoming.queue_);
  std::swap(memory_, incoming.memory_);
  std::swap(event_, incoming.event_);
  std::swap(data_, incoming.data_);
  std::swap(size_bytes_, incoming.size_bytes_);
  return *this;
}

Mapping::~Mapping() {
  if (data_ == nullptr) return;
  const Table& cl = queue_.table();
  warn_if_failed(
      cl.clEnqueueUnmapMemObject(queue_.raw(), memory_.raw(), data_, 0, nullptr, nullptr),
      "clEnqueueUnmapMemObject", "a mapping");
}

std::span<std::byte> Mapping::bytes() const {
  if (data_ == nullptr)
    throw InvalidState("the memory is no longer mapped", "map it again: map(queue, buffer, flags)");
  return {static_cast<std::byte*>(data_), size_bytes_};
}

Event Mapping::unmap(const Order& order) { return unmap(queue_, order); }

Event Mapping::unmap(const Queue& queue, const Order& order) {
  void* const data = bytes().data();
  const Table& cl = queue.table();
  Ordering o(order);
  check(
      cl,
      cl.clEnqueueUnmapMemObject(queue.raw(), memory_.raw(), data, o.count(), o.list(), o.event()),
      "clEnqueueUnmapMemObject");
  data_ = nullptr;
  return o.take(queue);
}

}  // namespace treadle::opencl

// SPDX-License-Identifier: MIT
#include <utility>

#include "opencl/ordering.hpp"
#include "treadle/opencl/svm.hpp"

namespace treadle::opencl {

SharedMapping::SharedMapping(const Queue& queue, MapFlags flags, HostRange memory,
                             const Order& order, Blocking blocking)
    : queue_(queue), memory_(memory.bytes()) {
  event_ = map_shared(queue, flags, memory_, order, blocking);
  is_mapped_ = true;
}

SharedMapping::SharedMapping(SharedMapping&& other) noexcept
    : queue_(std::move(other.queue_)),
      memory_(other.memory_),
      event_(std::move(other.event_)),
      is_mapped_(std::exchange(other.is_mapped_, false)) {}

SharedMapping& SharedMapping::operator=(SharedMapping&& other) noexcept {
  SharedMapping incoming(std::move(other));
  std::swap(queue_, incoming.queue_);
  std::swap(memory_, incoming.memory_);
  std::swap(event_, incoming.event_);
  std::swap(is_mapped_, incoming.is_mapped_);
  return *this;
}

SharedMapping::~SharedMapping() {
  if (!is_mapped_) return;
  const Table& cl = queue_.table();
  warn_if_failed(cl.clEnqueueSVMUnmap(queue_.raw(), memory_.data(), 0, nullptr, nullptr),
                 "clEnqueueSVMUnmap", "a mapping of shared memory");
}

std::span<std::byte> SharedMapping::bytes() const {
  if (!is_mapped_)
    throw InvalidState("the shared memory is no longer mapped", "make another SharedMapping");
  return memory_;
}

Event SharedMapping::unmap(const Order& order) {
  Event done = unmap_shared(queue_, bytes().data(), order);
  is_mapped_ = false;
  return done;
}

}  // namespace treadle::opencl

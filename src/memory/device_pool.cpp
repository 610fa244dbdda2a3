// SPDX-License-Identifier: MIT
#include "treadle/memory/device_pool.hpp"

#include <utility>

#include "treadle/base/error.hpp"

namespace treadle::memory {

DeviceAllocator::DeviceAllocator(std::shared_ptr<device::Device> device)
    : device_(std::move(device)) {
  if (!device_) throw InvalidArgument("a pool of device memory needs a device", "pass a device");
}

device::Buffer DeviceAllocator::allocate(std::size_t size_bytes) {
  return device::Buffer(device_, size_bytes);
}

std::shared_ptr<device::Event> DeviceAllocator::mark(const Stream& stream) {
  auto event = device_->make_event();
  stream->record(*event);
  return event;
}

void DeviceAllocator::wait(const Stream& stream, const Mark& mark) { stream->wait(*mark); }

}  // namespace treadle::memory

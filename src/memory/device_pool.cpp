// SPDX-License-Identifier: MIT
#include "treadle/memory/device_pool.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "treadle/base/error.hpp"
#include "treadle/device/deferred.hpp"
#include "treadle/process/settings.hpp"
#include "treadle/process/warning.hpp"

namespace treadle::memory {

DeviceBlock::DeviceBlock(std::shared_ptr<device::Device> device, std::size_t size_bytes)
    : device_(std::move(device)), location_(device_->allocate(size_bytes)) {}

DeviceBlock::~DeviceBlock() {
  if (device_ == nullptr) return;
  try {
    device_->free(location_);
  } catch (const std::exception& error) {
    warn(std::string("freeing a block of a pool: ") + error.what());
  }
}

DeviceAllocator::DeviceAllocator(std::shared_ptr<device::Device> device)
    : device_(std::move(device)) {
  if (!device_) throw InvalidArgument("a pool of device memory needs a device", "pass a device");
}

DeviceAllocator::DeviceAllocator(device::Device& device) noexcept
    : device_(std::shared_ptr<void>(), &device) {}

DeviceBlock DeviceAllocator::allocate(std::size_t size_bytes) { return {device_, size_bytes}; }

bool DeviceAllocator::is_done(const Stream& stream) {
  try {
    const device::LeaveDeferred leave;  // the pool's own order
    return stream->is_done();
  } catch (const DeviceError&) {
    return false;  // it is told to those who wait for that work
  }
}

std::shared_ptr<device::Event> DeviceAllocator::mark(const Stream& stream) {
  auto event = device_->make_event(device::Timing::off);
  const device::LeaveDeferred leave;
  stream->record(*event);
  return event;
}

void DeviceAllocator::wait(const Stream& stream, const Mark& mark) {
  const device::LeaveDeferred leave;
  stream->wait(*mark);
}

DevicePool& pool_of(device::Device& device) {
  return device.slot<DevicePool>([&] {
    PoolOptions options;
    const auto deferred = [&device]() -> device::DeferredWork* {
      return device::GrowAlone::is_active() ? nullptr : device.deferred();
    };
    options.before_growth = [deferred](std::size_t block_bytes) {
      if (device::DeferredWork* const work = deferred()) work->before_growth(block_bytes);
    };
    options.reclaim = [deferred] {
      if (device::DeferredWork* const work = deferred()) work->reclaim();
    };
    options.quiet_time = std::chrono::seconds(settings().pool_seconds);
    if (const std::uint64_t all = device.info().memory_bytes; all != 0)
      options.most_held_bytes = all / 100 * std::min(settings().pool_percent, 100u);
    options.owner = device.weak_from_this();
    return std::make_shared<DevicePool>(DeviceAllocator(device), std::move(options));
  });
}

}  // namespace treadle::memory

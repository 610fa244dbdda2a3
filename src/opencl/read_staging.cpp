// SPDX-License-Identifier: MIT
#include "treadle/opencl/read_staging.hpp"

#include <cstring>
#include <utility>

namespace treadle::opencl {

std::span<std::byte> ReadStaging::take(std::size_t size_bytes) {
  if (size_bytes == 0 || size_bytes > most_bytes) return {};
  const std::lock_guard lock(mutex_);
  if (is_taken_ || (last_ && !last_.is_done())) return {};
  last_ = {};
  if (!std::exchange(was_asked_, true)) return {};
  if (!was_made_) make();
  if (!memory_) return {};
  is_taken_ = true;
  return memory_->bytes().first(size_bytes);
}

void ReadStaging::make() {
  was_made_ = true;
  try {
    if (queue_.device().get<DeviceInfo::host_unified_memory>()) return;
    // In a queue of its own: in the other one the map would wait for what is before it.
    const Queue own(queue_.context(), queue_.device());
    const Buffer buffer(own.context(), most_bytes, MemFlags::read_write | MemFlags::alloc_host_ptr);
    memory_ = map(own, buffer, MapFlags::read | MapFlags::write);
  } catch (const Error&) {
    memory_.reset();  // reads go the direct way
  }
}

void ReadStaging::give_back(bool is_read) noexcept {
  const std::lock_guard lock(mutex_);
  try {
    if (!is_read) last_ = queue_.marker();
    is_taken_ = false;
  } catch (...) {
    // The read may still be under way: the memory stays taken, and reads go the direct way.
  }
}

void ReadStaging::copy(std::span<const std::byte> from, std::span<std::byte> to) noexcept {
  if (!from.empty()) std::memcpy(to.data(), from.data(), from.size());
}

}  // namespace treadle::opencl

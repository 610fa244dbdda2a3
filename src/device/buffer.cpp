// SPDX-License-Identifier: MIT
#include "treadle/device/buffer.hpp"

#include "treadle/base/error.hpp"
#include "treadle/base/warning.hpp"

namespace treadle::device {
namespace {

void check_fits(std::size_t host_bytes, std::size_t buffer_bytes) {
  if (host_bytes > buffer_bytes)
    throw InvalidArgument("the host range has " + std::to_string(host_bytes) +
                          " bytes, the buffer only " + std::to_string(buffer_bytes));
}

}  // namespace

Buffer::Buffer(std::shared_ptr<Device> device, std::size_t size_bytes)
    : device_(std::move(device)), size_bytes_(size_bytes) {
  if (device_ == nullptr) throw InvalidArgument("a Buffer needs a device");
  location_ = device_->allocate(size_bytes);
}

Buffer::Buffer(Buffer&& other) noexcept
    : device_(std::exchange(other.device_, nullptr)),
      location_(std::exchange(other.location_, {})),
      size_bytes_(other.size_bytes_) {}

Buffer& Buffer::operator=(Buffer&& other) noexcept {
  Buffer incoming(std::move(other));  // so that moving to itself keeps the memory
  std::swap(device_, incoming.device_);
  std::swap(location_, incoming.location_);
  std::swap(size_bytes_, incoming.size_bytes_);
  return *this;
}

Buffer::~Buffer() { release(); }

void Buffer::release() noexcept {
  if (device_ == nullptr) return;
  try {
    free();
  } catch (const std::exception& error) {
    warn(std::string("freeing a buffer: ") + error.what());
  }
}

void Buffer::free() {
  const Location location = this->location();
  const auto device = std::exchange(device_, nullptr);
  location_ = {};
  device->free(location);
}

void Buffer::refuse_freed() const {
  throw InvalidState("the buffer of " + std::to_string(size_bytes_) + " bytes was freed");
}

void Buffer::copy_in(std::span<const std::byte> host, Stream* stream) {
  check_fits(host.size(), size_bytes_);
  const auto waiting = stream == nullptr ? device().default_stream() : nullptr;
  Stream& queue = stream == nullptr ? *waiting : *stream;
  queue.copy_in(location(), host.data(), host.size());
  if (waiting) waiting->synchronize();
}

void Buffer::copy_out(std::span<std::byte> host, Stream* stream) const {
  check_fits(host.size(), size_bytes_);
  const auto waiting = stream == nullptr ? device().default_stream() : nullptr;
  Stream& queue = stream == nullptr ? *waiting : *stream;
  queue.copy_out(host.data(), location(), host.size());
  if (waiting) waiting->synchronize();
}

}  // namespace treadle::device

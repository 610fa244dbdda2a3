// SPDX-License-Identifier: MIT
#include "treadle/memory/buffer.hpp"

#include "treadle/base/error.hpp"
#include "treadle/device/deferred.hpp"
#include "treadle/device/host_wait.hpp"
#include "treadle/memory/device_pool.hpp"
#include "treadle/process/warning.hpp"

namespace treadle::memory {

/// What all Buffers of one memory share. How the memory ends is the derived classes' only
/// difference.
class BufferState {
 public:
  /// `host` is where the host sees the byte `host_offset` of the location's handle.
  BufferState(std::shared_ptr<device::Device> device, BufferKind kind, std::byte* host,
              std::uint64_t host_offset) noexcept
      : device_(std::move(device)), host_(host), host_offset_(host_offset), kind_(kind) {}
  virtual ~BufferState() = default;
  BufferState(const BufferState&) = delete;
  BufferState& operator=(const BufferState&) = delete;

  void add_reference() noexcept { references_.fetch_add(1, std::memory_order_relaxed); }
  void remove_reference() noexcept {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    try {
      if (!is_freed_.exchange(true)) release();
    } catch (const std::exception& error) {
      warn(std::string("freeing a buffer: ") + error.what());
    }
    delete this;
  }
  void free(device::Location location) {
    if (is_freed()) throw InvalidState("the buffer was freed");
    before_change(location);
    if (is_freed_.exchange(true)) throw InvalidState("the buffer was freed");
    release();
  }
  /// Code that the library does not see may know the address from now on.
  void let_out(device::Location location) {
    if (has_escaped_.load(std::memory_order_relaxed)) [[likely]]
      return;
    if (!has_escaped_.exchange(true)) before_change(location);
  }
  bool has_escaped() const noexcept { return has_escaped_.load(std::memory_order_relaxed); }

  bool is_shared() const noexcept { return references_.load(std::memory_order_acquire) != 1; }
  bool is_freed() const noexcept { return is_freed_.load(std::memory_order_acquire); }
  const std::shared_ptr<device::Device>& device() const noexcept { return device_; }
  BufferKind kind() const noexcept { return kind_; }
  /// Of memory that is somebody else's.
  virtual std::shared_ptr<void> owner() const { return {}; }
  /// Where the host sees a place of this memory; null if it does not.
  std::byte* host(device::Location location) const noexcept {
    return host_ != nullptr ? host_ + (location.offset - host_offset_) : nullptr;
  }

 private:
  /// What was put off and reads the memory is queued.
  void before_change(device::Location location) const {
    device::DeferredWork* const deferred = device_->deferred();
    if (deferred != nullptr && !device::LeaveDeferred::is_active())
      deferred->before_write(location, nullptr);
  }
  /// Gives the memory up; called once.
  virtual void release() = 0;

  std::atomic<std::size_t> references_ = 1;
  std::shared_ptr<device::Device> device_;
  std::byte* host_;
  std::uint64_t host_offset_;
  BufferKind kind_;
  std::atomic<bool> is_freed_ = false;
  std::atomic<bool> has_escaped_ = false;
};

namespace {

/// Memory of the device's own, of either kind.
class AllocatedState final : public BufferState {
 public:
  AllocatedState(const std::shared_ptr<device::Device>& device, BufferKind kind,
                 const device::Allocated& memory)
      : BufferState(device, kind, memory.host, 0), location_(memory.location) {}

 private:
  void release() override { device()->free(location_); }
  device::Location location_;
};

/// Memory of the device's pool.
class PooledState final : public BufferState {
 public:
  PooledState(const std::shared_ptr<device::Device>& device, Allocation<DeviceAllocator> memory)
      : BufferState(device, BufferKind::pooled, nullptr, 0), memory_(std::move(memory)) {}

 private:
  void release() override { memory_.free(); }
  Allocation<DeviceAllocator> memory_;
};

/// Memory of somebody else, which the device is told of.
class AdoptedState final : public BufferState {
 public:
  AdoptedState(const std::shared_ptr<device::Device>& device, device::Location location,
               std::size_t size_bytes, Buffer::Adoption adoption)
      : BufferState(device, adoption.kind, adoption.host, location.offset),
        location_(size_bytes != 0 ? device::Location{location.handle, 0} : device::Location{}),
        owner_(std::move(adoption.owner)) {
    if (location_) device->adopt(location_, location.offset + size_bytes);
  }
  std::shared_ptr<void> owner() const override { return owner_; }

 private:
  void release() override {
    if (location_) device()->forget(location_);
    owner_.reset();
  }
  device::Location location_;  // of the whole
  std::shared_ptr<void> owner_;
};

void require_device(const std::shared_ptr<device::Device>& device) {
  if (device == nullptr) throw InvalidArgument("a Buffer needs a device", "pass a device");
}

void check_fits(std::size_t host_bytes, std::size_t buffer_bytes) {
  if (host_bytes > buffer_bytes)
    throw InvalidArgument("the host range has " + std::to_string(host_bytes) +
                          " bytes, the buffer only " + std::to_string(buffer_bytes));
}

/// Waits for a copy; what was put off on its stream may stay so.
void finish(device::Stream& stream) {
  const device::LeaveDeferred leave;
  stream.synchronize();
}

BufferState* allocate(const std::shared_ptr<device::Device>& device, BufferKind kind,
                      std::size_t size_bytes, device::Location& location) {
  require_device(device);
  const auto memory =
      device->allocate_as(kind == BufferKind::page_locked ? device::MemoryKind::page_locked
                                                          : device::MemoryKind::device,
                          size_bytes);
  location = memory.location;
  try {
    return new AllocatedState(device, kind, memory);
  } catch (...) {
    device->free(memory.location);
    throw;
  }
}

}  // namespace

std::string_view buffer_kind_name(BufferKind kind) noexcept {
  constexpr std::string_view names[] = {"owned", "pooled",  "page-locked", "managed",
                                        "svm",   "adopted", "user"};
  return names[static_cast<std::size_t>(kind)];
}

Buffer::Buffer(const std::shared_ptr<device::Device>& device, std::size_t size_bytes)
    : state_(allocate(device, BufferKind::owned, size_bytes, location_)), size_bytes_(size_bytes) {}

Buffer Buffer::pooled(const std::shared_ptr<device::Stream>& stream, std::size_t size_bytes,
                      Site site) {
  if (stream == nullptr)
    throw InvalidArgument("stream is null; pooled memory belongs to the work of one stream",
                          "pass the stream whose kernels use the memory, such as "
                          "device->default_stream()");
  const auto device = stream->device().shared_from_this();
  // The pool must not keep the device: it keeps the stream by itself.
  Allocation<DeviceAllocator> memory =
      pool_of(*device).allocate(size_bytes, stream->shared_from_this(), site);
  const device::Location location = memory.block().location();
  return {new PooledState(device, std::move(memory)), location, size_bytes};
}

Buffer Buffer::page_locked(const std::shared_ptr<device::Device>& device, std::size_t size_bytes) {
  device::Location location;
  BufferState* state = allocate(device, BufferKind::page_locked, size_bytes, location);
  return {state, location, size_bytes};
}

Buffer Buffer::adopt(const std::shared_ptr<device::Device>& device, device::Location location,
                     std::size_t size_bytes, Adoption adoption) {
  require_device(device);
  if (adoption.kind < BufferKind::managed)
    throw InvalidArgument("memory to adopt is called " +
                              std::string(buffer_kind_name(adoption.kind)) +
                              ", which Buffers allocate themselves",
                          "adopted, managed, svm or user");
  if (!location && size_bytes != 0)
    throw InvalidArgument(std::to_string(size_bytes) + " bytes to adopt lie nowhere",
                          "pass the place of the memory");
  return {new AdoptedState(device, location, size_bytes, std::move(adoption)), location,
          size_bytes};
}

Buffer Buffer::slice(std::size_t offset_bytes, std::size_t size_bytes) const {
  require_live();
  if (offset_bytes > size_bytes_ || size_bytes > size_bytes_ - offset_bytes)
    throw InvalidArgument("a buffer of " + std::to_string(size_bytes_) + " bytes has no " +
                          std::to_string(size_bytes) + " bytes from byte " +
                          std::to_string(offset_bytes) + " on");
  state_->add_reference();
  return {state_, location_ + offset_bytes, size_bytes};
}

Buffer::Buffer(const Buffer& other) noexcept
    : location_(other.location_), state_(other.state_), size_bytes_(other.size_bytes_) {
  if (state_ != nullptr) state_->add_reference();
}

Buffer::~Buffer() {
  if (state_ != nullptr) state_->remove_reference();
}

void Buffer::free() {
  require_live();
  state_->free(location_);
}

device::Location Buffer::location() const {
  require_live();
  state_->let_out(location_);
  return location_;
}
bool Buffer::has_escaped() const noexcept { return state_ != nullptr && state_->has_escaped(); }

bool Buffer::is_shared() const noexcept { return state_ != nullptr && state_->is_shared(); }

bool Buffer::is_freed() const noexcept { return state_ == nullptr || state_->is_freed(); }

const std::shared_ptr<device::Device>& Buffer::shared_device() const {
  require_live();
  return state_->device();
}

BufferKind Buffer::kind() const noexcept {
  return state_ != nullptr ? state_->kind() : BufferKind::owned;
}

std::shared_ptr<void> Buffer::owner() const {
  require_live();
  return state_->owner();
}

std::byte* Buffer::host_data() const {
  require_live();
  state_->let_out(location_);
  return state_->host(location_);
}

void Buffer::refuse_freed() const {
  throw InvalidState("the buffer of " + std::to_string(size_bytes_) + " bytes was freed");
}

void Buffer::copy_in(std::span<const std::byte> host, device::Stream* stream) {
  check_fits(host.size(), size_bytes_);
  const auto waiting = stream == nullptr ? device().default_stream() : nullptr;
  device::Stream& queue = stream == nullptr ? *waiting : *stream;
  if (!waiting) return queue.copy_in(*this, host.data(), host.size());
  device::store(queue, *this, host.data(), host.size());
}

void Buffer::copy_out(std::span<std::byte> host, device::Stream* stream) const {
  check_fits(host.size(), size_bytes_);
  const auto waiting = stream == nullptr ? device().default_stream() : nullptr;
  device::Stream& queue = stream == nullptr ? *waiting : *stream;
  if (waiting)
    queue.fetch(host.data(), *this, host.size(), [&] { finish(queue); });
  else
    queue.copy_out(host.data(), *this, host.size());
}

}  // namespace treadle::memory

// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>

#include "treadle/device/device.hpp"
#include "treadle/opencl/context.hpp"
#include "treadle/opencl/device.hpp"
#include "treadle/opencl/memory.hpp"
#include "treadle/opencl/program.hpp"
#include "treadle/opencl/transfer.hpp"

namespace treadle::device {

inline opencl::RawMemory raw_memory(Location location) {
  return reinterpret_cast<opencl::RawMemory>(location.handle);
}

/// Memory as commands take it.
struct OpenclMemory {
  opencl::Buffer buffer;
  /// Not null: commands use the host's memory here, not the buffer, which is mapped.
  std::byte* host = nullptr;
};

/// A device in a context: one of its own, made when it is first needed, or somebody else's.
///
/// Page-locked memory is a buffer that the platform allocated on the host, mapped as long as it
/// lives. The standard forbids commands on a mapped buffer. Where host and device share their
/// memory (traits.unified_memory) the mapping is the buffer's own memory, and commands and kernels
/// use the buffer. Elsewhere copies and fills use the address that the mapping gave, which is
/// right on every platform, and kernels are refused it.
class OpenclDevice final : public Device {
 public:
  OpenclDevice(const opencl::Device& device, DeviceInfo info)
      : Device(std::move(info), false, nullptr), device_(device) {}
  OpenclDevice(opencl::Context context, const opencl::Device& device, DeviceInfo info)
      : Device(std::move(info), true, context.raw()),
        device_(device),
        context_(std::move(context)) {}
  ~OpenclDevice() override { end(); }

  const opencl::Device& shell() const noexcept { return device_; }
  const opencl::Context& context();

  /// Throws InvalidState for what is no live memory of this device.
  OpenclMemory memory_at(Location location) const;
  /// Throws NotSupported for memory that kernels cannot use.
  void require_for_kernels(Location location) const {
    if (copied_only_.load(std::memory_order_relaxed) != 0) [[unlikely]]
      refuse_copied_only(location);
  }

 private:
  struct Allocation {
    opencl::Buffer buffer;
    std::optional<opencl::Mapping> mapping;  // of page-locked memory; ends first
  };

  Allocated allocate_memory(MemoryKind kind, std::size_t size_bytes) override;
  void free_memory(MemoryKind kind, Location location) override;
  MemoryInfo query_memory() override { return {}; }
  AddressInfo query_address(std::uint64_t address) override;
  std::unique_ptr<Stream> create_stream(const StreamSource& source) override;
  std::shared_ptr<Event> create_event(Timing timing, std::uint64_t raw) override;
  std::shared_ptr<Module> load_module(const ModuleImage& image) override;
  BuildResult build_text(const BuildRequest& request) override;

  void refuse_copied_only(Location location) const;
  void require_allowed(std::size_t size_bytes) const;
  opencl::Mapping mapped(const opencl::Buffer& buffer);
  opencl::Queue queue_with(const StreamOptions& options);
  opencl::Queue queue_from(std::uint64_t raw);
  opencl::Program load_binary(std::span<const std::byte> binary);

  opencl::Device device_;
  std::once_flag context_made_;
  opencl::Context context_;
  std::once_flag mapper_made_;
  std::optional<opencl::Queue> mapper_;  // maps page-locked memory, and waits for no stream's work
  std::atomic<std::size_t> copied_only_ = 0;  // allocations that kernels are refused
  mutable std::mutex mutex_;                  // guards what follows
  std::map<std::uint64_t, Allocation> allocations_;
};

/// Asked once for each device and process. `id` empty: that by which TREADLE_DEVICE takes it (of a
/// part of a device that of the whole), "opencl" if the system's loader does not know the device.
DeviceInfo opencl_info(const opencl::Device& device, std::string id = {});
/// Makes device_of() find a native Device by the context that it made.
void remember(opencl::RawContext context, opencl::RawDevice device, std::weak_ptr<Device> native);
/// Null for a device of another run-time.
inline const OpenclDevice* opencl_cast(const Device& device) noexcept {
  return dynamic_cast<const OpenclDevice*>(&device);
}

}  // namespace treadle::device

// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "device/cuda/pattern_fill.hpp"
#include "treadle/cuda/context.hpp"
#include "treadle/cuda/device.hpp"
#include "treadle/device/device.hpp"
#include "treadle/device/launch_log.hpp"

namespace treadle::device {

/// A device of one CUDA driver in a context.
class CudaDevice final : public Device {
 public:
  /// In the primary context, which is retained when it is first needed.
  explicit CudaDevice(const cuda::Device& device);
  /// In a context that is somebody else's.
  CudaDevice(const cuda::Device& device, const cuda::Context& context);
  ~CudaDevice() override;

  const cuda::Device& shell() const noexcept { return device_; }
  const cuda::Context& context();
  bool is_lost() const noexcept override { return has_context_ && !context_.is_valid(); }

 private:
  Allocated allocate_memory(MemoryKind kind, std::size_t size_bytes) override;
  void free_memory(MemoryKind kind, Location location) override;
  MemoryInfo query_memory() override;
  AddressInfo query_address(std::uint64_t address) override;
  std::unique_ptr<Stream> create_stream(const StreamSource& source) override;
  std::shared_ptr<Event> create_event(Timing timing, std::uint64_t raw) override;
  std::shared_ptr<Module> load_module(const ModuleImage& image) override;
  BuildResult build_text(const BuildRequest& request) override;

  std::unique_ptr<Stream> adopt_raw(cuda::RawStream raw);
  std::vector<LaunchRecord> shell_launches() const;

  cuda::Device device_;
  std::once_flag context_made_;
  std::atomic<bool> has_context_ = false;
  cuda::Context context_;
  PatternFill fills_;
};

/// The context of a device of CUDA's, made if need be.
cuda::RawContext cuda_raw_context(Device& device);

}  // namespace treadle::device

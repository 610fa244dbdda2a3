// SPDX-License-Identifier: MIT
#include "treadle/device/performance.hpp"

#include <algorithm>
#include <array>
#include <chrono>

#include "treadle/device/device.hpp"
#include "treadle/device/stream.hpp"

namespace treadle::device {
namespace {

/// Memory that is given back whatever happens.
class Scratch {
 public:
  Scratch(Device& device, std::size_t size_bytes)
      : device_(device), location_(device.allocate(size_bytes)) {}
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    try {
      device_.free(location_);
    } catch (const std::exception&) {
      // Reported when the device ends.
    }
  }
  Location location() const noexcept { return location_; }

 private:
  Device& device_;
  Location location_;
};

}  // namespace

DevicePerformance measure_performance(Device& device) {
  DevicePerformance performance = device.info().performance;
  if (!device.info().traits.runs_kernels) return performance;
  constexpr std::uint64_t most = std::uint64_t{64} << 20;
  const std::uint64_t size =
      std::clamp<std::uint64_t>(device.info().limits.max_allocation_bytes / 4, 1, most);
  const Scratch from(device, size), to(device, size);
  const auto stream = device.make_stream();
  const std::array<std::byte, 1> zero = {};
  stream->fill(from.location(), zero, size);  // so that there is memory behind the addresses
  stream->copy(to.location(), from.location(), size);
  stream->synchronize();
  // By the host's clock, which every run-time has: a copy takes far longer than a wait's own cost.
  double best = 0;
  for (int repeat = 0; repeat < 5; ++repeat) {
    const auto start = std::chrono::steady_clock::now();
    stream->copy(to.location(), from.location(), size);
    stream->synchronize();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    best = std::max(best, 2 * static_cast<double>(size) / taken.count());
  }
  performance.bandwidth_bytes_per_s = best;
  performance.bandwidth = Figure::measured;
  return performance;
}

}  // namespace treadle::device

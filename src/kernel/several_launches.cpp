// SPDX-License-Identifier: MIT
#include "several_launches.hpp"

#include <algorithm>
#include <utility>

#include "treadle/device/device.hpp"

namespace treadle::kernel {

Intervals intervals_of(std::uint64_t n, unsigned tile, const codegen::Tiling& tiling,
                       const device::DeviceInfo& info) {
  const std::uint64_t units = std::max(info.performance.compute_units, 1u);
  const std::uint64_t most = units * tiling.intervals_per_unit;
  const std::uint64_t least = std::max<std::uint64_t>(tile, tiling.least_interval);
  const std::uint64_t wanted = std::max(least, n / most + (n % most != 0));
  const std::uint64_t length = (wanted / tile + (wanted % tile != 0)) * tile;
  return {static_cast<std::int64_t>(length),
          static_cast<std::int64_t>(n / length + (n % length != 0))};
}

memory::Buffer scratch_on(device::Stream& stream, std::size_t size_bytes) {
  // A pool reuses memory in the order of its stream. The device frees memory only when no work uses
  // it, in any order.
  if (stream.is_in_order()) return memory::Buffer::pooled(stream.shared_from_this(), size_bytes);
  return {stream.device().shared_from_this(), size_bytes};
}

bool has_room_to_sweep(const device::DeviceLimits& limits, const codegen::Tiling& tiling,
                       unsigned warps) {
  // Memory for the starts of digits and the sums of sub-groups.
  const std::uint64_t beside = 2 * sizeof(std::uint64_t) << tiling.sweep_bits;
  return (limits.max_group_items == 0 || warps * 32 <= limits.max_group_items) &&
         (limits.local_memory_bytes == 0 ||
          tiling.sweep_bytes + beside <= limits.local_memory_bytes);
}

void LaunchesInTurn::then(const std::function<void(const device::Order&)>& launch, Place place) {
  const device::Event* const before[] = {done_.get()};
  device::Order own{.after = done_ == nullptr ? order_.after : std::span(before)};
  std::shared_ptr<device::Event> done;
  if (place == Place::last)
    own.done = order_.done;
  else if (!stream_.is_in_order())
    own.done = (done = stream_.device().make_event()).get();
  launch(own);
  order_.after = {};
  done_ = std::move(done);
}

}  // namespace treadle::kernel

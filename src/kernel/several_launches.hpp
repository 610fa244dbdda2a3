// SPDX-License-Identifier: MIT
// Shared by computations that take several kernels: intervals of indices for groups, scratch memory
// between the kernels, and the order of the launches.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "treadle/codegen/schedule.hpp"
#include "treadle/device/copy.hpp"
#include "treadle/device/event.hpp"
#include "treadle/device/info.hpp"
#include "treadle/device/stream.hpp"
#include "treadle/memory/buffer.hpp"

namespace treadle::kernel {

/// Adjacent indices for each group. Their number depends only on n and the device.
struct Intervals {
  std::int64_t length, count;  ///< indices of each interval but the last; number of intervals
};

/// Divides n indices into intervals, some for each compute unit; lengths are multiples of `tile`.
Intervals intervals_of(std::uint64_t n, unsigned tile, const codegen::Tiling& tiling,
                       const device::DeviceInfo& info);

/// Memory for work queued on the stream during the life of the Buffer. Throws OutOfMemory.
memory::Buffer scratch_on(device::Stream& stream, std::size_t size_bytes);

/// Whether a device has room for groups with so many sub-groups whose elements are moved in local
/// memory (codegen::can_sweep(), codegen::row_items()).
bool has_room_to_sweep(const device::DeviceLimits& limits, const codegen::Tiling& tiling,
                       unsigned warps);

/// Makes launches run one after the other, even on out-of-order queues.
class LaunchesInTurn {
 public:
  /// `order` is the order of the launches as a whole.
  LaunchesInTurn(device::Stream& stream, const device::Order& order)
      : stream_(stream), order_(order) {}

  enum class Place { before_others, last };
  /// Calls `launch` with the order of the next launch.
  void then(const std::function<void(const device::Order&)>& launch,
            Place place = Place::before_others);

 private:
  device::Stream& stream_;
  device::Order order_;
  std::shared_ptr<device::Event> done_;  // of the launch before, if the queue is out of order
};

}  // namespace treadle::kernel

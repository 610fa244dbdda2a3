// SPDX-License-Identifier: MIT
// What launches of several kernels have in common: how indices are dealt to groups, memory for what
// is between, and their order.
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

/// Neighbouring indices for each group. How many there are depends on n and the device alone.
struct Intervals {
  std::int64_t length, count;  ///< indices of all but the last; groups
};

/// Deals n indices to intervals of multiples of `tile`, some for each compute unit.
Intervals intervals_of(std::uint64_t n, unsigned tile, const codegen::Tiling& tiling,
                       const device::DeviceInfo& info);

/// Memory for work that is queued on the stream while the Buffer lives. Throws OutOfMemory.
memory::Buffer scratch_on(device::Stream& stream, std::size_t size_bytes);

/// Whether a device has room for groups of so many sub-groups whose elements change places in local
/// memory (codegen::can_sweep(), codegen::row_items()).
bool has_room_to_sweep(const device::DeviceLimits& limits, const codegen::Tiling& tiling,
                       unsigned warps);

/// Makes launches run one after the other, on queues that are out of order, too.
class LaunchesInTurn {
 public:
  /// `order` is that of all together.
  LaunchesInTurn(device::Stream& stream, const device::Order& order)
      : stream_(stream), order_(order) {}

  enum class Place { before_others, last };
  /// Calls `launch` with the order for the next launch.
  void then(const std::function<void(const device::Order&)>& launch,
            Place place = Place::before_others);

 private:
  device::Stream& stream_;
  device::Order order_;
  std::shared_ptr<device::Event> done_;  // of the launch before, where the queue needs it
};

}  // namespace treadle::kernel

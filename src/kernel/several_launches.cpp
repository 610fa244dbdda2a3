// SPDX-License-Identifier: MIT
#include "several_launches.hpp"

#include <algorithm>
#include <utility>

#include "treadle/device/device.hpp"

namespace treadle::kernel {
namespace {

/// Intervals for each compute unit: wide, groups that it holds; narrow, a few, because they take
/// unequal times.
constexpr std::uint64_t wide_intervals_per_unit = 8, narrow_intervals_per_unit = 4;
/// Indices that are worth an interval of one work-item.
constexpr std::uint64_t least_narrow_length = 1 << 13;

}  // namespace

Intervals intervals_of(std::uint64_t n, unsigned tile, Schedule schedule,
                       const device::DeviceInfo& info) {
  const bool is_wide = schedule == Schedule::wide;
  const std::uint64_t units = std::max(info.performance.compute_units, 1u);
  const std::uint64_t most =
      units * (is_wide ? wide_intervals_per_unit : narrow_intervals_per_unit);
  const std::uint64_t least = is_wide ? tile : least_narrow_length;
  const std::uint64_t wanted = std::max(least, n / most + (n % most != 0));
  const std::uint64_t length = (wanted / tile + (wanted % tile != 0)) * tile;
  return {static_cast<std::int64_t>(length),
          static_cast<std::int64_t>(n / length + (n % length != 0))};
}

memory::Buffer scratch_on(device::Stream& stream, std::size_t size_bytes) {
  // The pool gives memory again in the order of its stream; a device, when it is no longer used.
  if (stream.is_in_order()) return memory::Buffer::pooled(stream.shared_from_this(), size_bytes);
  return {stream.device().shared_from_this(), size_bytes};
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

// SPDX-License-Identifier: MIT
#include "cuda_cpu/runtime/stream_order.hpp"

#include <deque>
#include <shared_mutex>
#include <utility>

namespace treadle::cuda_cpu {
namespace {

std::atomic<bool> is_tracked{false};

struct CheckedLaunches {
  std::shared_mutex mutex;
  std::deque<CheckedLaunch> all;  // references stay valid
};
CheckedLaunches& checked_launches() {
  static CheckedLaunches* const launches = new CheckedLaunches;  // detached workers read it
  return *launches;
}

}  // namespace

bool join(Positions& known, const Positions& more) {
  bool changed = false;
  for (const auto& [stream, position] : more) {
    std::uint64_t& mine = known[stream];
    if (mine < position) changed = true, mine = position;
  }
  return changed;
}

Positions PlaceInOrder::with_itself() const {
  Positions made = known == nullptr ? Positions() : *known;
  made[stream] = std::max(made[stream], position);
  return made;
}

std::shared_ptr<const Positions> StreamOrder::place(std::uint64_t position, const Positions& more) {
  Positions joined = *known_;
  if (join(joined, more)) {
    known_ = std::make_shared<const Positions>(std::move(joined));
    from_position_.emplace(position, known_);
    constexpr std::size_t most_kept = 4096;  // for waits for what was queued long ago
    if (from_position_.size() > most_kept) from_position_.erase(from_position_.begin());
  }
  return known_;
}

std::shared_ptr<const Positions> StreamOrder::known_at(std::uint64_t position) const {
  const auto behind = from_position_.upper_bound(position);
  return behind == from_position_.begin() ? nullptr : std::prev(behind)->second;
}

bool stream_order_is_tracked() noexcept { return is_tracked.load(std::memory_order_relaxed); }
void track_stream_order() noexcept { is_tracked.store(true, std::memory_order_relaxed); }

std::uint32_t add_checked_launch(CheckedLaunch launch) {
  CheckedLaunches& launches = checked_launches();
  const std::unique_lock lock(launches.mutex);
  launches.all.push_back(std::move(launch));
  return static_cast<std::uint32_t>(launches.all.size());
}

const CheckedLaunch& checked_launch(std::uint32_t number) {
  CheckedLaunches& launches = checked_launches();
  const std::shared_lock lock(launches.mutex);
  return launches.all[number - 1];
}

namespace {

bool is_placed_before(const PlaceInOrder& first, const PlaceInOrder& second) {
  if (first.known == nullptr || second.known == nullptr || first.stream == second.stream)
    return true;
  const auto found = second.known->find(first.stream);
  return found != second.known->end() && found->second >= first.position;
}

}  // namespace

bool is_below(std::uint32_t launch, std::uint32_t above) {
  while (launch != 0 && launch != above) launch = checked_launch(launch).launcher;
  return launch == above;
}

bool has_ended(std::uint32_t launch, const Positions& ended) {
  for (; launch != 0; launch = checked_launch(launch).launcher) {
    const PlaceInOrder& place = checked_launch(launch).place;
    const auto found = ended.find(place.stream);
    if (found != ended.end() && found->second >= place.position) return true;
  }
  return false;
}

/// One has ended before another starts if something that it is below of has ended before something
/// starts that the other is below of.
bool is_before(std::uint32_t earlier, std::uint32_t later) {
  for (std::uint32_t second = later; second != 0; second = checked_launch(second).launcher)
    for (std::uint32_t first = earlier; first != 0; first = checked_launch(first).launcher) {
      if (first == second) break;  // both are below it, which says nothing
      if (is_placed_before(checked_launch(first).place, checked_launch(second).place)) return true;
    }
  return false;
}

}  // namespace treadle::cuda_cpu

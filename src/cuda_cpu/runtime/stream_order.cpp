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

bool is_before(std::uint32_t earlier, std::uint32_t later) {
  const PlaceInOrder& first = checked_launch(earlier).place;
  const PlaceInOrder& second = checked_launch(later).place;
  if (first.known == nullptr || second.known == nullptr || first.stream == second.stream)
    return true;
  const auto found = second.known->find(first.stream);
  return found != second.known->end() && found->second >= first.position;
}

}  // namespace treadle::cuda_cpu

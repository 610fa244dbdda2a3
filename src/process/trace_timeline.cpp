// SPDX-License-Identifier: MIT
#include "process/trace_timeline.hpp"

#include <algorithm>

namespace treadle {
namespace {

/// Rows of the trace: streams by their number, and below them the gaps.
constexpr long gap_row = 1'000'000;
constexpr std::int64_t shortest_gap_ns = 1000;
constexpr std::size_t most_unsettled = 4096;

}  // namespace

std::string DeviceTimeline::stream_name(long stream) {
  return stream == 0 ? "default stream" : "stream " + std::to_string(stream);
}

long DeviceTimeline::stream(const void* handle) {
  const std::lock_guard lock(mutex_);
  const auto [place, is_new] = streams_.try_emplace(handle, 0);
  if (is_new) {
    if (handle != nullptr) {
      place->second = static_cast<long>(stream_ends_.size());
      stream_ends_.push_back(0);
    }
    recorder_.name_thread({process_, place->second}, stream_name(place->second));
  }
  return place->second;
}

void DeviceTimeline::forget_stream(const void* handle) {
  const std::lock_guard lock(mutex_);
  if (handle != nullptr) streams_.erase(handle);
}

void DeviceTimeline::add(const DeviceWork& work) {
  const std::lock_guard lock(mutex_);
  // Viewers drop what overlaps in one row: threads that launch on one stream at a time measure so.
  std::int64_t& stream_end = stream_ends_[static_cast<std::size_t>(work.stream)];
  const std::int64_t begin = std::max({work.begin, work.asked, stream_end});
  stream_end = std::max(begin, work.end);
  recorder_.add({.name = work.name,
                 .category = work.category,
                 .track = {process_, work.stream},
                 .begin = begin,
                 .end = stream_end,
                 .details = work.details,
                 .flow = work.flow});
  unsettled_.push_back({begin, stream_end, work.asked, work.name});
  if (unsettled_.size() >= most_unsettled) settle_until(most_unsettled / 2);
}

void DeviceTimeline::settle() {
  const std::lock_guard lock(mutex_);
  settle_until(0);
}

void DeviceTimeline::settle_until(std::size_t left) {
  std::ranges::sort(unsettled_, {}, &Interval::begin);
  const std::size_t count = unsettled_.size() - std::min(left, unsettled_.size());
  for (std::size_t i = 0; i < count; ++i) {
    const Interval& next = unsettled_[i];
    // Only where the host asked too late: a device that begins late has no row for it.
    if (busy_until_ != 0 && next.asked - busy_until_ >= shortest_gap_ns) {
      TraceDetails details;
      details.add("before", next.name);
      if (!has_gap_row_) recorder_.name_thread({process_, gap_row}, "waits for the host");
      has_gap_row_ = true;
      recorder_.add({.name = "host gap",
                     .category = "gap",
                     .track = {process_, gap_row},
                     .begin = busy_until_,
                     .end = std::max(next.begin, next.asked),
                     .details = details});
    }
    busy_until_ = std::max(busy_until_, next.end);
  }
  unsettled_.erase(unsettled_.begin(), unsettled_.begin() + static_cast<std::ptrdiff_t>(count));
}

}  // namespace treadle

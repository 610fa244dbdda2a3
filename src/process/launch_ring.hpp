// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "treadle/process/launch_site.hpp"

namespace treadle {

/// `name`, as an object that lives as long as the process: a ring must not keep modules loaded, nor
/// copy names at every launch.
const std::string* lasting_name(const std::string& name);

/// " (user.py:7)"; empty if the line is not known.
std::string site_text(const LaunchSite& site);

/// The last launches of one context or device; a Shape is what the run-time launches a kernel with,
/// a plain value. Writing costs a few nanoseconds and never waits: a launch that finds its place
/// taken, by a reader or by a thread eight launches behind, is left out.
template <class Shape>
class LaunchRing {
 public:
  struct Record {
    std::uint64_t number = 0;  ///< of the launch, from 1; 0: none yet
    const std::string* kernel = nullptr;
    Shape shape = {};
    LaunchSite site = {};
  };

  /// `kernel` is from lasting_name(); the site is the calling thread's.
  void note(const std::string* kernel, const Shape& shape) noexcept {
    const std::uint64_t number = count_.fetch_add(1, std::memory_order_relaxed) + 1;
    Place& place = places_[number % places_.size()];
    if (place.taken.test_and_set(std::memory_order_acquire)) return;
    place.record = {number, kernel, shape, launch_site()};
    place.taken.clear(std::memory_order_release);
  }

  /// The latest first.
  std::vector<Record> records() const {
    std::vector<Record> found;
    for (const Place& place : places_) {
      while (place.taken.test_and_set(std::memory_order_acquire)) std::this_thread::yield();
      const Record record = place.record;
      place.taken.clear(std::memory_order_release);
      if (record.number != 0) found.push_back(record);
    }
    std::ranges::sort(found, std::greater{}, &Record::number);
    return found;
  }

 private:
  struct Place {
    mutable std::atomic_flag taken = ATOMIC_FLAG_INIT;
    Record record;
  };
  std::atomic<std::uint64_t> count_{0};
  std::array<Place, 8> places_;
};

}  // namespace treadle

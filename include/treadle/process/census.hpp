// SPDX-License-Identifier: MIT
// How many objects of a run-time system are alive, by kind: shows what a program did not release.
#pragma once

#include <atomic>
#include <map>
#include <string>

namespace treadle {

/// The number of live objects of one kind. Make one for each kind, as an object that is never
/// destroyed: `static LiveCount& streams = *new LiveCount("cuda stream")`.
class LiveCount {
 public:
  /// `kind` must stay valid. Any thread.
  explicit LiveCount(const char* kind) noexcept;
  /// A number that is known anyway and is read on any thread when live_objects() asks, so that
  /// counting costs nothing. Not together with add() and remove().
  LiveCount(const char* kind, long (*known)()) noexcept;
  LiveCount(const LiveCount&) = delete;
  LiveCount& operator=(const LiveCount&) = delete;

  /// Counts one object more. Any thread.
  void add() noexcept { count_.fetch_add(1, std::memory_order_relaxed); }
  /// Counts one object less. Any thread.
  void remove() noexcept { count_.fetch_sub(1, std::memory_order_relaxed); }
  /// How many live now.
  long count() const {
    return known_ != nullptr ? known_() : count_.load(std::memory_order_relaxed);
  }
  /// As it was given.
  const char* kind() const noexcept { return kind_; }

 private:
  friend std::map<std::string, long> live_objects();
  const char* const kind_;
  long (*const known_)() = nullptr;
  std::atomic<long> count_{0};
  LiveCount* next_ = nullptr;  ///< of the list of all, which only grows
};

/// Kind -> live objects of this process, of the kinds that were ever made, those with none left
/// too. Exact when no other thread makes or destroys any. Any thread.
std::map<std::string, long> live_objects();

}  // namespace treadle

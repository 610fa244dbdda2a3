// SPDX-License-Identifier: MIT
// How many objects of a run-time system live now, by kind: what a program that should have let go
// of everything can be asked.
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
  /// A number that somebody knows anyway, and tells on any thread when live_objects() asks: what is
  /// counted so costs nothing. add() and remove() are not for it.
  LiveCount(const char* kind, long (*known)()) noexcept;
  LiveCount(const LiveCount&) = delete;
  LiveCount& operator=(const LiveCount&) = delete;

  /// One object more, one less. Any thread.
  void add() noexcept { count_.fetch_add(1, std::memory_order_relaxed); }
  /// One object less. Any thread.
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

// SPDX-License-Identifier: MIT
// Events that processes share: two counters in a page of memory.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "cuda_cpu/runtime/command.hpp"
#include "cuda_cpu/runtime/shared_file.hpp"

namespace treadle::cuda_cpu {

/// Counts records, from any process, and tells how many of them were reached. A record that is
/// reached after a later one changes nothing.
class SharedMark {
 public:
  /// A new one; null if the system has no memory for it.
  static std::shared_ptr<SharedMark> make();
  /// Another process's; null if that is gone.
  static std::shared_ptr<SharedMark> open(const SharedName& name);
  SharedMark(const SharedMark&) = delete;
  SharedMark& operator=(const SharedMark&) = delete;
  ~SharedMark();

  /// The number of a new record, or of the last; 0: there was none.
  std::uint64_t record() { return counters_->recorded.fetch_add(1) + 1; }
  std::uint64_t last() const { return counters_->recorded.load(); }
  /// Called when a stream has got to it.
  void reach(std::uint64_t number);
  bool is_reached(std::uint64_t number) const { return counters_->reached.load() >= number; }
  /// Waits for it, but not longer than that.
  bool wait(std::uint64_t number, std::int64_t nanoseconds) const;
  /// For other processes.
  std::optional<SharedName> name() const;

 private:
  struct Counters {
    std::atomic<std::uint64_t> recorded, reached;
    std::atomic<std::uint32_t> changes;  ///< of `reached`: a futex
  };
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
  SharedMark(int file, Counters* counters) : file_(file), counters_(counters) {}
  static std::shared_ptr<SharedMark> map(int file);

  const int file_;
  Counters* const counters_;
};

/// Holds a stream up until a record of any process is reached. Whoever runs it looks for a moment
/// and leaves again, so that no thread is kept from other work.
class SharedWaitCommand final : public Command {
 public:
  SharedWaitCommand(std::shared_ptr<SharedMark> mark, std::uint64_t number)
      : Command(Kind::work), mark_(std::move(mark)), number_(number) {}
  bool run() override { return mark_->wait(number_, look_nanoseconds); }
  bool waits_for_anybody() const override { return true; }

 private:
  static constexpr std::int64_t look_nanoseconds = 100'000;
  const std::shared_ptr<SharedMark> mark_;
  const std::uint64_t number_;
};

}  // namespace treadle::cuda_cpu

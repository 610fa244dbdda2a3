// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "cuda_cpu/runtime/stream.hpp"
#include "cuda_cpu/runtime/stream_order.hpp"

namespace treadle::cuda_cpu {

class SharedMark;
class Command;

/// What starts when a command and all below it have ended.
struct TailLaunches {
  std::shared_ptr<Stream> stream = {};  ///< of their own
  std::vector<std::unique_ptr<Command>> commands = {};
};

/// One entry of a stream. It may start when it is the first of its stream and everything it waits
/// for in other streams has finished. The scheduler owns it from submit() on and deletes it when it
/// has finished.
class Command {
 public:
  enum class Kind : std::uint8_t {
    work,    ///< run() by workers and waiting threads
    marker,  ///< nothing to run: finished as soon as it may start
    host     ///< run() by the one thread that calls host functions
  };
  explicit Command(Kind command_kind) : kind(command_kind) {}
  virtual ~Command() = default;
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  /// Does a share of the work. True when no piece is left to claim, false if this thread leaves
  /// before (leave_work_at()). Up to `limit` threads are in here at once. Must not throw; failures
  /// go to the context.
  virtual bool run() { return true; }
  /// Whether a waiting thread that must call its wait hook regularly should leave this command to
  /// the workers.
  virtual bool may_take_long() const { return false; }
  /// Called once, under the scheduler's mutex, when the last participant has left.
  virtual void finished() {}
  /// Called once, under the scheduler's mutex, when it is queued, while order is tracked.
  virtual void placed(const PlaceInOrder&) {}
  /// Called under the scheduler's mutex when it and its children have ended, until there are none.
  virtual TailLaunches take_tails() { return {}; }
  /// Whether it waits for memory that anybody may write: nobody can tell for whom then.
  virtual bool waits_for_anybody() const { return false; }

  /// Whether its stream's kernels were cancelled up to here, or what launched it was. Reads a few
  /// words: a signal's handler asks, too.
  bool is_cancelled() const {
    if (stream_ && position_ <= stream_->cancelled.load(std::memory_order_seq_cst)) return true;
    return parent_ != nullptr && parent_->is_cancelled();
  }

  const Kind kind;
  unsigned limit = 1;  ///< threads that may share the work
  bool eager = false;  ///< enough work to wake other threads at once

 private:
  friend class Scheduler;
  std::shared_ptr<Stream> stream_;
  std::uint64_t position_ = 0;
  Command* next_in_stream_ = nullptr;
  Command* next_ready_ = nullptr;  // ready list, or list of the finished
  Command* previous_ready_ = nullptr;
  std::vector<Command*> dependents_;  // in other streams, waiting for this one
  std::vector<std::shared_ptr<Stream>>
      awaited_;         // streams this one waits for: where a waiting thread may help
  unsigned unmet_ = 0;  // commands of other streams still to finish
  unsigned participants_ = 0;
  Command* parent_ = nullptr;  // that launched this one, and ends after it
  unsigned depth_ = 0;         // of parents
  unsigned children_ = 0;      // that have not ended
  bool is_over_ = false;       // but for its children
  bool is_tail_ = false;       // one of take_tails()
  bool listed_ = false;        // in the ready list
};

/// A point in a stream that other streams and threads can wait for: what an event holds.
struct StreamPoint {
  std::shared_ptr<Stream> stream;
  std::uint64_t position = 0;
  std::atomic<std::int64_t> nanoseconds{0};  ///< monotonic time at which it was reached
  std::shared_ptr<SharedMark> shared;        ///< that other processes wait for; may be null
  std::uint64_t shared_number = 0;           ///< of the record
  Command* marker = nullptr;  ///< null once reached; guarded by the scheduler's mutex
  PlaceInOrder place = {};    ///< while order is tracked; guarded by the scheduler's mutex
  bool reached() const { return stream->completed.load(std::memory_order_acquire) >= position; }
};

/// Work that is one function, cut into `pieces` that threads claim one at a time, in order.
class TaskCommand final : public Command {
 public:
  explicit TaskCommand(std::function<void(std::uint64_t piece)> work, std::uint64_t pieces = 1);
  bool run() override;

 private:
  std::function<void(std::uint64_t)> work_;
  const std::uint64_t pieces_;
  std::atomic<std::uint64_t> next_{0};
};

/// Calls a host function in stream order.
class HostCommand final : public Command {
 public:
  explicit HostCommand(std::function<void()> function)
      : Command(Kind::host), function_(std::move(function)) {}
  bool run() override {
    function_();
    return true;
  }

 private:
  std::function<void()> function_;
};

/// Notes the time at which the stream gets here.
class MarkerCommand final : public Command {
 public:
  /// `kept` lives until the stream is past the marker.
  explicit MarkerCommand(std::shared_ptr<StreamPoint> point = nullptr,
                         std::shared_ptr<const void> kept = nullptr)
      : Command(Kind::marker), point_(std::move(point)), kept_(std::move(kept)) {}
  void finished() override;
  void placed(const PlaceInOrder& place) override {
    if (point_) point_->place = place;
  }

 private:
  std::shared_ptr<StreamPoint> point_;
  std::shared_ptr<const void> kept_;
};

std::int64_t monotonic_nanoseconds();

}  // namespace treadle::cuda_cpu

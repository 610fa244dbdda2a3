// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "device/opencl/device.hpp"
#include "device/opencl/event.hpp"
#include "treadle/base/error.hpp"
#include "treadle/device/stream.hpp"
#include "treadle/opencl/event.hpp"
#include "treadle/opencl/queue.hpp"
#include "treadle/opencl/read_staging.hpp"

namespace treadle::device {

class OpenclStream final : public Stream {
 public:
  /// `is_adopted`: somebody else queues work there, too.
  OpenclStream(OpenclDevice& device, opencl::Queue queue, bool is_adopted);

  bool is_done() override;
  /// By way of page-locked memory where that is faster.
  void fetch(void* destination, Location source, std::size_t size_bytes,
             const std::function<void()>& wait) override;

  const opencl::Queue& shell() const noexcept { return queue_; }
  /// The queue for what may outlive the stream.
  const std::shared_ptr<const opencl::Queue>& lasting_queue() const noexcept { return lasting_; }
  /// Somebody else may queue work from now on, or has just done so.
  void share() const noexcept {
    is_shared_.store(true, std::memory_order_relaxed);
    note_work();
  }

 private:
  void wait_until_done() override;
  void finish();
  void queue_copy(const Copy& copy, const Order& order) override;
  void queue_fill(Location destination, std::span<const std::byte> pattern, std::size_t count,
                  const Order& order) override;
  void queue_launch(const Kernel& kernel, const LaunchShape& shape,
                    std::span<const Argument> arguments, const Order& order) override;
  void queue_record(Event& event) override;
  void queue_wait(const Event& event) override;
  void queue_callback(std::function<void()> callback) override;

  OpenclDevice& own_device() const noexcept { return static_cast<OpenclDevice&>(device()); }
  /// Whether a marker was there, or for what a new one is.
  enum class Made { before, for_work, for_others };
  std::pair<opencl::Event, Made> mark();
  /// Enqueues a command that gives its event, which becomes the marker.
  template <class Enqueue>
  void enqueue_marking(Enqueue&& enqueue) {
    const std::lock_guard lock(mutex_);  // who asks meanwhile would know nothing of what is before
    has_unmarked_ = false;
    try {
      marker_ = enqueue();
      is_marker_flushed_ = false;
    } catch (...) {
      note_work();  // what is before may have been unmarked
      throw;
    }
  }
  void forget(const opencl::Event& done);
  /// After a command, so that a marker that is made meanwhile is not taken for one behind it. A
  /// plain store: counting would cost a launch more than all its checks.
  void note_work() const noexcept { has_unmarked_.store(true, std::memory_order_release); }

  opencl::Queue queue_;
  bool waits_after_launch_;
  mutable std::atomic<bool> has_unmarked_ = false;  // commands that marker_ may not stand behind
  mutable std::atomic<bool> is_shared_;             // others queue work that is not noted here
  std::shared_ptr<const opencl::Queue> lasting_;
  opencl::ReadStaging staging_;
  std::mutex mutex_;      // guards what follows
  opencl::Event marker_;  // empty: all that it stood behind is done
  bool is_marker_flushed_ = true;
};

/// The commands that are one piece of work of a stream. The first waits for what the piece waits
/// for, each later one for the one before, and the end of the last one is that of the piece: it is
/// recorded without a marker.
class Sequence {
 public:
  /// There will be `count` commands; `last` gets the event of the last one.
  Sequence(const OpenclStream& stream, const Order& order, std::size_t count,
           opencl::Event* last = nullptr)
      : stream_(stream), done_(order.done), last_(last), count_(count) {
    // Owned: another thread may record the event anew meanwhile.
    for (const Event* event : order.after)
      if (auto recorded = static_cast<const OpenclEvent*>(event)->recorded_for(&stream.shell()))
        after_.push_back(std::move(recorded));
  }

  /// Enqueues the next command: `enqueue` gets its opencl::Order and returns its event. If a later
  /// command cannot be enqueued, waits for those that were before it throws: the caller may free
  /// what they use.
  template <class Enqueue>
  void add(Enqueue&& enqueue) {
    try {
      end_command(std::forward<Enqueue>(enqueue)(command_order()));
    } catch (...) {
      abandon();
      throw;
    }
  }

 private:
  opencl::Order command_order() const {
    const bool is_last = queued_ + 1 == count_;
    const bool is_waited_for =
        is_last ? done_ != nullptr || last_ != nullptr : !stream_.is_in_order();
    return {.after = opencl::WaitList(after_), .without_event = !is_waited_for};
  }
  void end_command(opencl::Event event) {
    after_.clear();
    const bool is_last = ++queued_ == count_;
    if (is_last && last_ != nullptr) *last_ = event;
    if (is_last && done_ != nullptr)
      static_cast<OpenclEvent*>(done_)->set(std::move(event), stream_.lasting_queue());
    else if (event)
      after_.push_back(std::move(event));
  }
  void abandon() noexcept {
    if (queued_ == 0) return;
    try {
      stream_.shell().finish();
    } catch (const Error&) {
      // Why the next command was refused is what the caller is told.
    }
  }

  const OpenclStream& stream_;
  Event* done_;
  opencl::Event* last_;
  std::vector<opencl::Event> after_;  // of the next command
  std::size_t queued_ = 0, count_;
};

}  // namespace treadle::device

// SPDX-License-Identifier: MIT
// Runs the commands of all streams on a pool of worker threads and on threads that wait for them.
//
// Order: a command starts when it is the first of its stream and what it waits for in other streams
// is done. Help: a thread that waits runs the work it waits for, so launch + synchronize needs no
// thread switch. Small work therefore wakes no worker at once: one worker, the watcher, polls every
// 50 us while there is activity and runs what no thread waits for. Large work, and work that turns
// out to be large, wakes the others. A thread with a wait hook cannot interrupt a block it runs, so
// it takes short work only (Command::may_take_long()). One mutex guards the queues of all streams;
// it is never held while a command runs or is destroyed.
#pragma once

#include <condition_variable>
#include <mutex>
#include <span>

#include "cuda_cpu/runtime/command.hpp"

namespace treadle::cuda_cpu {

/// One of several commands that follow each other in a stream without any in between.
struct Step {
  std::unique_ptr<Command> command;
  std::shared_ptr<StreamPoint> after = {};  ///< to wait for, in another stream
  std::shared_ptr<StreamPoint> marks = {};  ///< to fill in: `command` is its marker
};

/// Whether a wait may be ended by the program's wait hook.
enum class Hook { not_asked, asked };

class Scheduler {
 public:
  static Scheduler& instance();

  /// Appends to the stream, after everything the default-stream rules and `after` demand. Never
  /// waits for work. Returns the command's position in the stream.
  std::uint64_t submit(std::unique_ptr<Command> command, const std::shared_ptr<Stream>& stream,
                       std::span<StreamPoint* const> after = {});

  /// Appends the commands together.
  void submit(std::span<Step> steps, const std::shared_ptr<Stream>& stream);

  /// Appends a marker that is not reached before open(); a thread that waits for it helps with
  /// `awaited`. The marker stays valid until then.
  Command* submit_closed(const std::shared_ptr<Stream>& stream, std::span<Step> before,
                         const std::shared_ptr<Stream>& awaited);
  void open(Command& closed);

  /// Appends what a command that runs has launched. That one ends, for its stream and all who wait
  /// for it, when the child has.
  std::uint64_t submit_child(std::unique_ptr<Command> command,
                             const std::shared_ptr<Stream>& stream, Command& parent,
                             std::span<StreamPoint* const> after = {});
  /// For a thread that runs a kernel, which cannot run anything else meanwhile: another thread
  /// works in its place. False if the system has none.
  bool wait_in_kernel(Stream& stream, std::uint64_t position);

  /// Appends a marker for `point` and fills the point in; as a child of `parent`, if there is one.
  void mark(const std::shared_ptr<StreamPoint>& point, const std::shared_ptr<Stream>& stream,
            Command* parent = nullptr);

  /// Returns when the position is reached; meanwhile runs what it waits for. False if the wait hook
  /// ended the wait before that; never where it is not asked.
  bool wait(Stream& stream, std::uint64_t position, Hook hook = Hook::not_asked);
  /// Everything submitted to the stream, or to all streams of the context, so far.
  bool wait_all(Stream& stream, Hook hook = Hook::not_asked);
  bool wait_all(Context& context, Hook hook = Hook::not_asked);
  /// The program has seen that the position is reached: what it queues from now on comes after it.
  void note_seen(const Stream& stream, std::uint64_t position);

  /// Called in run(): there is too much work for this thread alone.
  void call_helpers(unsigned threads);

 private:
  Scheduler() = default;
  using Lock = std::unique_lock<std::mutex>;

  std::uint64_t append(std::unique_ptr<Command> owned, const std::shared_ptr<Stream>& stream,
                       std::span<StreamPoint* const> after);
  void append(std::span<Step> steps, const std::shared_ptr<Stream>& stream);
  void start_threads();
  void start_host_thread();
  void work_forever();
  void work_as_substitute();
  void call_host_functions_forever();
  void rest(Lock& lock, bool just_worked);
  void wake(unsigned threads);

  void add_default_stream_edges(Command& command, Stream& stream);
  void place(Command& command, Stream& stream, std::uint64_t position,
             std::span<StreamPoint* const> after);
  bool wait_until(Stream& stream, std::uint64_t position, Hook hook);
  void add_edge(Command& before, Command& after);
  void complete(Command& command);
  bool has_more(Command& command);
  Command* listed_child_of(const Command& command);
  void settle_startable();
  void announce(Command& command);
  void run_claimed(Command& command, Lock& lock);
  void list(Command& command);
  void unlist(Command& command);
  Command* pick();
  template <class Reached>
  void wait_for_others(Stream& stream, Reached&& reached, bool timed, Lock& lock);
  Command* runnable_for(Stream& stream, unsigned depth = 0);
  Command* runnable_here(Stream& stream, bool timed);
  void delete_finished(Lock& lock);

  std::mutex mutex_;
  std::condition_variable work_, watch_, done_, host_work_;
  Command* ready_first_ = nullptr;
  Command* ready_last_ = nullptr;
  Command* host_first_ = nullptr;
  Command* host_last_ = nullptr;
  /// A stream's last command.
  struct LastPlace {
    PlaceInOrder place;
    bool is_blocking = false, is_legacy = false;
  };
  // While order is tracked: what the program knows to have ended, and what is queued, by context
  // and stream.
  Positions seen_;
  std::map<const Context*, std::map<std::uint64_t, LastPlace>> placed_;
  std::vector<Command*>
      startable_;  // not yet listed: a chain of a million markers is finished without recursion
  Command* finished_ = nullptr;  // to be deleted outside the lock
  std::atomic<std::uint64_t> alarm_{
      0};                       // raised when resting threads should look: read while spinning
  std::uint64_t activity_ = 0;  // commands submitted
  std::uint64_t watched_ = 0;   // activity the watcher saw last
  unsigned quiet_looks_ = 0;
  unsigned sleepers_ = 0, spinners_ = 0, waiters_ = 0;
  unsigned blocked_ = 0, substitutes_ = 0;  // threads in wait_in_kernel(), and who works for them
  bool watching_ = false, threads_started_ = false, host_thread_started_ = false;
};

}  // namespace treadle::cuda_cpu

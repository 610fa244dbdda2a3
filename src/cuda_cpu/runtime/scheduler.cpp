// SPDX-License-Identifier: MIT
#include "cuda_cpu/runtime/scheduler.hpp"

#include <algorithm>
#include <chrono>
#include <tuple>
#include <utility>

#include "cuda_cpu/runtime/entry.hpp"
#include "cuda_cpu/runtime/machine.hpp"
#include "cuda_cpu/runtime/stop_signal.hpp"
#include "cuda_cpu/runtime/threads.hpp"
#include "cuda_cpu/runtime/wait_hook.hpp"

namespace treadle::cuda_cpu {
namespace {

using namespace std::chrono_literals;
constexpr auto look_interval = 50us;  // how late small work may start that no thread waits for
constexpr unsigned looks_before_sleep = 40;
constexpr std::int64_t spin_nanoseconds = 20'000;

/// True as soon as `reached` returns true, false after spin_nanoseconds. Does not spin on one core,
/// which the other thread needs.
template <class Reached>
bool spin_until(Reached&& reached) {
  if (machine().cores < 2) return reached();
  const std::int64_t end = monotonic_nanoseconds() + spin_nanoseconds;
  while (!reached()) {
    for (int i = 0; i < 16; ++i) pause_briefly();
    if (monotonic_nanoseconds() > end) return reached();
  }
  return true;
}

}  // namespace

Scheduler& Scheduler::instance() {
  // Never destroyed: detached workers use it until the last moment of the process. Still reachable,
  // so no leak.
  static Scheduler* const scheduler = new Scheduler;
  return *scheduler;
}

void Scheduler::start_threads() {
  threads_started_ = true;
  // At least two: two streams overlap even on one core, and a kernel that hangs does not block
  // another stream.
  const unsigned count = std::max(2u, machine().threads);
  for (unsigned i = 0; i < count; ++i)
    start_detached_thread("treadle-cpu", [] { instance().work_forever(); });
}

void Scheduler::start_host_thread() {
  host_thread_started_ =
      start_detached_thread("treadle-host-fn", [] { instance().call_host_functions_forever(); });
  if (!host_thread_started_) throw std::bad_alloc();
}

// ---- submitting

std::uint64_t Scheduler::submit(std::unique_ptr<Command> owned,
                                const std::shared_ptr<Stream>& stream,
                                std::span<StreamPoint* const> after) {
  Lock lock(mutex_);
  const std::uint64_t position = append(std::move(owned), stream, after);
  settle_startable();
  delete_finished(lock);
  return position;
}

void Scheduler::submit(std::span<Step> steps, const std::shared_ptr<Stream>& stream) {
  Lock lock(mutex_);
  append(steps, stream);
  settle_startable();
  delete_finished(lock);
}

Command* Scheduler::submit_closed(const std::shared_ptr<Stream>& stream, std::span<Step> before,
                                  const std::shared_ptr<Stream>& awaited) {
  auto marker = std::make_unique<MarkerCommand>();
  Command* const closed = marker.get();
  closed->unmet_ = 1;
  closed->awaited_.push_back(awaited);
  Lock lock(mutex_);
  awaited->order.is_untracked = true;
  append(before, stream);
  append(std::move(marker), stream, {});
  settle_startable();
  delete_finished(lock);
  return closed;
}

void Scheduler::open(Command& closed) {
  Lock lock(mutex_);
  if (--closed.unmet_ == 0 && closed.stream_->first == &closed) startable_.push_back(&closed);
  settle_startable();
  delete_finished(lock);
}

std::uint64_t Scheduler::submit_child(std::unique_ptr<Command> owned,
                                      const std::shared_ptr<Stream>& stream, Command& parent,
                                      std::span<StreamPoint* const> after) {
  owned->parent_ = &parent;
  owned->depth_ = parent.depth_ + 1;
  Lock lock(mutex_);
  ++parent.children_;
  const std::uint64_t position = append(std::move(owned), stream, after);
  settle_startable();
  delete_finished(lock);
  return position;
}

void Scheduler::append(std::span<Step> steps, const std::shared_ptr<Stream>& stream) {
  for (Step& step : steps) {
    if (step.marks) {
      step.marks->stream = stream;
      step.marks->marker = step.command.get();
    }
    StreamPoint* const after[] = {step.after.get()};
    const std::uint64_t position =
        append(std::move(step.command), stream, {after, step.after ? 1u : 0u});
    if (step.marks) step.marks->position = position;
  }
}

/// Under the mutex; the caller settles what may start.
std::uint64_t Scheduler::append(std::unique_ptr<Command> owned,
                                const std::shared_ptr<Stream>& stream,
                                std::span<StreamPoint* const> after) {
  if (!threads_started_) start_threads();
  if (owned->kind == Command::Kind::host && !host_thread_started_) start_host_thread();
  Command& command = *owned;
  command.stream_ = stream;
  add_default_stream_edges(command, *stream);
  for (StreamPoint* point : after)
    if (point->marker != nullptr) add_edge(*point->marker, command);
  const bool is_first = stream->last == nullptr;
  (is_first ? stream->first : stream->last->next_in_stream_) = &command;
  stream->last = owned.release();
  ++activity_;
  const std::uint64_t position = command.position_ = ++stream->submitted;
  if (stream_order_is_tracked()) [[unlikely]]
    place(command, *stream, position, after);
  if (is_first && command.unmet_ == 0) startable_.push_back(&command);
  return position;
}

void Scheduler::mark(const std::shared_ptr<StreamPoint>& point,
                     const std::shared_ptr<Stream>& stream, Command* parent) {
  auto marker = std::make_unique<MarkerCommand>(point);
  {
    // Before submit(): a marker on an idle stream is reached, and cleared, inside it.
    const Lock lock(mutex_);
    point->stream = stream;
    point->marker = marker.get();
  }
  point->position = parent == nullptr ? submit(std::move(marker), stream)
                                      : submit_child(std::move(marker), stream, *parent);
}

void Scheduler::add_edge(Command& before, Command& after) {
  if (before.stream_ == after.stream_) return;  // the stream's own order says it already
  before.dependents_.push_back(&after);
  after.awaited_.push_back(before.stream_);
  ++after.unmet_;
}

void Scheduler::add_default_stream_edges(Command& command, Stream& stream) {
  if (!stream.legacy && !stream.blocking()) return;
  stream.context->for_each_stream([&](const Stream& other) {
    const bool ordered = stream.legacy ? other.blocking() : other.legacy;
    if (ordered && other.last != nullptr) add_edge(*other.last, command);
  });
}

/// Says what has ended before the command starts. The queues above forget what has ended by chance
/// already, and streams that are destroyed.
void Scheduler::place(Command& command, Stream& stream, std::uint64_t position,
                      std::span<StreamPoint* const> after) {
  if (command.parent_ != nullptr) {  // what its parent comes after: checked_launch() knows
    Positions more;
    for (const StreamPoint* point : after) join(more, point->place.with_itself());
    command.placed({stream.id, position, stream.order.place(position, more)});
    return;
  }
  Positions more = seen_;
  auto& placed = placed_[stream.context.get()];
  for (const auto& [id, last] : placed) {
    const bool is_ordered = stream.legacy       ? last.is_blocking
                            : stream.blocking() ? last.is_legacy
                                                : false;
    if (is_ordered || (command.waits_for_anybody() && id != stream.id))
      join(more, last.place.with_itself());
  }
  for (const StreamPoint* point : after) join(more, point->place.with_itself());
  PlaceInOrder made{stream.id, position, stream.order.place(position, more)};
  placed[stream.id] = {made, stream.blocking(), stream.legacy};
  if (stream.order.is_untracked) made.known = nullptr;
  command.placed(made);
}

void Scheduler::note_seen(const Stream& stream, std::uint64_t position) {
  if (!stream_order_is_tracked()) return;
  const Lock lock(mutex_);
  join(seen_, PlaceInOrder{stream.id, position, stream.order.known_at(position)}.with_itself());
}

// ---- from startable to finished, all under the mutex

void Scheduler::settle_startable() {
  for (std::size_t i = 0; i < startable_.size(); ++i) {  // grows while markers are completed
    Command& command = *startable_[i];
    switch (command.kind) {
      case Command::Kind::marker:
        complete(command);
        break;
      case Command::Kind::work:
        list(command);
        announce(command);
        break;
      case Command::Kind::host:
        (host_last_ == nullptr ? host_first_ : host_last_->next_ready_) = &command;
        host_last_ = &command;
        host_work_.notify_one();
        break;
    }
  }
  startable_.clear();
}

/// Whether it ends later, with its children: the launches that it left for its end are such now.
/// What such a launch leaves in its turn takes its place, so that a million of them in a row are
/// no chain.
bool Scheduler::has_more(Command& command) {
  command.is_over_ = true;
  if (command.children_ > 0) return true;
  TailLaunches tails = command.take_tails();
  if (tails.commands.empty()) return false;
  const bool gives_place = command.is_tail_ && command.next_in_stream_ == nullptr;
  Command& above = gives_place ? *command.parent_ : command;
  for (std::unique_ptr<Command>& tail : tails.commands) {
    tail->is_tail_ = true;
    tail->parent_ = &above;
    tail->depth_ = command.depth_;
    ++above.children_;
    append(std::move(tail), tails.stream, {});
  }
  return !gives_place;
}

void Scheduler::complete(Command& command) {
  if (has_more(command)) return;
  command.finished();
  Stream& stream = *command.stream_;
  stream.first = command.next_in_stream_;
  if (stream.first == nullptr) stream.last = nullptr;
  stream.completed.fetch_add(1, std::memory_order_release);
  if (stream.first != nullptr && stream.first->unmet_ == 0) startable_.push_back(stream.first);
  for (Command* dependent : command.dependents_)
    if (--dependent->unmet_ == 0 && dependent->stream_->first == dependent)
      startable_.push_back(dependent);
  command.next_ready_ = std::exchange(finished_, &command);
  if (waiters_ > 0) done_.notify_all();
  if (Command* parent = command.parent_; parent != nullptr && --parent->children_ == 0)
    if (parent->is_over_) complete(*parent);
}

/// Commands hold modules and buffers: their destructors may take long or call back, so never under
/// the mutex.
void Scheduler::delete_finished(Lock& lock) {
  if (finished_ == nullptr) return;
  Command* command = std::exchange(finished_, nullptr);
  lock.unlock();
  while (command != nullptr) delete std::exchange(command, command->next_ready_);
  lock.lock();
}

void Scheduler::list(Command& command) {
  command.listed_ = true;
  command.next_ready_ = nullptr;
  command.previous_ready_ = ready_last_;
  (ready_last_ == nullptr ? ready_first_ : ready_last_->next_ready_) = &command;
  ready_last_ = &command;
}

void Scheduler::unlist(Command& command) {
  if (!std::exchange(command.listed_, false)) return;
  Command*& before =
      command.previous_ready_ == nullptr ? ready_first_ : command.previous_ready_->next_ready_;
  Command*& behind =
      command.next_ready_ == nullptr ? ready_last_ : command.next_ready_->previous_ready_;
  before = command.next_ready_;
  behind = command.previous_ready_;
}

// ---- threads

/// Small work is left to the thread that will wait for it, or to the watcher.
void Scheduler::announce(Command& command) {
  if (command.eager)
    wake(std::min(command.limit, machine().threads));
  else if (!watching_ && spinners_ == 0)
    wake(1);
}

void Scheduler::wake(unsigned threads) {
  alarm_.fetch_add(1, std::memory_order_relaxed);
  unsigned wanted = threads - std::min(threads, spinners_);
  for (unsigned asleep = sleepers_; wanted > 0 && asleep > 0; --wanted, --asleep)
    work_.notify_one();
  if (wanted > 0 && watching_) watch_.notify_one();
}

void Scheduler::call_helpers(unsigned threads) {
  const Lock lock(mutex_);
  wake(threads);
}

/// A command that no thread runs yet, of the highest priority, so that streams overlap; else one
/// that another thread may join. Children before their parents' next blocks.
Command* Scheduler::pick() {
  Command* best = nullptr;
  const auto rank = [](const Command& c) {
    return std::tuple(c.participants_ > 0, c.stream_->priority, -static_cast<int>(c.depth_));
  };
  for (Command* command = ready_first_; command != nullptr; command = command->next_ready_)
    if (best == nullptr || rank(*command) < rank(*best)) best = command;
  return best;
}

void Scheduler::run_claimed(Command& command, Lock& lock) {
  if (++command.participants_ >= command.limit) unlist(command);
  lock.unlock();
  const bool nothing_left = command.run();
  lock.lock();
  if (nothing_left) unlist(command);  // nobody needs to join
  if (--command.participants_ > 0) return;
  if (!nothing_left) {
    if (!command.listed_) list(command);
    return wake(1);
  }
  complete(command);
  settle_startable();
  delete_finished(lock);
}

void Scheduler::work_forever() {
  Lock lock(mutex_);
  for (bool just_worked = false;;) {
    if (Command* command = pick()) {
      if (ready_first_ != ready_last_) wake(1);
      run_claimed(*command, lock);
      just_worked = true;
    } else {
      rest(lock, std::exchange(just_worked, false));
    }
  }
}

/// Stays while there is a blocked thread without one, and a moment longer: another may be blocked.
void Scheduler::work_as_substitute() {
  constexpr auto moment = 20ms;
  Lock lock(mutex_);
  while (true) {
    if (Command* command = substitutes_ <= blocked_ ? pick() : nullptr)
      run_claimed(*command, lock);
    else if (work_.wait_for(lock, substitutes_ <= blocked_ ? look_interval : moment) ==
                 std::cv_status::timeout &&
             substitutes_ > blocked_)
      break;
  }
  --substitutes_;
}

/// Returns when there may be something to do: spins after work, watches while there is activity,
/// then sleeps.
void Scheduler::rest(Lock& lock, bool just_worked) {
  if (just_worked) {
    const std::uint64_t seen = alarm_.load(std::memory_order_relaxed);
    ++spinners_;
    lock.unlock();
    spin_until([&] { return alarm_.load(std::memory_order_relaxed) != seen; });
    lock.lock();
    --spinners_;
  } else if (!watching_ && (activity_ != watched_ || quiet_looks_ < looks_before_sleep)) {
    watching_ = true;
    watch_.wait_for(lock, look_interval);
    watching_ = false;
    quiet_looks_ = activity_ == watched_ ? quiet_looks_ + 1 : 0;
    watched_ = activity_;
  } else {
    ++sleepers_;
    work_.wait(lock);
    --sleepers_;
  }
}

void Scheduler::call_host_functions_forever() {
  forbid_calls_on_this_thread();
  Lock lock(mutex_);
  while (true) {
    while (host_first_ == nullptr) host_work_.wait(lock);
    Command& command = *host_first_;
    host_first_ = command.next_ready_;
    if (host_first_ == nullptr) host_last_ = nullptr;
    const Stream& stream = *command.stream_;
    const std::uint64_t before = stream.completed.load(std::memory_order_relaxed);
    lock.unlock();
    note_seen(stream, before);  // the function may tell the program
    command.run();
    lock.lock();
    complete(command);
    settle_startable();
    delete_finished(lock);
  }
}

// ---- waiting

/// What a thread waiting for this stream can run: its first command, or what that one waits for.
Command* Scheduler::runnable_for(Stream& stream, unsigned depth) {
  constexpr unsigned deepest = 8;
  Command* first = stream.first;
  if (first == nullptr || first->listed_ || depth > deepest)
    return depth > deepest ? nullptr : first;
  if (first->unmet_ == 0)  // running, and no room for another thread
    return first->children_ > 0 ? listed_child_of(*first) : nullptr;
  for (const auto& awaited : first->awaited_)
    if (Command* found = runnable_for(*awaited, depth + 1)) return found;
  return nullptr;
}

/// The one that was listed last: what a block waits for, more often than not.
Command* Scheduler::listed_child_of(const Command& command) {
  for (Command* listed = ready_last_; listed != nullptr; listed = listed->previous_ready_)
    for (const Command* above = listed->parent_; above != nullptr; above = above->parent_)
      if (above == &command) return listed;
  return nullptr;
}

/// Of that, what this thread may run itself. One that asks its hook in between must not be caught
/// in a kernel for longer than that, so it wakes a worker for a kernel it does not know.
Command* Scheduler::runnable_here(Stream& stream, bool timed) {
  Command* found = runnable_for(stream);
  if (found == nullptr || !timed || !found->may_take_long()) return found;
  if (found->participants_ == 0) wake(1);
  return nullptr;
}

bool Scheduler::wait(Stream& stream, std::uint64_t position, Hook hook) {
  if (!wait_until(stream, position, hook)) return false;
  note_seen(stream, position);
  return true;
}

bool Scheduler::wait_until(Stream& stream, std::uint64_t position, Hook asked) {
  const auto reached = [&] { return stream.completed.load(std::memory_order_acquire) >= position; };
  if (reached()) return true;
  const WaitHook hook = asked == Hook::asked ? wait_hook() : nullptr;
  std::int64_t next_question =
      hook != nullptr ? monotonic_nanoseconds() + wait_hook_interval_nanoseconds : 0;
  Lock lock(mutex_);
  while (!reached()) {
    if (hook != nullptr && monotonic_nanoseconds() > next_question) {
      lock.unlock();
      const int answer = hook();
      if (answer == end_work_answer) end_work(*stream.context);
      if (answer != 0) return false;
      next_question = monotonic_nanoseconds() + wait_hook_interval_nanoseconds;
      lock.lock();
    } else if (Command* command = runnable_here(stream, hook != nullptr)) {
      leave_work_at() = next_question;
      run_claimed(*command, lock);
      leave_work_at() = 0;
    } else {
      wait_for_others(stream, reached, hook != nullptr, lock);
    }
  }
  return true;
}

bool Scheduler::wait_in_kernel(Stream& stream, std::uint64_t position) {
  const auto reached = [&] { return stream.completed.load(std::memory_order_acquire) >= position; };
  Lock lock(mutex_);
  if (reached()) return true;
  ++blocked_;
  if (substitutes_ < blocked_) {
    ++substitutes_;
    if (!start_detached_thread("treadle-cpu-sub", [] { instance().work_as_substitute(); })) {
      --substitutes_;
      --blocked_;
      return false;
    }
  }
  ++waiters_;
  while (!reached()) done_.wait(lock);
  --waiters_;
  --blocked_;
  return true;
}

/// Other threads run the work: spins for a moment, then sleeps until something finishes.
template <class Reached>
void Scheduler::wait_for_others(Stream& stream, Reached&& reached, bool timed, Lock& lock) {
  lock.unlock();
  const bool done = spin_until(reached);
  lock.lock();
  if (done || reached() || runnable_here(stream, timed) != nullptr) return;
  ++waiters_;
  if (timed)
    done_.wait_for(lock, std::chrono::nanoseconds(wait_hook_interval_nanoseconds));
  else
    done_.wait(lock);
  --waiters_;
}

bool Scheduler::wait_all(Stream& stream, Hook hook) {
  return wait(stream, stream.submitted.load(std::memory_order_acquire), hook);
}

bool Scheduler::wait_all(Context& context, Hook hook) {
  Positions all;  // of streams that are destroyed, too
  if (stream_order_is_tracked()) {
    const Lock lock(mutex_);
    for (const auto& [id, last] : placed_[&context]) join(all, last.place.with_itself());
  }
  const auto streams = context.streams();
  if (!std::all_of(streams.begin(), streams.end(),
                   [&](const auto& stream) { return wait_all(*stream, hook); }))
    return false;
  if (!all.empty()) {
    const Lock lock(mutex_);
    join(seen_, all);
  }
  return true;
}

}  // namespace treadle::cuda_cpu

// SPDX-License-Identifier: MIT
// Two ways to leave a wait. The CPU device asks by itself: a thread of its own would only be in the
// way of the one that waits, which runs queued work meanwhile. NVIDIA's driver does not, and its
// waiting calls cannot be left; there a wait is a loop over the query, which costs what the
// driver's own spinning costs, and the waiting call comes when nothing is left to wait for.
#include "treadle/cuda/wait.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include "cuda/context_state.hpp"
#include "cuda/wait_state.hpp"
#include "treadle/base/error.hpp"
#include "treadle/cuda/table.hpp"

namespace treadle::cuda {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto spin_time = std::chrono::milliseconds(2);
constexpr auto question_interval = std::chrono::milliseconds(20);

// ---- the driver asks

// What the waiting calls of a thread ask meanwhile; scopes nest.
class AskingScope {
 public:
  explicit AskingScope(const WaitQuestion& question) : question_(&question) { innermost = this; }
  AskingScope(const AskingScope&) = delete;
  AskingScope& operator=(const AskingScope&) = delete;
  ~AskingScope() { innermost = outer_; }

  WaitAnswer ask() { return answer_ = (*question_)(); }
  bool was_left() const { return answer_ != WaitAnswer::go_on; }

  static thread_local AskingScope* innermost;

 private:
  const WaitQuestion* question_;
  AskingScope* outer_ = innermost;
  WaitAnswer answer_ = WaitAnswer::go_on;
};
thread_local AskingScope* AskingScope::innermost = nullptr;

int answer_of_this_thread() {
  AskingScope* const scope = AskingScope::innermost;
  return scope == nullptr ? 0 : static_cast<int>(scope->ask());
}

template <class Call>
Waited call_and_be_asked(const Context& context, const WaitQuestion& question, Call&& call) {
  context.state()->table().set_wait_hook(answer_of_this_thread);
  AskingScope scope(question);
  try {
    call();
  } catch (const DeviceError& error) {
    if (!scope.was_left() || error.code() != CUDA_ERROR_NOT_READY) throw;
    context.state()->note_left_work(true);
    return Waited::left;
  }
  return Waited::done;
}

// ---- we ask

template <class IsDone>
Waited poll(const WaitQuestion& question, IsDone&& is_done) {
  const auto done = [&] {
    try {
      return is_done();
    } catch (const DeviceError&) {
      return true;  // the waiting call says what is wrong, under its own name
    }
  };
  if (done()) return Waited::done;
  const auto start = Clock::now();
  auto next_question = start + question_interval;
  while (!done()) {
    const auto now = Clock::now();
    // Sleeping at most a fiftieth of what was waited already: nobody's measurement is off by more.
    if (now - start > spin_time)
      std::this_thread::sleep_for(
          std::min<Clock::duration>((now - start) / 50, std::chrono::milliseconds(1)));
    if (now < next_question) continue;
    next_question = now + question_interval;
    if (question() != WaitAnswer::go_on) return Waited::left;
  }
  return Waited::done;
}

// The default stream, and the blocking ones with it: they are before something queued on it only
// when something is, an event.
Waited poll_default_stream(const Context& context, const WaitQuestion& question) {
  const Activation active(context);
  if (poll(question, [] { return is_done(StreamRef{}); }) == Waited::left) return Waited::left;
  if (!any_stream_was_made()) return Waited::done;
  const Event event(context, EventFlags::disable_timing);
  event.record();
  return poll(question, [&] { return event.is_done(); });
}

bool asks(const Context& context, const WaitQuestion& question) {
  if (!question)
    throw InvalidArgument("a wait that can be left needs a question to ask",
                          "synchronize() waits without one");
  return valid_state(context).table().set_wait_hook != nullptr;
}

// For a stream or an event.
template <class Object>
Waited wait_for(const Object& object, const WaitQuestion& question) {
  if (asks(object.context(), question))
    return call_and_be_asked(object.context(), question, [&] { object.synchronize(); });
  if (poll(question, [&] { return object.is_done(); }) == Waited::left) return Waited::left;
  object.synchronize();
  return Waited::done;
}

}  // namespace

Waited wait(const Stream& stream, const WaitQuestion& question) {
  return wait_for(stream, question);
}

Waited wait(const Event& event, const WaitQuestion& question) { return wait_for(event, question); }

Waited wait(const Context& context, const WaitQuestion& question) {
  const Waited waited = wait_in(context, question, [&] { context.synchronize(); });
  if (waited == Waited::done) context.state()->note_left_work(false);
  return waited;
}

Waited wait_in(const Context& context, const WaitQuestion& question,
               const std::function<void()>& call) {
  if (asks(context, question)) return call_and_be_asked(context, question, call);
  if (poll_default_stream(context, question) == Waited::left) return Waited::left;
  call();
  return Waited::done;
}

void end_work(const Context& context) {
  const Table& cu = valid_state(context).table();
  if (cu.end_work == nullptr)
    throw NotSupported("the driver of " + context.device().name() + " cannot end what runs",
                       "detach the context, which waits; or end the process");
  check(cu, cu.end_work(context.raw()), "treadle_cpu_end_work");
}

}  // namespace treadle::cuda

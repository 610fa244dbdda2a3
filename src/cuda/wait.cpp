// SPDX-License-Identifier: MIT
// Two ways to interrupt a wait. The CPU device's waiting calls ask the question themselves: the
// waiting thread runs queued work, and another thread would only be in its way. NVIDIA's driver
// does not ask, and its waiting calls cannot be interrupted; there a wait is a loop over the query,
// which costs what the driver's own spinning costs, and the waiting call comes when the work is
// done.
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

// The question that waiting calls of a thread ask; scopes nest.
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
WaitResult call_and_be_asked(const Context& context, const WaitQuestion& question, Call&& call) {
  context.state()->table().set_wait_hook(answer_of_this_thread);
  AskingScope scope(question);
  try {
    call();
  } catch (const DeviceError& error) {
    if (!scope.was_left() || error.code() != CUDA_ERROR_NOT_READY) throw;
    context.state()->note_left_work(true);
    return WaitResult::interrupted;
  }
  return WaitResult::done;
}

// ---- we ask

template <class IsDone>
WaitResult poll(const WaitQuestion& question, IsDone&& is_done) {
  const auto done = [&] {
    try {
      return is_done();
    } catch (const DeviceError&) {
      return true;  // the waiting call says what is wrong, under its own name
    }
  };
  if (done()) return WaitResult::done;
  const auto start = Clock::now();
  auto next_question = start + question_interval;
  while (!done()) {
    const auto now = Clock::now();
    // Sleeps at most 2 % of the time waited so far: measured times are off by no more than that.
    if (now - start > spin_time)
      std::this_thread::sleep_for(
          std::min<Clock::duration>((now - start) / 50, std::chrono::milliseconds(1)));
    if (now < next_question) continue;
    next_question = now + question_interval;
    if (question() != WaitAnswer::go_on) return WaitResult::interrupted;
  }
  return WaitResult::done;
}

// The default stream, and the blocking ones with it: an event is queued on it, because work of
// those is only before something that is queued there.
WaitResult poll_default_stream(const Context& context, const WaitQuestion& question) {
  const Activation active(context);
  if (poll(question, [] { return is_done(StreamRef{}); }) == WaitResult::interrupted)
    return WaitResult::interrupted;
  if (!any_stream_was_made()) return WaitResult::done;
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
WaitResult wait_for(const Object& object, const WaitQuestion& question) {
  return wait(
      object.context(), question, [&] { return object.is_done(); }, [&] { object.synchronize(); });
}

}  // namespace

WaitResult wait(const Stream& stream, const WaitQuestion& question) {
  return wait_for(stream, question);
}

WaitResult wait(const Event& event, const WaitQuestion& question) {
  return wait_for(event, question);
}

WaitResult wait(const Context& context, const WaitQuestion& question,
                const std::function<bool()>& is_done, const std::function<void()>& synchronize) {
  if (asks(context, question)) return call_and_be_asked(context, question, synchronize);
  if (poll(question, is_done) == WaitResult::interrupted) return WaitResult::interrupted;
  synchronize();
  return WaitResult::done;
}

WaitResult wait(const Context& context, const WaitQuestion& question) {
  const WaitResult waited = wait_in(context, question, [&] { context.synchronize(); });
  if (waited == WaitResult::done) context.state()->note_left_work(false);
  return waited;
}

WaitResult wait_in(const Context& context, const WaitQuestion& question,
                   const std::function<void()>& call) {
  if (asks(context, question)) return call_and_be_asked(context, question, call);
  if (poll_default_stream(context, question) == WaitResult::interrupted)
    return WaitResult::interrupted;
  call();
  return WaitResult::done;
}

void end_work(const Context& context) {
  const Table& cu = valid_state(context).table();
  if (cu.end_work == nullptr)
    throw NotSupported("the driver of " + context.device().name() + " cannot end what runs",
                       "detach the context, which waits; or end the process");
  check(cu, cu.end_work(context.raw()), "treadle_cpu_end_work");
}

}  // namespace treadle::cuda

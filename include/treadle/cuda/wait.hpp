// SPDX-License-Identifier: MIT
// Waits that can be interrupted: for programs that must react to something else while a kernel
// runs, such as a signal or a window.
#pragma once

#include <functional>

#include "treadle/cuda/context.hpp"
#include "treadle/cuda/event.hpp"
#include "treadle/cuda/stream.hpp"

namespace treadle::cuda {

/// What the program answers a wait that asks whether to go on.
enum class WaitAnswer {
  go_on = 0,
  leave = 1,     ///< the wait ends, the work goes on
  end_work = 2,  ///< the wait ends, and with it the context's work, where the device can: see below
};
/// Asked on the thread that waits, with no lock held: for the first time after 20 to 50 ms, then as
/// often. Must not throw.
using WaitQuestion = std::function<WaitAnswer()>;

/// How a wait ended; `interrupted` says nothing about the work.
enum class WaitResult { done, interrupted };

/// As synchronize() of the object, but ends as soon as `question` returns something else than
/// go_on. The state of the work is not known then: wait again before its results are read, or the
/// memory it uses is freed. Throws what synchronize() throws, and InvalidArgument if `question` is
/// empty.
[[nodiscard]] WaitResult wait(const Stream& stream, const WaitQuestion& question);
[[nodiscard]] WaitResult wait(const Event& event, const WaitQuestion& question);
/// On a GPU the work of non-blocking streams is waited for without questions: the driver's own call
/// does that, and it cannot be interrupted.
[[nodiscard]] WaitResult wait(const Context& context, const WaitQuestion& question);
/// For streams and events of the context that no object of the shell stands for: `is_done` asks,
/// without blocking, for what `synchronize` waits. Both are called with no lock held, and throw
/// what is wrong; `is_done` may be called any number of times, or not at all.
[[nodiscard]] WaitResult wait(const Context& context, const WaitQuestion& question,
                              const std::function<bool()>& is_done,
                              const std::function<void()>& synchronize);
/// Runs `call`, which blocks until the work before it on the default stream is done, as copies and
/// fills do. If the wait is interrupted, `call` may not have been run, or may still be under way:
/// memory it reads or writes on the CPU device was taken over by the driver, and stays valid.
[[nodiscard]] WaitResult wait_in(const Context& context, const WaitQuestion& question,
                                 const std::function<void()>& call);

/// Stops the kernels that run in the context, wherever they are, and drops what is queued. The
/// context then has the error that a kernel ran too long, for good: detach it and make another.
/// Returns at once; any thread. Throws NotSupported on a GPU, whose driver cannot do that.
void end_work(const Context& context);

}  // namespace treadle::cuda

// SPDX-License-Identifier: MIT
// Waits that can be left: for programs that must answer to something else while a kernel runs, a
// signal, say, or a window.
#pragma once

#include <functional>

#include "treadle/cuda/context.hpp"
#include "treadle/cuda/event.hpp"
#include "treadle/cuda/stream.hpp"

namespace treadle::cuda {

/// What a waiting thread is told when it asks whether to go on.
enum class WaitAnswer {
  go_on = 0,
  leave = 1,     ///< the wait ends, the work goes on
  end_work = 2,  ///< the wait ends, and with it the context's work, where the device can: see below
};
/// Asked on the thread that waits, with no lock held: for the first time after 20 to 50 ms, then as
/// often. Must not throw.
using WaitQuestion = std::function<WaitAnswer()>;

/// How a wait ended; `left` says nothing about the work.
enum class Waited { done, left };

/// As synchronize() of the object, and throws what it throws, InvalidArgument where there is no
/// question; but ends as soon as `question` is
/// answered by something else than go_on. What the work is doing then nobody knows: wait again
/// before its results are read, or the memory it uses is freed.
[[nodiscard]] Waited wait(const Stream& stream, const WaitQuestion& question);
[[nodiscard]] Waited wait(const Event& event, const WaitQuestion& question);
/// On a GPU the work of non-blocking streams is waited for without questions: the driver's own call
/// does that, and it cannot be left.
[[nodiscard]] Waited wait(const Context& context, const WaitQuestion& question);
/// Runs `call`, which blocks until the work before it on the default stream is done, as copies and
/// fills do. If the wait is left, `call` may not have been run, or may still be under way: memory
/// it reads or writes on the CPU device was taken over by the driver, and stays valid.
[[nodiscard]] Waited wait_in(const Context& context, const WaitQuestion& question,
                             const std::function<void()>& call);

/// Stops the kernels that run in the context, wherever they are, and drops what is queued. The
/// context then has the error that a kernel ran too long, for good: detach it and make another.
/// Returns at once; any thread. Throws NotSupported on a GPU, whose driver cannot do that.
void end_work(const Context& context);

}  // namespace treadle::cuda

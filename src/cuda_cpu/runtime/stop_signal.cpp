// SPDX-License-Identifier: MIT
#include "cuda_cpu/runtime/stop_signal.hpp"

#include <pthread.h>
#include <signal.h>
#include <ucontext.h>

#include <algorithm>
#include <mutex>
#include <vector>

#include "cuda_cpu/runtime/entry.hpp"
#include "cuda_cpu/runtime/faults.hpp"
#include "cuda_cpu/runtime/launch.hpp"
#include "cuda_cpu/runtime/process.hpp"
#include "cuda_cpu/runtime/scheduler.hpp"
#include "cuda_cpu/runtime/services.hpp"

namespace treadle::cuda_cpu {
namespace {

struct ThreadRecord {
  pthread_t thread = pthread_self();
  std::atomic<const Context*> context{nullptr};  ///< whose kernels it runs
};

struct Records {
  std::mutex mutex;
  std::vector<ThreadRecord*> all;
};
Records& records() {
  static Records* const instance = new Records;  // threads end until the process is gone
  return *instance;
}

// Read in a signal handler: initial-exec, because the general model may allocate on first use.
__attribute__((tls_model("initial-exec"))) thread_local ThreadRecord* record_of_thread = nullptr;
__attribute__((tls_model("initial-exec"))) thread_local volatile bool in_compiled_code = false;

/// Listed while its thread lives: a signal is never sent to one that is gone.
class ListedRecord {
 public:
  ListedRecord() {
    const std::lock_guard lock(records().mutex);
    records().all.push_back(&record_);
    record_of_thread = &record_;
  }
  ListedRecord(const ListedRecord&) = delete;
  ListedRecord& operator=(const ListedRecord&) = delete;
  ~ListedRecord() {
    if (process_forked()) return;  // a thread of the parent may have held the lock
    const std::lock_guard lock(records().mutex);
    std::erase(records().all, &record_);
    record_of_thread = nullptr;
  }

 private:
  ThreadRecord record_;
};

bool wanted_to_stop() {
  const Context* context = record_of_thread->context.load(std::memory_order_relaxed);
  if (context == nullptr) return false;
  const BlockContext* block = current_block();
  return context->ending.load(std::memory_order_seq_cst) ||
         (block != nullptr && is_cancelled(*block));
}

void on_stop(int, siginfo_t*, void* machine_state) {
  if (record_of_thread == nullptr || !in_compiled_code || !wanted_to_stop()) return;
  // The jump restores no mask, and this signal is blocked in its own handler.
  pthread_sigmask(SIG_SETMASK, &static_cast<const ucontext_t*>(machine_state)->uc_sigmask, nullptr);
  leave_guarded(FaultReason::ended);
}

/// Installs the handler for a real-time signal that nobody uses; 0 if there is none.
int install_handler() {
  for (int number = SIGRTMAX - 1; number >= SIGRTMIN; --number) {
    struct sigaction before{};
    if (sigaction(number, nullptr, &before) != 0) continue;
    if ((before.sa_flags & SA_SIGINFO) != 0 || before.sa_handler != SIG_DFL) continue;
    struct sigaction action{};
    action.sa_sigaction = on_stop;
    // System calls of a thread that is not in a kernel go on as if nothing had been.
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    sigemptyset(&action.sa_mask);
    if (sigaction(number, &action, nullptr) == 0) return number;
  }
  return 0;
}

int stop_signal() {
  static const int number = install_handler();
  return number;
}

}  // namespace

void prepare_for_stop_signal() {
  if (record_of_thread != nullptr) return;
  const int number = stop_signal();
  thread_local ListedRecord record;
  if (number == 0) return;
  sigset_t ours;
  sigemptyset(&ours);
  sigaddset(&ours, number);
  pthread_sigmask(SIG_UNBLOCK, &ours, nullptr);
}

KernelThread::KernelThread(const Context& context) noexcept {
  record_of_thread->context.store(&context, std::memory_order_seq_cst);
}

KernelThread::~KernelThread() {
  record_of_thread->context.store(nullptr, std::memory_order_release);
}

void enter_compiled_code() {
  in_compiled_code = true;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  if (wanted_to_stop()) [[unlikely]]
    leave_guarded(FaultReason::ended);
}

void leave_compiled_code() noexcept {
  std::atomic_signal_fence(std::memory_order_seq_cst);
  in_compiled_code = false;
}

bool ServiceCall::pause() noexcept {
  const bool before = in_compiled_code;
  leave_compiled_code();
  return before;
}

unsigned signal_kernel_threads(const Context& context) {
  const int number = stop_signal();
  const std::lock_guard lock(records().mutex);
  unsigned sent = 0;
  for (const ThreadRecord* record : records().all)
    if (record->context.load(std::memory_order_seq_cst) == &context)
      sent += number != 0 && pthread_kill(record->thread, number) == 0;
  return sent;
}

void end_work(Context& context) {
  context.ending.store(true, std::memory_order_seq_cst);
  // A thread that is interrupted in a kernel reports which one; without such a thread, report here.
  if (signal_kernel_threads(context) == 0) context.fail_ended();
}

void cancel_kernels(Stream& stream) {
  stream.cancelled.store(stream.submitted.load(std::memory_order_acquire),
                         std::memory_order_seq_cst);
  signal_kernel_threads(*stream.context);
}

}  // namespace treadle::cuda_cpu

using namespace treadle::cuda_cpu;

/// Ends all work of a context: running kernels are left wherever they are, within milliseconds;
/// what is queued is dropped. The context then has the sticky error CUDA_ERROR_LAUNCH_TIMEOUT and
/// can only be destroyed; other contexts are not touched. Callable from any thread; does not wait.
TREADLE_CPU_EXPORT CUresult treadle_cpu_end_work(CUcontext handle) {
  return with_process([&]() -> CUresult {
    std::shared_ptr<Context> context;
    if (const CUresult failure = find_context(handle, context); failure != CUDA_SUCCESS)
      return failure;
    end_work(*context);
    return CUDA_SUCCESS;
  });
}

/// Waits for all work of a context, whose errors it leaves to others. Streams that are captured
/// stay so. Returns CUDA_ERROR_NOT_READY if the wait hook ends the wait.
TREADLE_CPU_EXPORT CUresult treadle_cpu_wait_for_work(CUcontext handle) {
  return with_process([&]() -> CUresult {
    std::shared_ptr<Context> context;
    if (const CUresult failure = find_context(handle, context); failure != CUDA_SUCCESS)
      return failure;
    return Scheduler::instance().wait_all(*context, Hook::asked) ? CUDA_SUCCESS
                                                                 : CUDA_ERROR_NOT_READY;
  });
}

/// Leaves the kernels that were put on a stream so far: what runs ends within milliseconds,
/// wherever it is, what waits is not run, and the memory that they write is as they left it.
/// Copies, events and what is put on the stream later are as ever, and the context is whole.
/// Callable from any thread; does not wait.
TREADLE_CPU_EXPORT CUresult treadle_cpu_cancel_kernels(CUcontext handle, CUstream stream) {
  return with_process([&]() -> CUresult {
    std::shared_ptr<Context> context;
    std::shared_ptr<Stream> found;
    if (const CUresult failure = find_context(handle, context); failure != CUDA_SUCCESS)
      return failure;
    if (const CUresult failure = resolve_stream(context, stream, found); failure != CUDA_SUCCESS)
      return failure;
    cancel_kernels(*found);
    return CUDA_SUCCESS;
  });
}

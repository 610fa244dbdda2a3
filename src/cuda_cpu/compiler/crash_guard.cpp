// SPDX-License-Identifier: MIT
#include "cuda_cpu/compiler/crash_guard.hpp"

#include <llvm/Support/CrashRecoveryContext.h>
#include <llvm/Support/ErrorHandling.h>
#include <pthread.h>

#include <array>
#include <csignal>
#include <cstring>
#include <list>
#include <mutex>
#include <system_error>
#include <utility>

#include "treadle/process/large_stack.hpp"

namespace treadle::cuda_cpu {
namespace {

constexpr std::array guarded_signals = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP};
constexpr std::size_t signal_stack_bytes = 64 * 1024;  ///< AVX-512 state alone takes 3 KB

/// One run of run_guarded, as its thread and the signal handler see it.
struct Guard {
  const std::function<void()>* work;
  llvm::CrashRecoveryContext* context = nullptr;
  std::string reason;
};

// The handler may run on any thread, where the first access must not allocate: reading a key does
// not. A variable of the initial-exec model would not allocate either, but it would put LLVM's
// kilobyte of thread-local data into the 1,664 bytes that glibc keeps for libraries opened late.
/// Made by run_guarded() before handlers are there. Throws std::system_error.
pthread_key_t active_key() {
  static const pthread_key_t key = [] {
    pthread_key_t made{};
    if (const int code = pthread_key_create(&made, nullptr); code != 0)
      throw std::system_error(code, std::generic_category(), "pthread_key_create");
    return made;
  }();
  return key;
}
Guard* active() { return static_cast<Guard*>(pthread_getspecific(active_key())); }
void set_active(Guard* guard) { pthread_setspecific(active_key(), guard); }

std::mutex handlers_mutex;
unsigned running = 0;  // guarded by handlers_mutex
std::array<struct sigaction, guarded_signals.size()> previous{};

[[noreturn]] void abandon(Guard& guard, int code) {
  set_active(nullptr);
  guard.context->HandleExit(code);
}

void pass_on(int signal, siginfo_t* info, void* context) {
  for (std::size_t i = 0; i < guarded_signals.size(); ++i) {
    if (guarded_signals[i] != signal) continue;
    const struct sigaction& before = previous[i];
    if ((before.sa_flags & SA_SIGINFO) != 0) return before.sa_sigaction(signal, info, context);
    if (before.sa_handler == SIG_IGN) return;
    if (before.sa_handler != SIG_DFL) return before.sa_handler(signal);
  }
  // The default is to die of it: a fault strikes again on return, a signal that was sent is sent
  // once more.
  std::signal(signal, SIG_DFL);
  if (info->si_code <= 0) raise(signal);
}

void on_signal(int signal, siginfo_t* info, void* context) {
  if (active() == nullptr) return pass_on(signal, info, context);
  // Nothing is allocated here: the heap may be what broke.
  abandon(*active(), 128 + signal);
}

void on_fatal_error(void*, const char* reason, bool) {
  if (active() == nullptr) return;
  active()->reason = reason;
  abandon(*active(), 1);
}

void install_handlers() {
  for (std::size_t i = 0; i < guarded_signals.size(); ++i) {
    struct sigaction ours{};
    ours.sa_sigaction = &on_signal;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigemptyset(&ours.sa_mask);
    struct sigaction before{};
    sigaction(guarded_signals[i], &ours, &before);
    // Left in place by somebody who saved and restored it: keep what stood before it.
    if (before.sa_sigaction != &on_signal) previous[i] = before;
  }
}

void remove_handlers() {
  for (std::size_t i = 0; i < guarded_signals.size(); ++i) {
    struct sigaction now{};
    sigaction(guarded_signals[i], nullptr, &now);
    if (now.sa_sigaction == &on_signal) sigaction(guarded_signals[i], &previous[i], nullptr);
  }
}

/// LLVM's recovery contexts work only once enabled, which installs handlers of LLVM's own: without
/// siginfo, not on the signal stack, and fatal for other threads' faults. They are taken back at
/// once; ours do their work.
void enable_recovery() {
  (void)active_key();
  std::array<struct sigaction, guarded_signals.size()> standing{};
  for (std::size_t i = 0; i < standing.size(); ++i)
    sigaction(guarded_signals[i], nullptr, &standing[i]);
  llvm::CrashRecoveryContext::Enable();
  for (std::size_t i = 0; i < standing.size(); ++i)
    sigaction(guarded_signals[i], &standing[i], nullptr);
  llvm::install_fatal_error_handler(&on_fatal_error);
}

class HandlersInPlace {
 public:
  HandlersInPlace() {
    static std::once_flag enabled;
    std::call_once(enabled, enable_recovery);
    const std::lock_guard lock(handlers_mutex);
    if (running++ == 0) install_handlers();
  }
  ~HandlersInPlace() {
    const std::lock_guard lock(handlers_mutex);
    if (--running == 0) remove_handlers();
  }
  HandlersInPlace(const HandlersInPlace&) = delete;
  HandlersInPlace& operator=(const HandlersInPlace&) = delete;
};

void* run_on_thread(void* data) {
  auto& guard = *static_cast<Guard*>(data);
  std::array<char, signal_stack_bytes> signal_stack;
  stack_t alternate{};
  alternate.ss_sp = signal_stack.data();
  alternate.ss_size = signal_stack.size();
  sigaltstack(&alternate, nullptr);
  llvm::CrashRecoveryContext context;
  guard.context = &context;
  const bool finished = context.RunSafely([&] {
    set_active(&guard);
    (*guard.work)();
  });
  set_active(nullptr);
  if (!finished && guard.reason.empty()) {
    const int signal = context.RetCode > 128 ? context.RetCode - 128 : 0;
    guard.reason =
        signal == SIGSEGV || signal == SIGBUS
            ? "the source is nested or chained too deeply, or strikes a defect of the compiler"
        : signal != 0 ? std::string("a defect of the compiler (") + strsignal(signal) + ")"
                      : "the compiler gave up";
  }
  alternate.ss_flags = SS_DISABLE;
  sigaltstack(&alternate, nullptr);
  return nullptr;
}

class GuardedThread {
 public:
  explicit GuardedThread(const std::function<void()>& work) : guard_{&work, nullptr, {}} {}

  /// 0, or why there is none.
  int start() { return thread_.start(&run_on_thread, &guard_); }
  /// Why the work was abandoned; empty if it was not. Once, after start().
  std::string join() {
    thread_.join();
    return std::move(guard_.reason);
  }

 private:
  LargeStackThread thread_;
  Guard guard_;
};

}  // namespace

std::string run_guarded(const std::function<void()>& work, unsigned threads) {
  const HandlersInPlace handlers;
  std::list<GuardedThread> running_threads;
  for (unsigned i = 0; i < threads; ++i) {
    const int failed = running_threads.emplace_back(work).start();
    if (failed == 0) continue;
    running_threads.pop_back();
    if (running_threads.empty())
      return std::string("no thread for the compiler: ") + strerror(failed);
    break;  // those that run do the work
  }
  std::string reason;
  for (GuardedThread& thread : running_threads)
    if (std::string own = thread.join(); reason.empty()) reason = std::move(own);
  return reason;
}

}  // namespace treadle::cuda_cpu

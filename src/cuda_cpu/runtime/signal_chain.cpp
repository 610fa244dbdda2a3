// SPDX-License-Identifier: MIT
// A program may install a handler after us, for instance by a late faulthandler.enable(). A
// kernel's fault would then end the process. So we install our handler again in front of it, each
// time as another function, which remembers the handler that was there:
//
//   first<0> -> what was there     faulthandler, which remembers first<0>     first<1> -> it
//
// A fault of the program itself goes to first<1>, then to faulthandler, which reinstalls first<0>
// and raises the signal again, then to first<0> and to the original handler. If both were one
// function with one variable, the two handlers would call each other for ever.
#include "cuda_cpu/runtime/signal_chain.hpp"

#include <dlfcn.h>
#include <time.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <string_view>
#include <utility>

#include "cuda_cpu/runtime/process.hpp"

namespace treadle::cuda_cpu {
namespace {

constexpr std::array handled_signals = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
constexpr std::size_t most_turns = 8;  // a program with more handlers than that is on its own

using Action = struct sigaction;
/// stood_before[turn][signal]: written before the handler of the turn is installed, then never
/// again.
std::array<std::array<Action, handled_signals.size()>, most_turns> stood_before;
std::array<std::size_t, handled_signals.size()> turns_taken;  // guarded by the mutex
std::atomic<FirstHandler> first_handler{nullptr};

__attribute__((tls_model("initial-exec"))) thread_local bool forwarding = false;

std::size_t index_of(int signal) {
  std::size_t index = 0;
  while (handled_signals[index] != signal) ++index;
  return index;
}

/// Hands a signal that is not ours to whoever handled it before.
void forward(const Action& action, int signal, siginfo_t* info, void* machine_state) {
  // A handler that chains back to us while it runs: the second time round the default action ends
  // it.
  const bool looping = std::exchange(forwarding, true);
  if (!looping && (action.sa_flags & SA_SIGINFO) != 0) {
    action.sa_sigaction(signal, info, machine_state);
  } else if (!looping && action.sa_handler == SIG_IGN && info->si_code <= 0) {
    // Sent by kill() and ignored, as the program asked.
  } else if (!looping && action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN) {
    action.sa_handler(signal);
  } else {
    Action by_default{};
    by_default.sa_handler = SIG_DFL;
    sigaction(signal, &by_default, nullptr);
    if (info->si_code <= 0) raise(signal);  // else the faulting instruction runs again and does it
  }
  forwarding = looping;
}

template <std::size_t turn>
void on_signal_in_turn(int signal, siginfo_t* info, void* machine_state) {
  first_handler.load(std::memory_order_relaxed)(signal, info, machine_state);
  forward(stood_before[turn][index_of(signal)], signal, info, machine_state);
}

using SignalFunction = void (*)(int, siginfo_t*, void*);
template <std::size_t... turn>
constexpr std::array<SignalFunction, most_turns> functions_of(std::index_sequence<turn...>) {
  return {on_signal_in_turn<turn>...};
}
constexpr auto turn_functions = functions_of(std::make_index_sequence<most_turns>());

bool same_handler(const Action& one, const Action& other) {
  const bool with_info = (one.sa_flags & SA_SIGINFO) != 0;
  if (with_info != ((other.sa_flags & SA_SIGINFO) != 0)) return false;
  return with_info ? one.sa_sigaction == other.sa_sigaction : one.sa_handler == other.sa_handler;
}

bool is_ours(const Action& action) {
  if ((action.sa_flags & SA_SIGINFO) == 0) return false;
  for (const SignalFunction function : turn_functions)
    if (action.sa_sigaction == function) return true;
  return false;
}

/// While it compiles, our compiler guards itself by handlers that pass on what is not theirs and
/// are taken away again: nothing to get in front of.
bool is_the_compilers(const Action& action) {
  Dl_info found{};
  if ((action.sa_flags & SA_SIGINFO) == 0) return false;
  const std::lock_guard lock(loader_mutex());
  if (dladdr(reinterpret_cast<void*>(action.sa_sigaction), &found) == 0) return false;
  return std::string_view(found.dli_fname).find("libtreadle_clang") != std::string_view::npos;
}

void put_in_front(std::size_t index) {
  Action now{};
  if (sigaction(handled_signals[index], nullptr, &now) != 0) return;
  if (is_ours(now) || is_the_compilers(now)) return;
  std::size_t& taken = turns_taken[index];
  std::size_t turn = 0;
  while (turn < taken && !same_handler(stood_before[turn][index], now)) ++turn;
  if (turn == most_turns) return;
  if (turn == taken) stood_before[taken++][index] = now;
  Action ours{};
  ours.sa_sigaction = turn_functions[turn];
  // On the alternate stack: the normal one may be what overflowed.
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&ours.sa_mask);
  sigaction(handled_signals[index], &ours, nullptr);
}

/// Advances every few milliseconds; reading it costs no system call.
std::int64_t coarse_time() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

std::atomic<std::int64_t> last_look{0};

}  // namespace

void put_in_front(FirstHandler handler) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  last_look.store(coarse_time(), std::memory_order_relaxed);
  first_handler.store(handler, std::memory_order_relaxed);
  for (std::size_t i = 0; i < handled_signals.size(); ++i) put_in_front(i);
}

void keep_in_front(FirstHandler handler) {
  if (last_look.load(std::memory_order_relaxed) != coarse_time()) put_in_front(handler);
}

}  // namespace treadle::cuda_cpu

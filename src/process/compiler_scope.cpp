// SPDX-License-Identifier: MIT
#include "treadle/process/compiler_scope.hpp"

#include <unistd.h>

#include <atomic>
#include <bit>
#include <chrono>
#include <cstdlib>
#include <thread>

namespace treadle {
namespace {

// Neither locks nor objects with destructors: exit() may come at any moment, and a child of fork()
// has what its parent had.
std::atomic<int> inside{0};
std::atomic<pid_t> owner{0};  // the process whose threads are counted
std::atomic<pid_t> ending{0};
std::atomic<std::thread::id> ending_thread{};
thread_local int depth = 0;

void count_from_here() noexcept {
  // The threads of a parent process are not in its child.
  if (owner.exchange(::getpid()) != ::getpid()) inside = 0;
}

}  // namespace

void end_compilers() noexcept {
  if (owner != ::getpid()) count_from_here();
  ending_thread = std::this_thread::get_id();
  ending = ::getpid();
  const auto latest = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (inside > 0 && std::chrono::steady_clock::now() < latest)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

CompilerScope::CompilerScope() noexcept {
  if (owner != ::getpid()) count_from_here();
  ++inside;
  if (depth++ > 0) return;
  if (ending == ::getpid() && ending_thread.load() != std::this_thread::get_id()) {
    --inside;
    for (;;) ::pause();
  }
}

CompilerScope::~CompilerScope() {
  --depth;
  --inside;
  // Again now and then: what a later compilation registered is to be destroyed after the wait, too.
  static std::atomic<unsigned> ended{0};
  const unsigned count = ++ended;
  if (std::has_single_bit(count)) (void)std::atexit(end_compilers);
}

}  // namespace treadle

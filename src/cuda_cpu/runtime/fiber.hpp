// SPDX-License-Identifier: MIT
// Code with a stack of its own, which can be left and resumed in the middle of a function.
#pragma once

#include <ucontext.h>

#include <cstddef>

namespace treadle::cuda_cpu {

/// A coroutine. enter() runs it until it calls leave() or ends; the next enter() resumes it. Both
/// are called by one thread. A fiber that has not ended may be restarted or destroyed.
class Fiber {
 public:
  using Body = void (*)(void* argument);

  Fiber() = default;
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;
  ~Fiber() { release(); }

  /// Gives it its stack, with a page below it that faults. False if there is no memory, or
  /// no such page.
  bool reserve();
  /// Gives the stack back; what runs on it has ended or never will.
  void release();
  /// The next `enter` calls body(argument). Needs a stack.
  void start(Body body, void* argument);
  void enter();
  /// Of the fiber that runs: back to where it was entered.
  void leave();
  bool ended() const { return ended_; }

 private:
  static void run(unsigned high, unsigned low);

  ucontext_t inside_{}, outside_{};
  std::byte* memory_ = nullptr;  // page | stack
  void* arrays_ = nullptr;       // the thread's, which grow downwards from the end
  void* local_ = nullptr;        // the local stack's end, while something else runs
  Body body_ = nullptr;
  void* argument_ = nullptr;
  void* sanitizer_inside_ = nullptr;  // what ThreadSanitizer knows it by
  void* sanitizer_outside_ = nullptr;
  bool ended_ = true;
};

}  // namespace treadle::cuda_cpu

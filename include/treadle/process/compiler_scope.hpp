// SPDX-License-Identifier: MIT
// Threads inside compilers when the process ends.
#pragma once

namespace treadle {

/// One lives on the stack of a thread for as long as that thread is inside a compiler's library.
/// exit() destroys what such libraries are made of, and a thread that is still inside would crash;
/// so exit() waits for these threads, ten seconds at most. A thread that comes once the process
/// ends stays in the constructor, but for the thread that called exit(). Scopes may be nested.
class CompilerScope {
 public:
  /// Of the compiler whose library was loaded last: exit() is told anew of each, for it ends
  /// first what was loaded last.
  enum class Of { cuda, opencl };
  explicit CompilerScope(Of of) noexcept;
  ~CompilerScope();
  CompilerScope(const CompilerScope&) = delete;
  CompilerScope& operator=(const CompilerScope&) = delete;
};

}  // namespace treadle

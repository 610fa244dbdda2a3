// SPDX-License-Identifier: MIT
// Threads inside compilers when the process ends.
#pragma once

namespace treadle {

/// One lives on the stack of a thread for as long as that thread is inside a compiler's library.
/// exit() destroys what such libraries are made of, and a thread that is still inside would crash;
/// so exit() waits for these threads first. A thread that comes later stays in the constructor, but
/// for the thread that ends the process. Scopes may be nested.
///
/// exit() runs last what was registered first, and libraries register parts of theirs while they
/// compile: only once one compilation has ended is exit() sure to wait before it destroys them. A
/// process that knows its end earlier, as an interpreter does, calls end_compilers() itself.
class CompilerScope {
 public:
  CompilerScope() noexcept;
  ~CompilerScope();
  CompilerScope(const CompilerScope&) = delete;
  CompilerScope& operator=(const CompilerScope&) = delete;
};

/// Waits for threads in scopes, ten seconds at most, and lets no other thread into one any more.
void end_compilers() noexcept;

}  // namespace treadle

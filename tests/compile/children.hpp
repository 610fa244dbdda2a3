// SPDX-License-Identifier: MIT
// Other processes for a test: forked, doing one thing, telling by their exit status how it went.
#pragma once

#include <grp.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

namespace treadle::compile {

/// Users that no process of this machine should have.
inline constexpr uid_t victim = 61001, attacker = 61002;

/// The child ends with what `work` returns, without destructors or exit handlers.
inline pid_t start_child(const std::function<int()>& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    int result = 99;
    try {
      result = work();
    } catch (...) {
    }
    ::_exit(result);
  }
  return child;
}

/// Its exit status; minus the signal that ended it.
inline int end_of(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/// Does `work` as another user; only root can.
inline int as_user(uid_t user, const std::function<int()>& work) {
  return end_of(start_child([&] {
    if (::setgroups(0, nullptr) != 0 || ::setresgid(user, user, user) != 0 ||
        ::setresuid(user, user, user) != 0)
      return 98;
    return work();
  }));
}

#define TREADLE_NEEDS_ROOT() \
  if (::geteuid() != 0) GTEST_SKIP() << "only root can act as two users"

}  // namespace treadle::compile

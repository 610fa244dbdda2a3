// SPDX-License-Identifier: MIT
#include "treadle/process/compiler_scope.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

namespace treadle {
namespace {

/// The status of a child of fork() that runs this.
template <class Run>
int status_of(Run run) {
  const pid_t child = ::fork();
  if (child == 0) {
    run();
    ::_exit(99);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void sleep_ms(int milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

std::atomic<bool> is_inside{false};
std::atomic<bool> has_come_late{false};

TEST(CompilerScope, ExitWaitsForThreadsInside) {
  const int status = status_of([] {
    {
      const CompilerScope first;
    }
    std::thread([] {
      const CompilerScope outer;
      is_inside = true;
      sleep_ms(200);
      const CompilerScope inner;
      ::_exit(7);  // reached if exit() waits
    }).detach();
    while (!is_inside) sleep_ms(1);
    std::exit(0);
  });
  EXPECT_EQ(status, 7);
}

TEST(CompilerScope, WhoComesLateStays) {
  const int status = status_of([] {
    {
      const CompilerScope scope;
    }
    // Called before the function of the scope, which was registered first.
    std::atexit([] {
      while (!has_come_late) sleep_ms(1);
      sleep_ms(50);
    });
    std::thread([] {
      const CompilerScope held;
      is_inside = true;
      while (!has_come_late) sleep_ms(1);
      sleep_ms(200);
    }).detach();
    std::thread([] {
      while (!is_inside) sleep_ms(1);
      has_come_late = true;
      sleep_ms(120);  // exit() waits for the first thread by now
      const CompilerScope scope;
      ::_exit(8);
    }).detach();
    std::exit(0);
  });
  EXPECT_EQ(status, 0);
}

TEST(CompilerScope, AChildDoesNotWaitForThreadsOfItsParent) {
  {
    const CompilerScope first;
  }
  const CompilerScope scope;
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(status_of([] { std::exit(0); }), 0);
  EXPECT_EQ(status_of([] {
              const CompilerScope own;
              std::thread([] { const CompilerScope other; }).join();
              std::atexit([] {});
              ::_exit(3);
            }),
            3);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

}  // namespace
}  // namespace treadle

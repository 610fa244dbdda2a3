// SPDX-License-Identifier: MIT
// P10: a child that is forked from a process that used OpenCL.
#include "opencl/fork.hpp"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

#include "opencl/each_platform.hpp"
#include "treadle/process/warning.hpp"

namespace treadle::opencl {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// What `work` says in a forked child; "(ended)" if it did not come back in 30 s or at all.
std::string in_child(const std::function<std::string()>& work) {
  int ends[2];
  if (::pipe(ends) != 0) return "(no pipe)";
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(30);
    const std::string text = work();
    [[maybe_unused]] const auto written = ::write(ends[1], text.data(), text.size());
    ::_exit(0);
  }
  ::close(ends[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t got; (got = ::read(ends[0], buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(got));
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? text : "(ended)";
}

std::string error_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const DeviceError& error) {
    return error.what();
  }
  return "(no error)";
}

class ForkTest : public OnEachPlatform {};
INSTANTIATE_TEST_SUITE_P(Platforms, ForkTest, each_platform, platform_test_name);

const auto names_spawn = AllOf(HasSubstr("forked"), HasSubstr("\"spawn\""));

TEST_P(ForkTest, P10_EveryUseInTheChildNamesSpawnAndTheParentGoesOn) {
  const Buffer buffer = filled<int>({1, 2, 3});
  const Program program = build("__kernel void k(__global int* a) { a[0] = 7; }");
  const std::function<void()> uses[] = {
      [&] { queue().finish(); },
      [&] { Buffer(context(), 64); },
      [&] { values_of<int>(buffer); },
      [&] { Queue{context()}; },
      [&] { program.kernel("k"); },
      [&] { build("__kernel void k() {}"); },
      [&] { Context{device()}; },
      [&] { device().name(); },
      [&] { Loader::system().platforms(); },
  };
  for (const auto& use : uses) EXPECT_THAT(in_child([&] { return error_of(use); }), names_spawn);
  EXPECT_EQ(values_of<int>(buffer), (std::vector<int>{1, 2, 3}));
  queue().finish();
}

TEST_P(ForkTest, P10_WhatTheChildDestroysIsDestroyedInSilence) {
  EXPECT_EQ(in_child([&] {
              std::string warnings;
              set_warning_handler([&](std::string_view text) { warnings += text; });
              const Context kept = context();
              return warnings + error_of([&] { Context another = kept; });
            }).find("cleaning"),
            std::string::npos);
  queue().finish();
}

TEST(Fork, ATableThatIsGoneIsForgotten) {
  std::weak_ptr<Table> watched;
  {
    const auto table = std::make_shared<Table>();
    close_in_children(table);
    watched = table;
  }
  EXPECT_TRUE(watched.expired());
  EXPECT_EQ(in_child([] { return std::string("works"); }), "works");
}

TEST(Fork, ATableIsClosedInTheChildOnly) {
  const auto loader = std::make_shared<Table>(), platform = std::make_shared<Table>();
  loader->clFinish = [](cl_command_queue) -> cl_int { return 5; };
  platform->platform = reinterpret_cast<RawPlatform>(16);
  close_in_children(loader);
  close_in_children(platform);
  EXPECT_EQ(in_child([&] { return std::to_string(loader->clFinish(nullptr)); }),
            std::to_string(forked_process));
  EXPECT_EQ(loader->clFinish(nullptr), 5);
}

}  // namespace
}  // namespace treadle::opencl

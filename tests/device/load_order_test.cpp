// SPDX-License-Identifier: MIT
// Every run-time in one process, in every order of loading them: the CPU device's compiler and
// PoCL each bring an LLVM of their own, which must not meet.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "device/each_device.hpp"

namespace treadle::device {
namespace {

/// Compiles past the caches, so that the compiler is loaded here and now, and runs.
void use(const std::string& id) {
  std::shared_ptr<Device> device;
  try {
    device = find_device(id);
  } catch (const InvalidArgument&) {
    return;  // this machine has none
  }
  const kernel::Program program(
      device, in_language(device->info().language, "KERNEL k(GLOBAL int* a) { a[INDEX] += 1; }"),
      {.cache = compile::CacheUse::disabled});
  const Buffer buffer(device, std::vector<int>(64, 41));
  const auto stream = device->make_stream();
  stream->launch(program.kernel("k"), {.group_size = 64}, buffer);
  std::vector<int> values(64);
  buffer.copy_to(values, *stream);
  stream->synchronize();
  if (values != std::vector<int>(64, device->info().traits.runs_kernels ? 42 : 41))
    throw std::runtime_error("wrong result on " + id);
}

/// In a process of its own: what is loaded stays loaded.
int run_in_child(const std::vector<std::string>& order) {
  const pid_t child = fork();
  if (child == 0) {
    int status = 0;
    try {
      for (int round = 0; round < 2; ++round)
        for (const std::string& id : order) use(id);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
      status = 1;
    }
    _exit(status);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

TEST(LoadOrder, EveryOneWorks) {
  std::vector<std::string> order = {"cpu", "cuda", "null", "opencl"};
  do {
    const std::string text = order[0] + " " + order[1] + " " + order[2] + " " + order[3];
    EXPECT_EQ(run_in_child(order), 0) << text;
  } while (std::ranges::next_permutation(order).found);
}

}  // namespace
}  // namespace treadle::device

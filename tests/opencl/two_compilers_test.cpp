// SPDX-License-Identifier: MIT
// The compiler of the CPU device has an LLVM of its own inside, PoCL loads another: neither may
// find the other's symbols. Each order of loading is a process of its own under ctest.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "treadle/base/error.hpp"
#include "treadle/compile/compile.hpp"
#include "treadle/cuda/module.hpp"
#include "treadle/opencl/program.hpp"
#include "treadle/opencl/transfer.hpp"

namespace treadle {
namespace {

/// A constant no cache has seen: both compilers must be loaded.
int fresh_number() {
  static int count = 0;
  return static_cast<int>(getpid()) * 10 + count++;
}

int by_cuda() {
  const int number = fresh_number();
  const std::string source =
      "__global__ void k(int* a) { *a = " + std::to_string(number) + " - *a; }";
  const auto program = compile::compile_cuda(source, compile::Target::parse("cpu"));
  const auto context = cuda::Context::make_current(cuda::Driver::cpu().device(0));
  cuda::DeviceMemory memory(sizeof(int));
  std::vector<int> value = {number - 7};
  memory.copy_from(value);
  cuda::Module(program.image).function("k(int*)").launch({}, memory);
  memory.copy_to(value);
  return value[0];
}

int by_opencl() {
  using namespace opencl;
  const Context context(Loader::system().platforms().front().devices().at(0));
  const Queue queue(context);
  const int number = fresh_number();
  const Program program = Program::from_source(
      context, "__kernel void k(__global int* a) { *a = " + std::to_string(number) + " - *a; }");
  program.build();
  std::vector<int> value = {number - 7};
  const Buffer memory(context, sizeof(int));
  write(queue, memory, value);
  program.kernel("k").launch({.queue = queue, .global = {1}}, memory);
  read(queue, memory, value);
  return value[0];
}

bool has_opencl() {
  try {
    return !opencl::Loader::system().platforms().empty();
  } catch (const Error&) {
    return false;
  }
}

TEST(TwoCompilers, TheCpuDevicesFirst) {
  EXPECT_EQ(by_cuda(), 7);
  if (!has_opencl()) GTEST_SKIP() << "no OpenCL platform";
  EXPECT_EQ(by_opencl(), 7);
  EXPECT_EQ(by_cuda(), 7);
  EXPECT_EQ(by_opencl(), 7);
}

TEST(TwoCompilers, PoclsFirst) {
  if (!has_opencl()) GTEST_SKIP() << "no OpenCL platform";
  EXPECT_EQ(by_opencl(), 7);
  EXPECT_EQ(by_cuda(), 7);
  EXPECT_EQ(by_opencl(), 7);
  EXPECT_EQ(by_cuda(), 7);
}

}  // namespace
}  // namespace treadle

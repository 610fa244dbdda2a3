// SPDX-License-Identifier: MIT
// Every driver call of a whole program made to fail once, at every call site: the outcome is a
// typed error or a warning, never the end of the process, and the next program starts afresh.
#include <gtest/gtest.h>

#include <vector>

#include "cuda/fake_driver.hpp"
#include "treadle/cuda/event.hpp"
#include "treadle/cuda/module.hpp"

namespace treadle::cuda {
namespace {

void use_memory() {
  std::vector<int> values(4);
  DeviceMemory memory(16), freed(16);
  memory.copy_from(values);
  memory.copy_to(values);
  freed.free();
  HostMemory host(16);
  ManagedMemory managed(16);
  const RegisteredMemory registered(values.data(), 16);
}

void use_two_events() {
  const Stream stream;
  const Event start, end;
  start.record(stream);
  stream.wait(start);
  end.record(stream);
  stream.synchronize();
  stream.is_done();
  end.milliseconds_since(start);
}

void use_kernels() {
  const Module module(ModuleImage{std::vector<std::byte>(16), {}});
  const Function kernel = module.function("k(int)");
  kernel.launch({.block = {2}}, 5);
  module.context().synchronize();
}

void one_of_each() {
  const Driver driver = fake::driver();
  const Device device = driver.devices().front();
  const auto primary = Context::make_current(device);
  const auto explicit_one = Context::make_current(Context::create(device));
  use_memory();
  use_two_events();
  use_kernels();
}

class FaultInjection : public testing::TestWithParam<int> {};

TEST_P(FaultInjection, NoCallSiteEndsTheProcess) {
  set_default_driver(fake::driver(), "a test");
  int reported = 0;
  for (int call = 1;; ++call) {
    fake::reset();
    fake::state().kernels = {{"_Z1ki", {{0, 4}}}};
    fake::state().fail_call = call;
    fake::state().fail_code = GetParam();
    const fake::Warnings warnings;
    bool failed = false;
    try {
      one_of_each();
    } catch (const Error& error) {
      failed = true;
      EXPECT_FALSE(error.message().empty());
    }
    EXPECT_EQ(Context::stack_depth(), 0u) << "call " << call;
    if (fake::state().entered < call) {
      EXPECT_FALSE(failed);
      break;
    }
    const bool is_known = failed || !warnings.texts().empty();
    EXPECT_TRUE(is_known) << fake::state().calls[static_cast<std::size_t>(call) - 1];
    EXPECT_TRUE(fake::state().live_allocations() == 0 || is_known);
    reported += is_known ? 1 : 0;
  }
  EXPECT_GT(reported, 40);
  fake::reset();
}

INSTANTIATE_TEST_SUITE_P(Codes, FaultInjection,
                         testing::Values(CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_OUT_OF_MEMORY,
                                         CUDA_ERROR_ILLEGAL_ADDRESS, CUDA_ERROR_UNKNOWN));

}  // namespace
}  // namespace treadle::cuda

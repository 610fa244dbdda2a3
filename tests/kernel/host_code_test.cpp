// SPDX-License-Identifier: MIT
// tests/cuda_cpu/compiler/kernel_checks_test.py reads results of libraries with TREADLE_CHECK=init.
#include "treadle/kernel/host_code.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "treadle/memory/buffer.hpp"

namespace treadle::kernel {
namespace {

TEST(HostCode, RunsOnTheCpuDeviceOnly) {
  for (const auto& device : device::devices()) {
    const bool is_cpu = device->info().id == "cpu";
    EXPECT_EQ(runs_host_code(*device), is_cpu) << device->info().id;
  }
}

TEST(HostCode, NothingIsStoredWithoutTheCheck) {
  for (const auto& device : device::devices()) {
    if (!device->info().traits.runs_kernels) continue;
    const std::vector<int> values{1, 2, 3};
    const memory::Buffer elements(device, values);
    announce_host_result(*device->default_stream(), elements.location(), 12);
    std::vector<int> got(3);
    elements.copy_to(got);
    EXPECT_EQ(got, values) << device->info().id;
  }
}

}  // namespace
}  // namespace treadle::kernel

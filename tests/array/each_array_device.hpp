// SPDX-License-Identifier: MIT
// What the tests of arrays share: each device of the machine, and reading results.
#pragma once

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "device/each_device.hpp"
#include "sanitized.hpp"
#include "treadle/array/array.hpp"
#include "treadle/device/current.hpp"
#include "treadle/kernel/workspace.hpp"
#include "treadle/memory/device_pool.hpp"

namespace treadle::array {

using device::device_test_name;

/// Devices in users' contexts are tested without sanitizers: what differs there is below arrays,
/// and OpenCL's compiler makes each kernel anew in another context.
inline auto each_device() {
  return is_sanitized ? device::each_native_device() : device::each_device();
}

/// A device of the machine, native or in a user's context.
class OnEachArrayDevice : public device::OnEachDevice {
 protected:
  void SetUp() override {
    OnEachDevice::SetUp();
    // Devices keep the workspace of each stream, which kernels of the wide schedule use.
    for (const auto& stream : {shared_stream(), device()->default_stream()})
      kernel::with_workspace(*stream, {.partial_bytes = 1, .tickets = 1, .words = 1},
                             [](const kernel::Workspace&) {});
    note_live_memory();
  }
  void TearDown() override {
    memory::pool_of(*device()).free_held();
    OnEachDevice::TearDown();
  }
  Placement here() { return {.stream = shared_stream()}; }
  Array make(const std::vector<float>& values) { return Array::from(values, here()); }
  static std::vector<float> count_up(std::size_t count) {
    std::vector<float> values(count);
    std::iota(values.begin(), values.end(), 0.f);
    return values;
  }
  /// What the device computed; null devices compute nothing.
  void expect(const Array& array, const std::vector<float>& expected) {
    const std::vector<float> values = array.as<float>();
    if (runs_kernels()) {
      EXPECT_EQ(values, expected);
    }
  }
};

}  // namespace treadle::array

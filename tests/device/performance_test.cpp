// SPDX-License-Identifier: MIT
#include "treadle/device/performance.hpp"

#include "device/each_device.hpp"

namespace treadle::device {
namespace {

class PerformanceTest : public OnEachDevice {};
INSTANTIATE_TEST_SUITE_P(Devices, PerformanceTest, each_device(), device_test_name);

TEST_P(PerformanceTest, BandwidthIsMeasuredWhereKernelsRun) {
  const DevicePerformance measured = measure_performance(*device());
  EXPECT_EQ(measured.compute_units, info().performance.compute_units);
  EXPECT_EQ(measured.bandwidth == Figure::measured, runs_kernels());
  EXPECT_EQ(measured.bandwidth_bytes_per_s > 0, runs_kernels());
}

}  // namespace
}  // namespace treadle::device

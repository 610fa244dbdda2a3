// SPDX-License-Identifier: MIT
// The search that tests/array/searching_test.cpp calls, on memory.
#include "treadle/kernel/search.hpp"

#include <gtest/gtest.h>

#include "device/each_device.hpp"
#include "treadle/base/error.hpp"
#include "treadle/memory/buffer.hpp"

namespace treadle::kernel {
namespace {

class SearchTest : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Devices, SearchTest, device::each_native_device(),
                         device::device_test_name);

TEST_P(SearchTest, FindsPlacesOfNegativeNumbers) {
  const auto device = device::find_device(GetParam());
  const auto stream = device->make_stream();
  const memory::Buffer sorted(device, std::vector<std::int32_t>{-7, -1, -1, 4});
  const memory::Buffer wanted(device, std::vector<std::int32_t>{-1, 5, -9});
  const memory::Buffer places(device, 3 * sizeof(std::int64_t));
  launch_search(*stream, {Scalar::int32, 4, 3, true}, {sorted, wanted, places});
  stream->synchronize();
  std::vector<std::int64_t> found(3);
  places.copy_to(found);
  if (device->info().traits.runs_kernels) {
    EXPECT_EQ(found, (std::vector<std::int64_t>{3, 4, 0}));
  }
  EXPECT_THROW(launch_search(*stream, {Scalar::structure, 4, 3, true}, {sorted, wanted, places}),
               DTypeError);
}

}  // namespace
}  // namespace treadle::kernel

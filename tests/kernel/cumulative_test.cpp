// SPDX-License-Identifier: MIT
#include "treadle/kernel/cumulative.hpp"

#include <gtest/gtest.h>

#include <complex>

#include "views.hpp"

namespace treadle::kernel {
namespace {

class CumulativeTest : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Devices, CumulativeTest, device::each_native_device(),
                         device::device_test_name);

TEST_P(CumulativeTest, MultipliesComplexNumbersInRowsAndInPlace) {
  const auto device = device::find_device(GetParam());
  const auto stream = device->make_stream();
  using Element = std::complex<float>;
  std::vector<Element> x(3 * 700), expected;
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = i % 2 == 0 ? Element(0, 1) : Element(float(i % 3) - 1, 0);
    if (i % 5 != 0) x[i] = Element(0, -1);
    expected.push_back(i % 700 == 0 ? x[i] : expected.back() * x[i]);
  }
  const memory::Buffer buffer(device, x);
  launch_cumulative(*stream, {Cumulation::product, Scalar::complex64, 3, 700}, buffer, buffer);
  stream->synchronize();
  if (!device->info().traits.runs_kernels) return;
  buffer.copy_to(x);
  EXPECT_TRUE(x == expected);
}

TEST_P(CumulativeTest, RefusesDtypesInWhichNothingIsAdded) {
  const auto device = device::find_device(GetParam());
  const memory::Buffer buffer(device, 40);
  for (const Scalar dtype : {Scalar::boolean, Scalar::float16})
    EXPECT_THROW(launch_cumulative(*device->default_stream(), {Cumulation::sum, dtype, 1, 4},
                                   buffer, buffer),
                 DTypeError);
}

}  // namespace
}  // namespace treadle::kernel

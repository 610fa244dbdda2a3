// SPDX-License-Identifier: MIT
#include "treadle/kernel/array_scan.hpp"

#include <gtest/gtest.h>

#include <complex>

#include "views.hpp"

namespace treadle::kernel {
namespace {

class LaunchedArrayScanTest : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Devices, LaunchedArrayScanTest, device::each_native_device(),
                         device::device_test_name);

TEST_P(LaunchedArrayScanTest, MultipliesComplexNumbersInRowsAndInPlace) {
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
  launch_array_scan(*stream,
                    {.operation = {.op = Op::multiply},
                     .dtype = Scalar::complex64,
                     .segments = ScanSegments::rows,
                     .rows = 3,
                     .length = 700},
                    {buffer, buffer, buffer});
  stream->synchronize();
  if (!device->info().traits.runs_kernels) return;
  buffer.copy_to(x);
  EXPECT_TRUE(x == expected);
}

/// Backwards and in place: what is read of one element is written of none but it.
TEST_P(LaunchedArrayScanTest, GoesBackwardsInPlace) {
  const auto device = device::find_device(GetParam());
  const auto stream = device->make_stream();
  std::vector<std::int64_t> x(60'000, 1);
  const memory::Buffer buffer(device, x);
  launch_array_scan(
      *stream, {.operation = {}, .dtype = Scalar::int64, .is_reversed = true, .length = x.size()},
      {buffer, buffer, buffer});
  stream->synchronize();
  if (!device->info().traits.runs_kernels) return;
  buffer.copy_to(x);
  for (std::size_t i = 0; i < x.size(); ++i)
    ASSERT_EQ(x[i], static_cast<std::int64_t>(x.size() - i));
}

/// Of 1,000,003 elements the wide kernel's last tile is not whole.
TEST_P(LaunchedArrayScanTest, AddsSmallIntegersUpAsLargerOnes) {
  const auto device = device::find_device(GetParam());
  const auto stream = device->make_stream();
  const std::vector<std::int8_t> x(1'000'003, -100);
  std::vector<std::int64_t> sums(x.size());
  const memory::Buffer elements(device, x), results(device, sums);
  launch_array_scan(
      *stream,
      {.operation = {}, .dtype = Scalar::int64, .element_dtype = Scalar::int8, .length = x.size()},
      {elements, results, elements});
  stream->synchronize();
  if (!device->info().traits.runs_kernels) return;
  results.copy_to(sums);
  for (std::size_t i = 0; i < sums.size(); ++i)
    ASSERT_EQ(sums[i], -100 * static_cast<std::int64_t>(i + 1));
}

TEST_P(LaunchedArrayScanTest, RefusesDtypesAndKeysThatItDoesNotTake) {
  const auto device = device::find_device(GetParam());
  const memory::Buffer buffer(device, 40);
  device::Stream& stream = *device->default_stream();
  for (const Scalar dtype : {Scalar::float16, Scalar::structure})
    EXPECT_THROW(launch_array_scan(stream, {.operation = {}, .dtype = dtype, .length = 4},
                                   {buffer, buffer, buffer}),
                 DTypeError);
  EXPECT_THROW(launch_array_scan(stream,
                                 {.operation = {},
                                  .dtype = Scalar::int32,
                                  .segments = ScanSegments::keys,
                                  .key_dtype = Scalar::complex64,
                                  .length = 4},
                                 {buffer, buffer, buffer}),
               DTypeError);
  EXPECT_THROW(launch_array_scan(stream,
                                 {.operation = {.combine = "a + b"},
                                  .dtype = Scalar::int32,
                                  .is_exclusive = true,
                                  .length = 4},
                                 {buffer, buffer, buffer}),
               InvalidArgument);
}

}  // namespace
}  // namespace treadle::kernel

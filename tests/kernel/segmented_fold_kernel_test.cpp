// SPDX-License-Identifier: MIT
#include "treadle/kernel/segmented_fold_kernel.hpp"

#include "views.hpp"

namespace treadle::kernel {
namespace {

class SegmentedFoldKernelTest : public testing::TestWithParam<DeviceAndSchedule> {
 protected:
  void SetUp() override {
    device_ = device::find_device(std::get<0>(GetParam()));
    stream_ = device_->make_stream();
  }
  const std::shared_ptr<device::Device>& device() const { return device_; }
  device::Stream& stream() const { return *stream_; }
  SegmentedFoldOptions options() const { return {.schedule = std::get<1>(GetParam())}; }

 private:
  std::shared_ptr<device::Device> device_;
  std::shared_ptr<device::Stream> stream_;
};
INSTANTIATE_TEST_SUITE_P(Devices, SegmentedFoldKernelTest, each_device_and_schedule(),
                         schedule_test_name);

/// Rows of a sparse matrix, of 0 to 399 entries, at an odd place in memory.
TEST_P(SegmentedFoldKernelTest, MultipliesASparseMatrixByAVector) {
  for (const bool can_repeat : {false, true}) {
    SegmentedFoldKernel product(device(), Scalar::int32,
                                {.arguments = "const int *a, const int *column, const int *x",
                                 .map = "a[i] * x[column[i]]",
                                 .reduce = "a + b",
                                 .neutral = "0",
                                 .store = {},
                                 .can_repeat = can_repeat},
                                options());
    for (const std::size_t most : {std::size_t{5}, std::size_t{90}, std::size_t{400}}) {
      const std::size_t rows = 301;
      std::vector<std::int64_t> offsets(rows + 2, -1);
      for (std::size_t row = 0; row <= rows; ++row)
        offsets[row + 1] =
            row == 0 ? 0 : offsets[row] + static_cast<std::int64_t>(row * row % most);
      const auto entries = static_cast<std::size_t>(offsets.back());
      std::vector<int> a(entries), column(entries), x(50), expected(rows, 0);
      for (std::size_t k = 0; k < x.size(); ++k) x[k] = static_cast<int>(k) - 20;
      for (std::size_t k = 0; k < entries; ++k) {
        a[k] = static_cast<int>(k % 7);
        column[k] = static_cast<int>(k * k % 50);
      }
      for (std::size_t row = 0; row < rows; ++row)
        for (auto k = offsets[row + 1]; k < offsets[row + 2]; ++k) {
          const auto at = static_cast<std::size_t>(k);
          expected[row] += a[at] * x[static_cast<std::size_t>(column[at])];
        }
      const memory::Buffer ends(device(), offsets), values(device(), a), columns(device(), column),
          vector(device(), x), result(device(), rows * 4);
      product.launch(stream(), {.count = rows, .indices = entries}, ends.slice(8, rows * 8),
                     ends.slice(16, rows * 8), result, values, columns, vector);
      stream().synchronize();
      if (!device()->info().traits.runs_kernels) continue;
      std::vector<int> got(rows);
      result.copy_to(got);
      EXPECT_EQ(got, expected) << most;
    }
  }
}

TEST_P(SegmentedFoldKernelTest, RefusesWhatDoesNotFit) {
  SegmentedFoldKernel sums(
      device(), Scalar::float32,
      {.arguments = "const float *x", .map = "x[i]", .reduce = "a + b", .neutral = "0"}, options());
  const memory::Buffer memory(device(), 64);
  device::expect_error<InvalidArgument>(
      [&] { sums.launch(stream(), {.count = 1, .indices = 4}, memory, memory, memory); },
      {"segmented fold", "takes 4 arguments"});
  device::expect_error<InvalidArgument>(
      [&] { sums.launch(stream(), {.count = 1, .indices = 4}, memory, memory, memory, 1.0f); },
      {"argument 0 (x)"});
  device::expect_error<InvalidArgument>(
      [&] {
        SegmentedFoldKernel(
            device(), Scalar::float32,
            {.arguments = "const float *x", .map = "x[i]", .reduce = "a + b", .neutral = ""});
      },
      {"neutral"});
}

}  // namespace
}  // namespace treadle::kernel

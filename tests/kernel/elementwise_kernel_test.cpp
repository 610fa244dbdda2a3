// SPDX-License-Identifier: MIT
#include "treadle/kernel/elementwise_kernel.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "each_schedule.hpp"

namespace treadle::kernel {
namespace {

using Floats = std::vector<float>;

class SnippetKernelTest : public testing::TestWithParam<DeviceAndSchedule> {
 protected:
  void SetUp() override {
    device_ = device::find_device(std::get<0>(GetParam()));
    stream_ = device_->make_stream();
  }
  const std::shared_ptr<device::Device>& device() const { return device_; }
  device::Stream& stream() const { return *stream_; }
  ElementwiseKernel kernel(const char* arguments, const char* operation,
                           ElementwiseOptions options = {}) const {
    options.schedule = std::get<1>(GetParam());
    return {device_, arguments, operation, std::move(options)};
  }
  /// Where kernels run, what is in the memory now; else what was expected.
  Floats contents(const memory::Buffer& memory, const Floats& expected) const {
    stream_->synchronize();
    if (!device_->info().traits.runs_kernels) return expected;
    Floats values(memory.size_bytes() / sizeof(float));
    memory.copy_to(values);
    return values;
  }

 private:
  std::shared_ptr<device::Device> device_;
  std::shared_ptr<device::Stream> stream_;
};
INSTANTIATE_TEST_SUITE_P(Devices, SnippetKernelTest, each_device_and_schedule(),
                         schedule_test_name);

TEST_P(SnippetKernelTest, RunsForEveryIndexAndNoMore) {
  ElementwiseKernel axpy = kernel("float a, const float *x, float *y", "y[i] = a * x[i] + y[i]");
  for (const std::size_t n : {0, 1, 255, 1023, 1024, 1025, 65536, 70000}) {
    Floats x(n + 4), y(n + 4, 1.0f);
    std::iota(x.begin(), x.end(), 0.0f);
    const memory::Buffer x_memory(device(), x), y_memory(device(), y);
    axpy.launch(stream(), n, 2.0f, x_memory, y_memory);
    for (std::size_t i = 0; i < n; ++i) y[i] = 2 * x[i] + 1;
    EXPECT_EQ(contents(y_memory, y), y) << n;
  }
}

TEST_P(SnippetKernelTest, PointersMayShareMemory) {
  ElementwiseKernel kernel =
      this->kernel("const float *x, float *y, float *z", "y[i] = 2 * x[i]; z[i] = x[i]");
  constexpr std::size_t n = 3000;
  Floats x(n);
  std::iota(x.begin(), x.end(), 0.0f);
  const memory::Buffer first(device(), x), second(device(), x), third(device(), x);
  Floats twice(n);
  for (std::size_t i = 0; i < n; ++i) twice[i] = 2 * x[i];
  kernel.launch(stream(), n, first, second, third);
  EXPECT_EQ(contents(second, twice), twice);
  EXPECT_EQ(contents(third, x), x);
  kernel.launch(stream(), n, first, first, third);  // what is read was written just before
  EXPECT_EQ(contents(third, twice), twice);
  kernel.launch(stream(), n / 2, second, second.location() + 4 * (n / 2), third);
  EXPECT_EQ(contents(third, twice)[n / 2 - 1], twice[n / 2 - 1]);
}

TEST_P(SnippetKernelTest, BeginsAnywhereInMemory) {
  ElementwiseKernel count = kernel("float *y", "y[i] = (float)(n - i)");
  Floats y(100, -1.0f);
  const memory::Buffer memory(device(), y);
  count.launch(stream(), 50, memory.location() + 12);
  for (std::size_t i = 0; i < 50; ++i) y[3 + i] = float(50 - i);
  EXPECT_EQ(contents(memory, y), y);
}

TEST_P(SnippetKernelTest, RunsOverRanges) {
  ElementwiseKernel mark = kernel("float *y", "y[i] = (float)(start + step)");
  for (const ElementRange& range : std::vector<ElementRange>{
           {0, 5000}, {3, 4000, 7}, {4999, -1, -1}, {4000, 10, -3}, {10, 10}, {10, 3, 1}}) {
    Floats y(5000);
    const memory::Buffer memory(device(), y);
    const UserArgument arguments[] = {memory};
    mark.launch_arguments(stream(), range, arguments);
    std::uint64_t count = 0;
    for (std::int64_t i = range.start; range.step > 0 ? i < range.stop : i > range.stop;
         i += range.step, ++count)
      y[static_cast<std::size_t>(i)] = float(range.start + range.step);
    EXPECT_EQ(contents(memory, y), y) << range.start << " " << range.stop << " " << range.step;
    EXPECT_EQ(range.count(), count);
  }
  EXPECT_THROW((ElementRange{0, 1, 0}.count()), InvalidArgument);
}

TEST_P(SnippetKernelTest, LiteralLoopsAreThoseOfTheirContract) {
  // Each element once, whoever computes it: `i` moves on by hand.
  ElementwiseKernel pairs = kernel(
      "float *y", "y[i] = 1; i += total_threads; if (i < n) y[i] = (float)(cta_start + tid < n)");
  Floats y(3000, 0.0f);
  const memory::Buffer memory(device(), y);
  pairs.launch(stream(), y.size(), memory);
  EXPECT_EQ(contents(memory, Floats(3000, 1.0f)), Floats(3000, 1.0f));
  EXPECT_NE(pairs.text().find("total_threads ="), std::string::npos);
}

TEST_P(SnippetKernelTest, TakesStatementsAroundTheLoopAndDirectives) {
  ElementwiseKernel kernel_with_parts =
      kernel("float *y", "if (i % 2 == 1) continue;\n#ifdef THREE\ny[i] = base\n#endif",
             {.preamble = "#define THREE 3.0f",
              .loop_prep = "float base = THREE",
              .after_loop = "base = 0"});
  Floats y(100, 0.0f);
  const memory::Buffer memory(device(), y);
  kernel_with_parts.launch(stream(), y.size(), memory);
  for (std::size_t i = 0; i < y.size(); i += 2) y[i] = 3;
  EXPECT_EQ(contents(memory, y), y);
}

TEST_P(SnippetKernelTest, ConvertsNumbersToTheirDeclaredType) {
  ElementwiseKernel sum = kernel("float a, short b, double c, unsigned long d, float *y",
                                 "y[i] = a + (float)b + (float)c + (float)d");
  const memory::Buffer memory(device(), Floats(2));
  sum.launch(stream(), 2, 1, 2.9, 3, 4.0f, memory);
  EXPECT_EQ(contents(memory, Floats(2, 10.0f)), Floats(2, 10.0f));
}

TEST_P(SnippetKernelTest, RefusesWhatDoesNotFitItsDeclarations) {
  ElementwiseKernel fill = kernel("float a, float *y", "y[i] = a", {.name = "fill"});
  const memory::Buffer memory(device(), Floats(2));
  const memory::Buffer foreign(device::make_null_device(), 8);
  device::expect_error<InvalidArgument>([&] { fill.launch(stream(), 2, 1.0f); },
                                        {"fill takes 2 arguments", "given 1"});
  device::expect_error<InvalidArgument>([&] { fill.launch(stream(), 2, memory, memory); },
                                        {"argument 0 (a)", "declared a value"});
  device::expect_error<InvalidArgument>([&] { fill.launch(stream(), 2, 1.0f, 2.0f); },
                                        {"argument 1 (y)", "declared a pointer"});
  device::expect_error<InvalidArgument>([&] { fill.launch(stream(), 2, 1.0f, foreign); },
                                        {"argument 1 (y)", "another device"});
  EXPECT_THROW(kernel("float", ""), InvalidArgument);
}

}  // namespace
}  // namespace treadle::kernel

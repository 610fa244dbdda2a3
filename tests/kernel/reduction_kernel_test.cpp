// SPDX-License-Identifier: MIT
// Reductions around users' texts on every device, in both schedules.
#include "treadle/kernel/reduction_kernel.hpp"

#include <gtest/gtest.h>

#include "views.hpp"

namespace treadle::kernel {
namespace {

class ReductionKernelTest : public testing::TestWithParam<std::tuple<std::string, Schedule>> {
 protected:
  void SetUp() override {
    device_ = device::find_device(std::get<0>(GetParam()));
    stream_ = device_->make_stream();
  }
  Schedule schedule() const { return std::get<1>(GetParam()); }
  const std::shared_ptr<device::Device>& device() const { return device_; }
  device::Stream& stream() const { return *stream_; }
  bool runs_kernels() const { return device_->info().traits.runs_kernels; }
  bool is_cuda() const { return device_->info().language == Language::cuda_c; }

 private:
  std::shared_ptr<device::Device> device_;
  std::shared_ptr<device::Stream> stream_;
};
INSTANTIATE_TEST_SUITE_P(Devices, ReductionKernelTest, each_device_and_schedule(),
                         schedule_test_name);

TEST_P(ReductionKernelTest, FoldsWhatTheTextGivesForEachIndex) {
  ReductionKernel dot(device(), Scalar::float32,
                      {.neutral = "0",
                       .reduce = "a +\nb",
                       .map = "a[i] * b[i] * factor  // elements",
                       .arguments = "float factor, const float *a, const float *b"},
                      {.schedule = schedule()});
  const std::size_t sizes[] = {0, 1, 31, 1000, 65536, 300'001};
  for (const std::size_t n : sizes) {
    std::vector<float> x(n + 2), y(n + 2);
    double expected = 0;
    for (std::size_t i = 0; i < n; ++i) {
      x[i + 1] = float(i % 7), y[i + 1] = float(i % 3);
      expected += 2 * x[i + 1] * y[i + 1];
    }
    std::vector<float> got(4, 77);
    const memory::Buffer in_x(device(), x), in_y(device(), y), out(device(), got);
    dot.launch(stream(), n, out.slice(8, 4), 2, in_x.slice(4, n * 4), in_y.slice(4, n * 4));
    stream().synchronize();
    out.copy_to(got);
    if (runs_kernels()) {
      EXPECT_EQ(got, (std::vector<float>{77, 77, float(expected), 77})) << n;
    }
  }
}

TEST_P(ReductionKernelTest, FoldsOverRangesWithAnyStep) {
  ReductionKernel sum(
      device(), Scalar::int64,
      {.neutral = "0", .reduce = "a + b", .map = "i", .arguments = "const int *unused"},
      {.schedule = schedule()});
  const memory::Buffer out(device(), 8), unused(device(), 8);
  for (const auto& range : {ElementRange{0, 10, 100}, ElementRange{5, 100'000, 3},
                            ElementRange{99'999, -1, -7}, ElementRange{5, 5, 1}}) {
    const UserArgument arguments[] = {unused};
    sum.launch_arguments(stream(), range, out, arguments);
    stream().synchronize();
    std::vector<std::int64_t> got(1);
    out.copy_to(got);
    std::int64_t expected = 0;
    for (std::int64_t i = range.start; range.step > 0 ? i < range.stop : i > range.stop;
         i += range.step)
      expected += i;
    if (runs_kernels()) {
      EXPECT_EQ(got[0], expected) << range.start;
    }
  }
}

/// Smallest and largest at once, in a class that can be assigned no more than it must.
TEST_P(ReductionKernelTest, FoldsStructuresOfUsers) {
  struct MinMax {
    int least, most;
  };
  const std::pair<std::string, DType> fields[] = {{"least", Scalar::int32},
                                                  {"most", Scalar::int32}};
  const std::string members = "int least; int most;";
  const std::string functions = R"(
TREADLE_FUNCTION minmax pair_of(int least, int most) {
  minmax pair;
  pair.least = least;
  pair.most = most;
  return pair;
}
TREADLE_FUNCTION minmax joined(minmax x, minmax y) {
  return pair_of(min(x.least, y.least), max(x.most, y.most));
}
)";
  const std::string in_cuda = R"(
struct minmax {
  int least, most;
  __device__ minmax() {}
  __device__ minmax(minmax const &other) : least(other.least), most(other.most) {}
  __device__ minmax(minmax const volatile &other) : least(other.least), most(other.most) {}
  __device__ minmax volatile &operator=(minmax const &other) volatile {
    least = other.least;
    most = other.most;
    return *this;
  }
};
)";
  const std::string preamble =
      "#include \"treadle/dialect.h\"\n" +
      (is_cuda() ? in_cuda : "typedef struct { " + members + " } minmax;\n") + functions;
  const DType minmax = DType::c_structure("minmax", fields);
  ReductionKernel extent(
      device(), minmax,
      {.neutral = "pair_of(2147483647, -2147483647)",
       .reduce = "joined(a, b)",
       .map = "pair_of(x[i], x[i])",
       .arguments = "const int *x"},
      {.preamble = preamble, .types = {{"minmax", minmax}}, .schedule = schedule()});
  std::vector<int> x(100'000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<int>(i * 7919 % 100'003) - 50'000;
  const memory::Buffer in(device(), x), out(device(), sizeof(MinMax));
  extent.launch(stream(), x.size(), out, in);
  stream().synchronize();
  std::vector<MinMax> got(1);
  out.copy_to(got);
  if (!runs_kernels()) return;
  EXPECT_EQ(got[0].least, *std::ranges::min_element(x));
  EXPECT_EQ(got[0].most, *std::ranges::max_element(x));
}

TEST_P(ReductionKernelTest, FoldsSeveralResultsInOnePass) {
  ReductionKernel moments(device(),
                          {{Scalar::int64, "0", "a + b", "x[i] > 0"},
                           {Scalar::int8, "0", "a | b", "x[i] & 4"},
                           {Scalar::float32, "-1000000", "a > b ? a : b", "(float)x[i]"}},
                          "const int *x", {.schedule = schedule()});
  for (const std::size_t n : {0, 1, 1000, 300'001}) {
    std::vector<int> x(n);
    std::int64_t positive = 0;
    for (std::size_t i = 0; i < n; ++i) {
      x[i] = static_cast<int>(i * 7919 % 100'003) - 50'000;
      positive += x[i] > 0;
    }
    const bool has_bit = std::ranges::any_of(x, [](int value) { return (value & 4) != 0; });
    const float most = n == 0 ? -1'000'000.0f : float(*std::ranges::max_element(x));
    std::vector<std::int64_t> counts(2, 7);
    std::vector<std::int8_t> bits(3, 7);
    std::vector<float> largest(2, 7);
    const memory::Buffer in(device(), x), count(device(), counts), bit(device(), bits),
        largest_out(device(), largest);
    const UserArgument results[] = {count, bit.slice(1, 1), largest_out.slice(4, 4)};
    const UserArgument arguments[] = {in};
    moments.launch_all(stream(), ElementRange{0, static_cast<std::int64_t>(n)}, results, arguments);
    stream().synchronize();
    count.copy_to(counts);
    bit.copy_to(bits);
    largest_out.copy_to(largest);
    if (!runs_kernels()) continue;
    EXPECT_EQ(counts, (std::vector<std::int64_t>{positive, 7})) << n;
    EXPECT_EQ(bits, (std::vector<std::int8_t>{7, static_cast<std::int8_t>(has_bit ? 4 : 0), 7}));
    EXPECT_EQ(largest, (std::vector<float>{7, most})) << n;
  }
}

TEST_P(ReductionKernelTest, RefusesWhatDoesNotFit) {
  const ReductionTexts texts{
      .neutral = "0", .reduce = "a + b", .map = "x[i]", .arguments = "const float *x"};
  ReductionKernel sum(device(), Scalar::float32, texts, {.name = "total", .schedule = schedule()});
  const memory::Buffer memory(device(), 40);
  device::expect_error<InvalidArgument>([&] { sum.launch(stream(), 10, 5, memory); },
                                        {"total", "(result)", "declared a pointer"});
  device::expect_error<InvalidArgument>([&] { sum.launch(stream(), 10, memory, 1.0f); },
                                        {"reduction kernel total", "argument 0 (x)"});
  device::expect_error<InvalidArgument>([&] { sum.launch(stream(), 10, memory); },
                                        {"takes 1 arguments"});
  const UserArgument two[] = {memory, memory}, one[] = {memory};
  device::expect_error<InvalidArgument>(
      [&] { sum.launch_all(stream(), ElementRange{0, 1}, two, one); },
      {"total has 1 results", "given 2"});
  EXPECT_THROW(ReductionKernel(device(), std::vector<ReductionOutput>(), "const float *x"),
               InvalidArgument);
  ReductionTexts index = texts;
  index.arguments = "const float *x, int i";
  device::expect_error<InvalidArgument>([&] { ReductionKernel(device(), Scalar::float32, index); },
                                        {"called as the index"});
}

}  // namespace
}  // namespace treadle::kernel

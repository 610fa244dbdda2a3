// SPDX-License-Identifier: MIT
// Scans around users' texts on every device, in both schedules.
#include "treadle/kernel/scan_kernel.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "treadle/codegen/expression_snippet.hpp"
#include "treadle/kernel/radix_sort_kernel.hpp"
#include "treadle/kernel/select_kernel.hpp"
#include "views.hpp"

namespace treadle::kernel {
namespace {

class ScanKernelTest : public testing::TestWithParam<std::tuple<std::string, Schedule>> {
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

  /// Copies the elements of a buffer out.
  template <class T>
  std::vector<T> values(const memory::Buffer& buffer) const {
    stream_->synchronize();
    std::vector<T> all(buffer.size_bytes() / sizeof(T));
    buffer.copy_to(all);
    return all;
  }

 private:
  std::shared_ptr<device::Device> device_;
  std::shared_ptr<device::Stream> stream_;
};
INSTANTIATE_TEST_SUITE_P(Devices, ScanKernelTest, each_device_and_schedule(), schedule_test_name);

// One tile and less, several tiles of one group, and several intervals.
const std::size_t scan_lengths[] = {0, 1, 2, 15, 1000, 3841, 50'001, 300'007};

/// An expression stands where a text may: of a scan, a selection and a sort.
TEST_P(ScanKernelTest, ExpressionsAreInputsAsTextsAre) {
  const codegen::Dialect& dialect = codegen::dialect_of(device()->info().language);
  codegen::ExpressionBuilder build;
  const auto x = build.leaf(Scalar::int32), s = build.scalar(Scalar::int32);
  build.output(build.step(Op::remainder, Scalar::int32,
                          {build.step(Op::multiply, Scalar::int32, {x, x}), s}));
  const codegen::ExpressionSnippet rest = codegen::snippet_of(build.build(), dialect);
  constexpr std::size_t n = 9001;
  std::vector<int> numbers(n), rests(n), sums(n), chosen;
  std::iota(numbers.begin(), numbers.end(), -4000);
  for (std::size_t i = 0; i < n; ++i) {
    rests[i] = numbers[i] * numbers[i] % 97;
    sums[i] = rests[i] + (i > 0 ? sums[i - 1] : 0);
    if (rests[i] < 50) chosen.push_back(numbers[i]);
  }
  const memory::Buffer in(device(), numbers), out(device(), 4 * n), count(device(), 4);
  const int divisor = 97;
  ScanKernel scan(
      device(), Scalar::int32,
      {.arguments = rest.arguments + ", int *y",
       .input = rest.value,
       .scan = "a + b",
       .output = "y[i] = item"},
      {.preamble = rest.preamble, .flags = dialect.exact_flags, .schedule = schedule()});
  scan.launch(stream(), n, in, divisor, out);
  if (runs_kernels()) {
    EXPECT_EQ(values<int>(out), sums);
  }
  SelectKernel select(
      device(), Selection::matching,
      {.type = "int", .predicate = rest.value + " < 50", .arguments = rest.arguments},
      {.preamble = rest.preamble, .flags = dialect.exact_flags, .schedule = schedule()});
  const UserArgument selected[] = {in, out, count, in, divisor};
  select.launch_arguments(stream(), n, selected);
  if (runs_kernels()) {
    ASSERT_EQ(values<unsigned>(count)[0], chosen.size());
    std::vector<int> got = values<int>(out);
    got.resize(chosen.size());
    EXPECT_EQ(got, chosen);
  }
  RadixSortKernel sort(
      device(), {.arguments = rest.arguments, .key = rest.value, .sorted = {"x0"}},
      {.preamble = rest.preamble, .flags = dialect.exact_flags, .schedule = schedule()});
  const UserArgument given[] = {in, divisor}, sorted[] = {out};
  sort.launch(stream(), n, {given, sorted, 7});
  if (!runs_kernels()) return;
  std::ranges::stable_sort(numbers, {}, [](int number) { return number * number % 97; });
  EXPECT_EQ(values<int>(out), numbers);
}

/// The last number that is not 0: associative, and not commutative.
TEST_P(ScanKernelTest, CombinesInOrderAndInPlace) {
  ScanKernel last(device(), Scalar::int32, scan_of_array("int", "b != 0 ? b :\n a"),
                  {.schedule = schedule()});
  for (const std::size_t n : scan_lengths) {
    std::vector<int> x(n + 2, -1), expected(n + 2, -1);
    for (std::size_t i = 0, seen = 0; i < n; ++i) {
      x[i + 1] = i % 7919 == 5 ? static_cast<int>(i) : 0;
      if (x[i + 1] != 0) seen = i;
      expected[i + 1] = static_cast<int>(seen);
    }
    const memory::Buffer memory(device(), x);
    const memory::Buffer part = memory.slice(4, n * 4);
    last.launch(stream(), n, part, part);
    if (runs_kernels()) {
      EXPECT_EQ(values<int>(memory), expected) << n;
    }
  }
}

/// Those that hold are moved to the front, and counted: what copy_if is made of.
TEST_P(ScanKernelTest, OutputsKnowWhatIsBeforeAndTheWhole) {
  ScanKernel select(device(), Scalar::int32,
                    {.arguments = "const double *x, double limit, double *out, int *counts",
                     .input = "x[i] > limit ? 1 : 0",
                     .scan = "a + b",
                     .output = "if (item != prev_item) out[prev_item] = x[i];\n"
                               "if (i == N - 1) { counts[0] = item; counts[1] = last_item; }\n"
                               "// at the end",
                     .neutral = "0"},
                    {.index_dtype = Scalar::int32, .schedule = schedule()});
  for (const std::size_t n : {std::size_t{1}, std::size_t{100'003}}) {
    std::vector<double> x(n), expected;
    for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<double>(i * 7919 % 1013);
    std::ranges::copy_if(x, std::back_inserter(expected), [](double y) { return y > 500; });
    // Not all of `out` is written, and all of it is read.
    const memory::Buffer in(device(), x), out(device(), std::vector<double>(n)),
        counts(device(), 8);
    select.launch(stream(), n, in, 500, out, counts);
    if (!runs_kernels()) continue;
    std::vector<double> got = values<double>(out);
    got.resize(expected.size());
    EXPECT_EQ(got, expected);
    const std::vector<int> count(2, static_cast<int>(expected.size()));
    EXPECT_EQ(values<int>(counts), count);
  }
}

/// Runs of equal numbers: their lengths so far, and those before each element.
TEST_P(ScanKernelTest, SegmentsBeginAnew) {
  ScanKernel runs(device(), Scalar::int64,
                  {.arguments = "const int *x, long *so_far, long *before",
                   .input = "1",
                   .scan = "!across_seg_boundary ? a + b : b",
                   .output = "so_far[i] = item; before[i] = prev_item",
                   .neutral = "0",
                   .segment_start = "i == 0 ||\n here != left  // of another run",
                   .fetches = {{"here", "x", 0}, {"left", "x", -1}}},
                  {.schedule = schedule()});
  for (const std::size_t n : scan_lengths) {
    std::vector<int> x(n);
    for (std::size_t i = 0; i < n; ++i)
      x[i] = static_cast<int>(i < 60'000 ? i / 20'011 : (i * i / 1000 + i) % 89 / 30);
    std::vector<std::int64_t> so_far(n), before(n);
    for (std::size_t i = 0; i < n; ++i) {
      before[i] = i > 0 && x[i] == x[i - 1] ? so_far[i - 1] : 0;
      so_far[i] = before[i] + 1;
    }
    const memory::Buffer in(device(), x), out(device(), n * 8), left(device(), n * 8);
    runs.launch(stream(), n, in, out, left);
    if (!runs_kernels()) continue;
    EXPECT_EQ(values<std::int64_t>(out), so_far) << n;
    EXPECT_EQ(values<std::int64_t>(left), before) << n;
  }
}

/// Straight lines after each other: a class that can be assigned no more than it must.
TEST_P(ScanKernelTest, ScansStructuresOfUsers) {
  struct Line {
    unsigned slope, shift;
    bool operator==(const Line&) const = default;
  };
  const std::pair<std::string, DType> fields[] = {{"slope", Scalar::uint32},
                                                  {"shift", Scalar::uint32}};
  const std::string in_cuda = R"(
struct line {
  unsigned slope, shift;
  __device__ line() {}
  __device__ line(line const &other) : slope(other.slope), shift(other.shift) {}
  __device__ line(line const volatile &other) : slope(other.slope), shift(other.shift) {}
  __device__ line volatile &operator=(line const &other) volatile {
    slope = other.slope;
    shift = other.shift;
    return *this;
  }
};
)";
  const std::string functions = R"(
TREADLE_FUNCTION line line_of(uint slope, uint shift) {
  line made;
  made.slope = slope;
  made.shift = shift;
  return made;
}
TREADLE_FUNCTION line behind(line first, line second) {
  return line_of(second.slope * first.slope, second.slope * first.shift + second.shift);
}
)";
  const std::string preamble =
      "#include \"treadle/dialect.h\"\n" +
      (is_cuda() ? in_cuda : "typedef struct { uint slope, shift; } line;\n") + functions;
  const DType line = DType::c_structure("line", fields);
  ScanKernel composed(device(), line,
                      {.arguments = "const uint *x, line *y",
                       .input = "line_of(x[i], i)",
                       .scan = "behind(a, b)",
                       .output = "y[i] = prev_item",
                       .neutral = "line_of(1, 0)"},
                      {.preamble = preamble, .types = {{"line", line}}, .schedule = schedule()});
  std::vector<unsigned> x(40'001);
  std::vector<Line> expected(x.size());
  Line sum{1, 0};
  for (unsigned i = 0; i < x.size(); ++i) {
    x[i] = i * 7919 % 1013 + 1;
    expected[i] = sum;
    sum = {x[i] * sum.slope, x[i] * sum.shift + i};
  }
  const memory::Buffer in(device(), x), out(device(), x.size() * sizeof(Line));
  composed.launch(stream(), x.size(), in, out);
  if (runs_kernels()) {
    EXPECT_TRUE(values<Line>(out) == expected);
  }
}

TEST_P(ScanKernelTest, EqualLaunchesGiveEqualBits) {
  if (schedule() != device()->info().traits.schedule) GTEST_SKIP() << "not this device's own";
  ScanKernel sum(device(), Scalar::float32, scan_of_array("float", "a + b", "0"),
                 {.schedule = schedule()});
  std::vector<float> x(200'003);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 1 / static_cast<float>(i % 977 + 1);
  const memory::Buffer in(device(), x), out(device(), x.size() * 4);
  sum.launch(stream(), x.size(), in, out);
  const std::vector<float> first = values<float>(out);
  sum.launch(stream(), x.size(), in, out);
  if (!runs_kernels()) return;
  EXPECT_TRUE(values<float>(out) == first);
  EXPECT_EQ(first[0], 0);
  EXPECT_NEAR(first.back(), std::accumulate(x.begin(), x.end() - 1, 0.0), 0.01);
}

/// In one work-item one comes after the other, so that it sees what was written before it.
TEST_P(ScanKernelTest, RunsInOneWorkItemToBeDebugged) {
  ScanKernel scan(device(), Scalar::int32,
                  {.arguments = "const int *x, int *y, int *order",
                   .input = "x[i]",
                   .scan = "a + b",
                   .output = "y[i] = item; order[i] = i == 0 ? 5 : order[i - 1] + 1"},
                  {.schedule = schedule(), .is_sequential = true});
  const std::vector<int> x(100'000, 1);
  const memory::Buffer in(device(), x), out(device(), 400'000), order(device(), 400'000);
  scan.launch(stream(), x.size(), in, out, order);
  if (!runs_kernels()) return;
  EXPECT_EQ(values<int>(out).back(), 100'000);
  EXPECT_EQ(values<int>(order).back(), 100'004);
}

TEST_P(ScanKernelTest, RefusesWhatDoesNotFit) {
  ScanKernel sum(device(), Scalar::float32, scan_of_array("float", "a + b"),
                 {.name = "total", .index_dtype = Scalar::int32, .schedule = schedule()});
  const memory::Buffer memory(device(), 40);
  device::expect_error<InvalidArgument>([&] { sum.launch(stream(), 10, memory, 1.0f); },
                                        {"scan total", "argument 1 (y)"});
  device::expect_error<InvalidArgument>([&] { sum.launch(stream(), 10, memory); },
                                        {"takes 2 arguments"});
  device::expect_error<InvalidArgument>(
      [&] { sum.launch(stream(), std::uint64_t{1} << 31, memory, memory); },
      {"2147483648", "int32"});
  device::expect_error<DTypeError>(
      [&] {
        ScanKernel(device(), Scalar::float32, scan_of_array("float", "a + b"),
                   {.index_dtype = Scalar::uint32});
      },
      {"indices", "uint32"});
  device::expect_error<InvalidArgument>(
      [&] { ScanKernel(nullptr, Scalar::float32, scan_of_array("float", "a + b")); },
      {"needs a device"});
}

}  // namespace
}  // namespace treadle::kernel

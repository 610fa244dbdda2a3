// SPDX-License-Identifier: MIT
// Scans in one pass, whose groups wait for earlier ones: on every device, in both schedules, with
// tiles so small that there are many. TREADLE_LOOK_BACK_REPEATS=100000 repeats them so often.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <numeric>

#include "device/each_device.hpp"
#include "each_schedule.hpp"
#include "treadle/kernel/scan_kernel.hpp"
#include "treadle/kernel/tiling.hpp"
#include "treadle/kernel/workspace.hpp"

namespace treadle::kernel {
namespace {

class LookBackTest : public testing::TestWithParam<DeviceAndSchedule> {
 protected:
  void SetUp() override {
    device_ = device::find_device(std::get<0>(GetParam()));
    stream_ = device_->make_stream();
    codegen::Tiling tiling = tiling_of(*device_, schedule());
    tiling.scan_bytes = 1024;
    if (schedule() == Schedule::wide) {
      tiling.scan_bytes = 3072;  // two rows, where tiles stay in registers
      tiling.group_size = 64;
      tiling.scan_items = 3;
      tiling.tile_side = 32;
      tiling.anchored_tiles = 6;
    }
    set_tiling(*device_, tiling);
  }
  void TearDown() override {
    set_tiling(*device_, default_tiling(device_->info().limits, schedule()));
  }
  Schedule schedule() const { return std::get<1>(GetParam()); }
  const std::shared_ptr<device::Device>& device() const { return device_; }
  device::Stream& stream() const { return *stream_; }
  bool runs_kernels() const { return device_->info().traits.runs_kernels; }
  ScanOptions options(std::string preamble = {}) const {
    return {.preamble = std::move(preamble), .schedule = schedule(), .looks_back = true};
  }

  template <class T>
  std::vector<T> values(const memory::Buffer& buffer) const {
    stream_->synchronize();
    std::vector<T> all(buffer.size_bytes() / sizeof(T));
    if (!all.empty()) buffer.copy_to(all);
    return all;
  }
  /// None, one, and around the ends of tiles and stretches.
  static std::vector<std::size_t> lengths(std::size_t tile, std::size_t stretch) {
    std::vector<std::size_t> all = {0, 1, 2};
    for (const std::size_t ends : {std::size_t{1}, std::size_t{2}, stretch, 2 * stretch + 3})
      for (const std::size_t n : {ends * tile - 1, ends * tile, ends * tile + 1}) all.push_back(n);
    all.push_back(40 * tile + 7);
    return all;
  }
  std::size_t stretch() const { return schedule() == Schedule::wide ? 6 : 1; }

 private:
  std::shared_ptr<device::Device> device_;
  std::shared_ptr<device::Stream> stream_;
};
INSTANTIATE_TEST_SUITE_P(Devices, LookBackTest, each_device_and_schedule(), schedule_test_name);

/// Straight lines, slope << 32 | shift, modulo 2^32: their composition has an order.
constexpr const char* lines = R"(
#include "treadle/dialect.h"
TREADLE_FUNCTION treadle_uint64 behind(treadle_uint64 first, treadle_uint64 second)
{
  uint slope = (uint)(first >> 32) * (uint)(second >> 32);
  uint shift = (uint)(second >> 32) * (uint)first + (uint)second;
  return (treadle_uint64)slope << 32 | shift;
}
)";
std::uint64_t behind(std::uint64_t first, std::uint64_t second) {
  const auto slope =
      static_cast<std::uint32_t>(first >> 32) * static_cast<std::uint32_t>(second >> 32);
  const auto shift = static_cast<std::uint32_t>(second >> 32) * static_cast<std::uint32_t>(first) +
                     static_cast<std::uint32_t>(second);
  return std::uint64_t{slope} << 32 | shift;
}
std::vector<std::uint64_t> drawn_lines(std::size_t n) {
  std::vector<std::uint64_t> all(n);
  for (std::size_t i = 0; i < n; ++i) all[i] = (i * 0x9e3779b97f4a7c15u) | std::uint64_t{1} << 32;
  return all;
}

TEST_P(LookBackTest, ComposesInOrderAroundEveryEnd) {
  ScanKernel composed(device(), Scalar::uint64,
                      {.arguments = "const ulong *x, ulong *up_to, ulong *before",
                       .input = "x[i]",
                       .scan = "behind(a, b)",
                       .output = "up_to[i] = item; before[i] = prev_item",
                       .neutral = "(ulong)1 << 32"},
                      options(lines));
  ASSERT_GT(composed.tile(), 0u);
  for (const std::size_t n : lengths(composed.tile(), stretch())) {
    const std::vector<std::uint64_t> x = drawn_lines(n);
    std::vector<std::uint64_t> up_to(n), before(n);
    for (std::size_t i = 0; i < n; ++i) {
      before[i] = i == 0 ? std::uint64_t{1} << 32 : up_to[i - 1];
      up_to[i] = behind(before[i], x[i]);
    }
    const memory::Buffer in(device(), x), out(device(), n * 8), left(device(), n * 8);
    composed.launch(stream(), n, in, out, left);
    if (!runs_kernels()) continue;
    EXPECT_EQ(values<std::uint64_t>(out), up_to) << n;
    EXPECT_EQ(values<std::uint64_t>(left), before) << n;
  }
}

TEST_P(LookBackTest, SegmentsBeginAnewAroundEveryEnd) {
  ScanKernel runs(device(), Scalar::int16,
                  {.arguments = "const short *x, const uchar *starts, short *so_far, short *before",
                   .input = "x[i]",
                   .scan = "across_seg_boundary ? b : a + b",
                   .output = "so_far[i] = item; before[i] = prev_item",
                   .neutral = "-7",
                   .segment_start = "starts[i]"},
                  options());
  for (const std::size_t n : lengths(runs.tile(), stretch())) {
    std::vector<std::int16_t> x(n), so_far(n), before(n);
    std::vector<std::uint8_t> starts(n);
    for (std::size_t i = 0; i < n; ++i) {
      x[i] = static_cast<std::int16_t>(i % 11 + 1);
      starts[i] = i * i % 1009 < 2 || i % runs.tile() == 0 ? 1 : 0;
      if (i > 3 * runs.tile() && i < 12 * runs.tile()) starts[i] = 0;  // a long one
      const bool is_first = i == 0 || starts[i] != 0;
      before[i] = is_first ? std::int16_t{-7} : so_far[i - 1];
      so_far[i] = static_cast<std::int16_t>((is_first ? 0 : so_far[i - 1]) + x[i]);
    }
    const memory::Buffer in(device(), x), flags(device(), starts), out(device(), n * 2),
        left(device(), n * 2);
    runs.launch(stream(), n, in, flags, out, left);
    if (!runs_kernels()) continue;
    EXPECT_EQ(values<std::int16_t>(out), so_far) << n;
    EXPECT_EQ(values<std::int16_t>(left), before) << n;
  }
}

/// Of two numbers as pairs, which go through memory of their own.
TEST_P(LookBackTest, StructuresAreHandedOn) {
  const std::string preamble =
      "#include \"treadle/dialect.h\"\n"
      "typedef struct { double sum; uint count; } tally;\n"
      "TREADLE_FUNCTION tally both(tally a, tally b)\n"
      "{ tally made; made.sum = a.sum + b.sum; made.count = a.count + b.count; return made; }\n"
      "TREADLE_FUNCTION tally one(double x)\n"
      "{ tally made; made.sum = x; made.count = 1; return made; }\n";
  const std::pair<std::string, DType> fields[] = {{"sum", Scalar::float64},
                                                  {"count", Scalar::uint32}};
  const DType tally = DType::c_structure("tally", fields);
  ScanOptions own = options(preamble);
  own.types = {{"tally", tally}};
  ScanKernel means(device(), tally,
                   {.arguments = "const double *x, double *mean",
                    .input = "one(x[i])",
                    .scan = "both(a, b)",
                    .output = "mean[i] = item.sum / item.count"},
                   std::move(own));
  const bool has_fences = device()->info().language == Language::cuda_c;
  EXPECT_EQ(means.tile() > 0, has_fences);
  const std::size_t n = 5000;
  std::vector<double> x(n), expected(n);
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    x[i] = static_cast<double>(i * 37 % 64);
    expected[i] = (sum += x[i]) / static_cast<double>(i + 1);
  }
  const memory::Buffer in(device(), x), out(device(), n * 8);
  means.launch(stream(), n, in, out);
  if (runs_kernels()) {
    EXPECT_EQ(values<double>(out), expected);
  }
}

/// Groups that take their time, each launch others: what they find does not depend on it.
TEST_P(LookBackTest, RepeatsBitForBitWhateverTakesTime) {
  const char* asked = std::getenv("TREADLE_LOOK_BACK_REPEATS");
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  constexpr int many = 1000;
#else
  constexpr int many = 10'000;
#endif
  const int repeats = asked != nullptr ? std::atoi(asked) : runs_kernels() ? many : 3;
  const std::string preamble = R"(
#include "treadle/dialect.h"
TREADLE_FUNCTION float late(float x, uint i, uint salt)
{
  uint drawn = (i * 2654435761u) ^ (salt * 40503u);
  drawn ^= drawn >> 15;
  drawn *= 2246822519u;
  if ((drawn >> 8) % 512 != 0) return x;
  // Nobody knows that it ends where it began.
  uint turns = (drawn >> 20) & 1023, state = drawn;
  for (uint k = 0; k < turns; ++k) state = state * 1664525u + 1013904223u;
  return state == 12345u ? x + 0.0f : x;
}
)";
  ScanKernel sums(device(), Scalar::float32,
                  {.arguments = "const float *x, float *y, uint salt",
                   .input = "late(x[i], (uint)i, salt)",
                   .scan = "a + b",
                   .output = "y[i] = item"},
                  options(preamble));
  const std::size_t n = 17 * sums.tile() + 5;
  std::vector<float> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = 1 / static_cast<float>(i % 97 + 1);
  const memory::Buffer in(device(), x), out(device(), n * 4);
  std::vector<float> first;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    sums.launch(stream(), n, in, out, static_cast<unsigned>(repeat));
    if (!runs_kernels()) continue;
    if (repeat == 0) {
      first = values<float>(out);
      double sum = 0;
      for (std::size_t i = 0; i < n; ++i) ASSERT_NEAR(first[i], sum += x[i], 1e-3) << i;
    } else if (values<float>(out) != first) {
      FAIL() << "launch " << repeat << " of " << repeats;
    }
  }
}

/// A word of 2^31 launches ago is not taken for one of this launch.
TEST_P(LookBackTest, EpochsComeAgain) {
  ScanKernel sums(device(), Scalar::int32, scan_of_array("int", "a + b"), options());
  const std::size_t n = 9 * sums.tile();
  std::vector<int> x(n, 1), expected(n);
  std::iota(expected.begin(), expected.end(), 1);
  const memory::Buffer in(device(), x), out(device(), n * 4);
  sums.launch(stream(), n, in, out);
  // Words of the epochs to come, where the next launches use none.
  const std::uint64_t last = 0x7fffffff;
  with_workspace(stream(), {.partial_bytes = 0, .tickets = 0, .words = 1000},
                 [&](const Workspace& workspace) {
                   std::vector<std::uint64_t> words(workspace.word_count);
                   for (std::size_t i = 0; i < words.size(); ++i)
                     words[i] = (i % 4 + 1) << 33 | 12345;
                   words[0] = (last - 1) << 32;
                   stream().copy_in(workspace.words, words.data(), words.size() * 8);
                   stream().synchronize();
                 });
  if (!runs_kernels()) return;
  // 0x7ffffffe, 0x7fffffff, 1 and 2: words of 1 to 4 lay where the first two look.
  for (int launch = 0; launch < 4; ++launch) {
    sums.launch(stream(), n, in, out);
    ASSERT_EQ(values<int>(out), expected) << launch;
  }
  with_workspace(stream(), {.partial_bytes = 0, .tickets = 0, .words = 1000},
                 [&](const Workspace& workspace) {
                   std::vector<std::uint64_t> words(2);
                   stream().copy_out(words.data(), workspace.words, 16);
                   stream().synchronize();
                   EXPECT_EQ(words[0], std::uint64_t{3} << 32) << "0 is nobody's epoch";
                 });
}

/// Each launch clears a word, so that none keeps an epoch until it returns.
TEST_P(LookBackTest, WordsThatNobodyUsesAreCleared) {
  if (!runs_kernels()) GTEST_SKIP() << "nothing runs";
  ScanKernel sums(device(), Scalar::int32, scan_of_array("int", "a + b"), options());
  const memory::Buffer in(device(), std::vector<int>(5, 1)), out(device(), 20);
  std::uint64_t count = 0;
  with_workspace(stream(), {.partial_bytes = 0, .tickets = 0, .words = 2000},
                 [&](const Workspace& workspace) {
                   count = workspace.word_count;
                   std::vector<std::uint64_t> words(count, 99);
                   words[0] = std::uint64_t{7} << 32;
                   stream().copy_in(workspace.words, words.data(), count * 8);
                   stream().synchronize();
                 });
  for (std::uint64_t launch = 0; launch < count; ++launch) sums.launch(stream(), 5, in, out);
  with_workspace(stream(), {.partial_bytes = 0, .tickets = 0, .words = 2000},
                 [&](const Workspace& workspace) {
                   std::vector<std::uint64_t> words(count);
                   stream().copy_out(words.data(), workspace.words, count * 8);
                   stream().synchronize();
                   EXPECT_EQ(std::ranges::count(words, 99u), 0);
                 });
}

/// Outputs that go where other inputs are read from: these are read before.
TEST_P(LookBackTest, InputsAreReadBeforeTheyAreOverwritten) {
  ScanKernel sums(device(), Scalar::int32, scan_of_array("int", "a + b"), options());
  ScanKernel reversed(
      device(), Scalar::int32,
      {.arguments = "int *x", .input = "x[i]", .scan = "a + b", .output = "x[N - 1 - i] = item"},
      options());
  const std::size_t n = 20 * sums.tile() + 3;
  std::vector<int> x(n + 1, 1), expected(n + 1);
  std::iota(expected.begin(), expected.end(), 0);
  expected[0] = 1;
  const memory::Buffer memory(device(), x);
  sums.launch(stream(), n, memory.slice(0, n * 4), memory.slice(4, n * 4));
  if (runs_kernels()) {
    EXPECT_EQ(values<int>(memory), expected);
  }
  const memory::Buffer turned(device(), std::vector<int>(n, 1));
  reversed.launch(stream(), n, turned);
  std::iota(expected.rbegin(), expected.rend(), 0);
  expected.pop_back();
  if (runs_kernels()) {
    EXPECT_EQ(values<int>(turned), expected);
  }
  // In place, each element where it was read.
  const memory::Buffer same(device(), std::vector<int>(n, 1));
  sums.launch(stream(), n, same, same);
  std::ranges::reverse(expected);
  if (runs_kernels()) {
    EXPECT_EQ(values<int>(same), expected);
  }
}

/// By whole accesses and, where memory is not aligned to them, element by element: the same bits.
TEST_P(LookBackTest, AlignmentChangesNothing) {
  ScanKernel sums(device(), Scalar::float32, scan_of_array("float", "a + b"), options()),
      before(device(), Scalar::int16, scan_of_array("short", "a + b", "5"), options());
  for (const std::size_t n : lengths(sums.tile(), stretch())) {
    std::vector<float> x(n + 1);
    std::vector<std::int16_t> s(n + 1), exclusive(n);
    for (std::size_t i = 0; i <= n; ++i) {
      x[i] = 1 / static_cast<float>(i % 89 + 1);
      s[i] = static_cast<std::int16_t>(i * 7919 % 201);
    }
    for (std::size_t i = 0; i < n; ++i)
      exclusive[i] = i == 0 ? std::int16_t{5}
                            : static_cast<std::int16_t>((i == 1 ? 0 : exclusive[i - 1]) + s[i]);
    const memory::Buffer in(device(), std::vector<float>(x.begin() + 1, x.end())),
        apart(device(), x), out(device(), n * 4), moved(device(), (n + 1) * 4), shorts(device(), s),
        left(device(), n * 2);
    sums.launch(stream(), n, in, out);
    sums.launch(stream(), n, apart.slice(4, n * 4), moved.slice(4, n * 4));
    before.launch(stream(), n, shorts.slice(2, n * 2), left);
    if (!runs_kernels()) continue;
    EXPECT_EQ(values<float>(out), values<float>(moved.slice(4, n * 4))) << n;
    EXPECT_EQ(values<std::int16_t>(left), exclusive) << n;
  }
}

/// Elements and places of a selection, whatever the size of elements.
TEST_P(LookBackTest, SelectionsStayInOrderAroundEveryEnd) {
  for (const std::string type : {"uchar", "uint", "ulong"}) {
    const std::size_t item = type == "uchar" ? 1 : type == "uint" ? 4 : 8;
    ScanKernel chosen(
        device(), Scalar::int64,
        {.arguments = "const uchar *mask, const " + type + " *x, " + type +
                      " *chosen, int *places, long *count, long room",
         .input = "mask[i] != 0",
         .scan = "a + b",
         .output = "",
         .neutral = "0",
         .compactions = {{"chosen", "x[i]", "room"}, {"places", "(int)i", "room + 1"}},
         .total = "count"},
        options());
    for (const std::size_t n : lengths(chosen.tile(), stretch())) {
      std::vector<std::uint8_t> mask(n + 1), x((n + 1) * item);
      for (std::size_t i = 0; i <= n; ++i) mask[i] = i * i % 7 < 3 || i % 1000 > 900 ? 2 : 0;
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<std::uint8_t>(i * 31 % 251);
      for (const std::size_t from : {0, 1}) {
        std::vector<std::uint8_t> expected;
        std::vector<int> places;
        for (std::size_t i = 0; i < n; ++i) {
          if (mask[i + from] == 0) continue;
          places.push_back(static_cast<int>(i));
          for (std::size_t k = 0; k < item; ++k) expected.push_back(x[(i + from) * item + k]);
        }
        const std::int64_t count = static_cast<std::int64_t>(places.size()), room = count - 1;
        const memory::Buffer given(device(), mask), elements(device(), x),
            into(device(), std::vector<std::uint8_t>(expected.size() + item, 77)),
            at(device(), std::vector<int>(places.size() + 1, -3)),
            total(device(), std::vector<std::int64_t>{-1});
        chosen.launch(stream(), n, given.slice(from, n), elements.slice(from * item, n * item),
                      into, at, total, room);
        if (!runs_kernels() || n == 0) continue;
        // The last one has no room.
        expected.resize(expected.size() - std::min(expected.size(), item));
        expected.resize(into.size_bytes(), 77);
        places.push_back(-3);
        EXPECT_EQ(values<std::uint8_t>(into), expected) << type << n;
        EXPECT_EQ(values<int>(at), places) << type << n;
        EXPECT_EQ(values<std::int64_t>(total)[0], count) << type << n;
      }
    }
  }
}

/// Two streams have words of their own; on one stream several scans share them.
TEST_P(LookBackTest, StreamsHaveWordsOfTheirOwn) {
  ScanKernel sums(device(), Scalar::int32, scan_of_array("int", "a + b"), options()),
      products(device(), Scalar::float64, scan_of_array("double", "a * b"), options());
  const auto other = device()->make_stream();
  const std::size_t n = 30 * sums.tile();
  const memory::Buffer in(device(), std::vector<int>(n, 1)), first(device(), n * 4),
      second(device(), n * 4), halves(device(), std::vector<double>(900, 0.5)),
      powers(device(), 7200);
  for (int turn = 0; turn < 20; ++turn) {
    sums.launch(stream(), n, in, first);
    sums.launch(*other, n, in, second);
    products.launch(stream(), 900, halves, powers);
  }
  other->synchronize();
  if (!runs_kernels()) return;
  std::vector<int> expected(n);
  std::iota(expected.begin(), expected.end(), 1);
  EXPECT_EQ(values<int>(first), expected);
  EXPECT_EQ(values<int>(second), expected);
  EXPECT_EQ(values<double>(powers)[899], std::ldexp(1.0, -900));
}

}  // namespace
}  // namespace treadle::kernel

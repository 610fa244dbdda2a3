// SPDX-License-Identifier: MIT
// Random numbers of every device, against those of the host and against their distributions.
#include "treadle/kernel/random.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>
#include <type_traits>

#include "kernel/each_schedule.hpp"
#include "sanitized.hpp"

namespace treadle::kernel {
namespace {

template <class T>
std::vector<T> on_host(const RandomDraw& draw, RandomState& state, std::size_t count) {
  std::vector<T> numbers(count);
  draw_on_host(std::as_writable_bytes(std::span(numbers)), draw, state);
  return numbers;
}

class RandomTest : public testing::TestWithParam<DeviceAndSchedule> {
 protected:
  void SetUp() override {
    device_ = device::find_device(std::get<0>(GetParam()));
    stream_ = device_->make_stream();
  }
  static Schedule schedule() { return std::get<1>(GetParam()); }
  bool runs_kernels() const { return device_->info().traits.runs_kernels; }
  device::Device& device() const { return *device_; }
  device::Stream& stream() const { return *stream_; }
  memory::Buffer buffer(std::size_t bytes) const { return {device_, bytes}; }

  /// Numbers that begin `offset` elements into their memory. Those around them stay.
  template <class T>
  std::vector<T> drawn(const RandomDraw& draw, RandomState& state, std::size_t count,
                       std::size_t offset = 0) {
    std::vector<T> all(offset + count + 8);
    std::memset(all.data(), 0x5a, all.size() * sizeof(T));
    const std::vector<T> before = all;
    const memory::Buffer memory(device_, all);
    fill_random(stream(), {memory.location() + offset * sizeof(T), count, schedule()}, draw, state);
    stream().synchronize();
    memory.copy_to(all);
    EXPECT_EQ(std::memcmp(all.data(), before.data(), offset * sizeof(T)), 0);
    EXPECT_EQ(std::memcmp(&all[offset + count], before.data(), 8 * sizeof(T)), 0);
    return {all.begin() + static_cast<std::ptrdiff_t>(offset),
            all.begin() + static_cast<std::ptrdiff_t>(offset + count)};
  }

  /// The same bits as on the host, for all lengths and offsets at which a text may go wrong.
  template <class T>
  void expect_hosts_numbers(const RandomDraw& draw,
                            RandomGenerator generator = RandomGenerator::philox) {
    for (const std::size_t count : {0, 1, 2, 3, 4, 5, 1023, 1024, 1025, 65537, 140001})
      for (const std::size_t offset : {0, 1, 2, 4}) {
        if (!runs_kernels() && count > 1025) break;  // nothing to compare the host's numbers with
        RandomState here{0x123456789abcdef0, 3, 0xfffffff0, generator}, there = here;
        const std::vector<T> got = drawn<T>(draw, here, count, offset);
        const std::vector<T> expected = on_host<T>(draw, there, count);
        EXPECT_EQ(here, there);
        if (!runs_kernels() || count == 0) continue;
        ASSERT_EQ(std::memcmp(got.data(), expected.data(), count * sizeof(T)), 0)
            << count << " numbers, " << offset << " into their memory";
      }
  }
  template <class T>
  void expect_hosts_integers() {
    const Scalar dtype = dtype_of<T>().scalar();
    using Limits = std::numeric_limits<T>;
    if (std::is_signed_v<T>) {  // each text takes PoCL half a second
      expect_hosts_numbers<T>(RandomDraw::words(dtype));
      expect_hosts_numbers<T>(RandomDraw::words(dtype), RandomGenerator::threefry);
    }
    expect_hosts_numbers<T>(RandomDraw::integers<T>(2, 9));
    expect_hosts_numbers<T>(RandomDraw::integers(dtype, static_cast<std::uint64_t>(Limits::min()),
                                                 sizeof(T) == 4 ? std::uint64_t{1} << 32 : 0));
    expect_hosts_numbers<T>(RandomDraw::integers<T>(Limits::min() / 3 * 2, Limits::max()));
  }

 private:
  std::shared_ptr<device::Device> device_;
  std::shared_ptr<device::Stream> stream_;
};
INSTANTIATE_TEST_SUITE_P(Devices, RandomTest, each_device_and_schedule(), schedule_test_name);

TEST_P(RandomTest, WordsAreTheKnownAnswersOfPhilox) {
  if (!runs_kernels()) GTEST_SKIP();
  RandomState zeros, pi{0x299f31d0a4093822, 0x0370734413198a2e, 0x85a308d3243f6a88};
  const RandomDraw words = RandomDraw::words(Scalar::uint32);
  EXPECT_EQ(drawn<std::uint32_t>(words, zeros, 4),
            (std::vector<std::uint32_t>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(drawn<std::uint32_t>(words, pi, 4),
            (std::vector<std::uint32_t>{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
  EXPECT_EQ(pi.position, 0x85a308d3243f6a89);
  RandomState threefry{.generator = RandomGenerator::threefry};
  EXPECT_EQ(drawn<std::uint32_t>(words, threefry, 4),
            (std::vector<std::uint32_t>{0x9c6ca96a, 0xe17eae66, 0xfc10ecd4, 0x5256a7d8}));
}

TEST_P(RandomTest, IntegersOf32BitsAreTheHosts) {
  expect_hosts_integers<std::int32_t>();
  expect_hosts_integers<std::uint32_t>();
}

TEST_P(RandomTest, NarrowIntegersAreTheHosts) {
  expect_hosts_numbers<std::int8_t>(RandomDraw::integers<std::int8_t>(-100, 120));
  const RandomDraw coins = RandomDraw::integers(Scalar::boolean, 0, 2);
  RandomState here{.seed = 1}, there = here;
  const auto thrown = drawn<std::uint8_t>(coins, here, 1001);
  if (runs_kernels()) {
    EXPECT_EQ(thrown, on_host<std::uint8_t>(coins, there, 1001));
  }
}

TEST_P(RandomTest, IntegersOf64BitsAreTheHosts) {
  expect_hosts_integers<std::int64_t>();
  expect_hosts_integers<std::uint64_t>();
}

TEST_P(RandomTest, UniformNumbersAreTheHosts) {
  for (const IntervalEnd end : {IntervalEnd::low, IntervalEnd::high})
    for (const auto& [low, high] : {std::pair{0.0, 1.0}, {-3.5, 1e6}, {1.0, 1.0000003}}) {
      expect_hosts_numbers<float>(RandomDraw::uniform(Scalar::float32, low, high, end));
      if (device().info().traits.fp64)
        expect_hosts_numbers<double>(RandomDraw::uniform(Scalar::float64, low, high, end));
    }
}

/// The largest distance in units of the last digit, of numbers of one sign.
template <class T, class Bits>
Bits largest_distance(const std::vector<T>& a, const std::vector<T>& b) {
  Bits largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const Bits x = std::bit_cast<Bits>(a[i]), y = std::bit_cast<Bits>(b[i]);
    largest = std::max(largest, x > y ? x - y : y - x);
  }
  return largest;
}

TEST_P(RandomTest, NormalNumbersAreTheHosts) {
  const RandomDraw single = RandomDraw::normal(Scalar::float32);
  const RandomDraw moved = RandomDraw::normal(Scalar::float32, -3, 0.7);
  if (device().info().traits.exact_division) {
    expect_hosts_numbers<float>(single);
    expect_hosts_numbers<float>(moved);
    if (device().info().traits.fp64)
      expect_hosts_numbers<double>(RandomDraw::normal(Scalar::float64, 5, 1e-3));
  } else if (runs_kernels()) {
    RandomState here{.seed = 3}, there = here;
    const auto got = drawn<float>(single, here, 100001);
    const auto distance =
        largest_distance<float, std::uint32_t>(got, on_host<float>(single, there, 100001));
    EXPECT_LE(distance, 2u);
  }
}

TEST_P(RandomTest, PoissonsNumbersAreTheHosts) {
  if (!device().info().traits.fp64) GTEST_SKIP();
  for (const double mean : {0.0, 2.5, 10.0, 3e5}) {
    RandomState here{0x123456789abcdef0, 3ull << 40 | 7, 0xfffffffffffffff0}, there = here;
    const RandomDraw draw = RandomDraw::poisson(Scalar::uint32, mean);
    const auto got = drawn<std::uint32_t>(draw, here, 70001, 1);
    const auto expected = on_host<std::uint32_t>(draw, there, 70001);
    EXPECT_EQ(here, there);
    EXPECT_EQ(here.position, 70001u - 16);  // a block each
    if (runs_kernels()) {
      EXPECT_EQ(got, expected) << mean;
    }
  }
}

TEST_P(RandomTest, PoissonsNumbersTakeTheirMeansFromElements) {
  if (!device().info().traits.fp64 || !runs_kernels()) GTEST_SKIP();
  std::vector<float> means{0, 4, -1, 1e30f, 50, std::numeric_limits<float>::quiet_NaN()};
  const memory::Buffer memory(stream().device().shared_from_this(), means);
  const RandomDraw draw = RandomDraw::poisson_of_elements(Scalar::float32);
  RandomState here{.seed = 5, .generator = RandomGenerator::threefry}, there = here;
  fill_random(stream(), {memory, means.size(), schedule()}, draw, here);
  draw_on_host(std::as_writable_bytes(std::span(means)), draw, there);
  std::vector<float> got(means.size());
  stream().synchronize();
  memory.copy_to(got);
  EXPECT_EQ(got, means);
  EXPECT_EQ(means[2], 0);
  EXPECT_EQ(means[5], 0);
  EXPECT_NEAR(means[3], 0x1p30, 0x1p30 * 1e-3);
}

TEST_P(RandomTest, DrawsGoOnWhereTheLastOneEnded) {
  if (!runs_kernels()) GTEST_SKIP();
  const RandomDraw draw = RandomDraw::uniform(Scalar::float32);
  RandomState state{.seed = 1}, whole = state;
  std::vector<float> parts = drawn<float>(draw, state, 4000);
  const std::vector<float> behind = drawn<float>(draw, state, 3001);
  parts.insert(parts.end(), behind.begin(), behind.end());
  EXPECT_EQ(parts, drawn<float>(draw, whole, 7001));
  EXPECT_EQ(state.position, 1000u + 751);
}

TEST_P(RandomTest, RefusesMemoryThatIsNotAligned) {
  RandomState state;
  const memory::Buffer memory = buffer(64);
  EXPECT_THROW(fill_random(stream(), {memory.location() + 2, 4},
                           RandomDraw::uniform(Scalar::float32), state),
               InvalidArgument);
  EXPECT_EQ(state, RandomState{});
}

TEST_P(RandomTest, EventsAreKeptForNoNumbersToo) {
  RandomState state;
  const auto event = device().make_event();
  fill_random(stream(), {{}, 0}, RandomDraw::words(Scalar::uint32), state, {.done = event.get()});
  stream().synchronize();
  EXPECT_TRUE(event->is_done());
  EXPECT_EQ(state, RandomState{});
}

// What follows holds on every device, since their numbers are the host's.

TEST(RandomNumbers, OfPoissonComeAsOftenAsTheirDistributionSays) {
  constexpr std::size_t many = repeats(1 << 18);
  for (const double mean : {0.1, 3.0, 9.9, 10.0, 27.5, 400.0}) {
    RandomState state{.seed = 21};
    const auto last = static_cast<std::size_t>(mean + 7 * std::sqrt(mean) + 8);
    std::vector<double> counts(last + 1);
    for (const double x : on_host<double>(RandomDraw::poisson(Scalar::float64, mean), state, many))
      ++counts[std::min(static_cast<std::size_t>(x), last)];
    double chi_square = 0, freedom = -1;
    for (std::size_t k = 0; k <= last; ++k) {
      const double j = static_cast<double>(k);
      const double expected = many * std::exp(j * std::log(mean) - mean - std::lgamma(j + 1));
      if (expected < 8) continue;
      chi_square += (counts[k] - expected) * (counts[k] - expected) / expected;
      ++freedom;
    }
    EXPECT_LT(std::abs(chi_square - freedom), 5 * std::sqrt(2 * freedom)) << mean;
  }
}

TEST(RandomNumbers, OfPoissonHaveTheirMomentsForLargeMeans) {
  constexpr int many = repeats(1 << 16);
  for (const double mean : {1e4, 1e7, 0x1p30}) {
    RandomState state{.seed = 22};
    double sum = 0, squares = 0;
    for (const double x :
         on_host<double>(RandomDraw::poisson(Scalar::float64, mean), state, many)) {
      sum += (x - mean) / std::sqrt(mean);
      squares += (x - mean) * (x - mean) / mean;
    }
    EXPECT_LT(std::abs(sum / many), 5 / std::sqrt(many)) << mean;
    EXPECT_LT(std::abs(squares / many - 1), 5 * std::sqrt(2. / many)) << mean;
  }
}

TEST(RandomNumbers, OfPoissonTakeAMeanThatThereIs) {
  for (const double mean : {-1.0, 0x1p30 + 1, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_THROW(RandomDraw::poisson(Scalar::int64, mean), InvalidArgument) << mean;
  EXPECT_THROW(RandomDraw::poisson(Scalar::int16, 1), DTypeError);
  EXPECT_THROW(RandomDraw::poisson_of_elements(Scalar::complex64), DTypeError);
}

TEST(RandomNumbers, NeverLeaveTheirInterval) {
  for (const auto& [low, high] : {std::pair{0.0, 1.0},
                                  {1.0, 1.0000002},
                                  {-1e30, 1e30},
                                  {16777216.0, 16777218.0},
                                  {-5e-45, 5e-45},
                                  {7.0, 7.0}})
    for (const IntervalEnd end : {IntervalEnd::low, IntervalEnd::high}) {
      RandomState state{.seed = 11};
      const bool has_low = end == IntervalEnd::low;
      const auto first = static_cast<float>(low), last = static_cast<float>(high);
      for (const float x :
           on_host<float>(RandomDraw::uniform(Scalar::float32, low, high, end), state, 100000)) {
        if (first == last)
          ASSERT_EQ(x, first);
        else
          ASSERT_TRUE(has_low ? x >= first && x < last : x > first && x <= last) << x;
      }
    }
}

TEST(RandomNumbers, TheEndsOfWordsAreTheEndsOfTheInterval) {
  // Words of ones and of zeros are not met by chance: the arithmetic of a draw for them.
  const auto units = [](IntervalEnd end) {
    const RandomDraw draw = RandomDraw::uniform(Scalar::float32, 0, 1, end);
    const auto values = draw.values();  // a view of the draw's
    std::vector<float> all;
    for (const std::size_t i : {2, 3})
      all.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(values[i].bits)));
    return all;
  };
  EXPECT_EQ(units(IntervalEnd::low), (std::vector<float>{0.0f, 1.0f - 0x1p-24f}));
  EXPECT_EQ(units(IntervalEnd::high)[1], 1.0f);
  EXPECT_GT(units(IntervalEnd::high)[0], 0.0f);
}

TEST(RandomNumbers, RefusesWhatIsNoDistribution) {
  EXPECT_THROW(RandomDraw::uniform(Scalar::float32, 1, 0), InvalidArgument);
  EXPECT_THROW(RandomDraw::uniform(Scalar::float32, -3e38, 3e38), InvalidArgument);
  EXPECT_NO_THROW(RandomDraw::uniform(Scalar::float64, -3e38, 3e38));
  EXPECT_THROW(RandomDraw::uniform(Scalar::float32, 0, NAN), InvalidArgument);
  EXPECT_THROW(RandomDraw::uniform(Scalar::int32), DTypeError);
  EXPECT_THROW(RandomDraw::normal(Scalar::float32, 0, -1), InvalidArgument);
  EXPECT_THROW(RandomDraw::integers(5, 5), InvalidArgument);
  EXPECT_THROW(RandomDraw::integers(Scalar::int32, 0, std::uint64_t{1} << 32), InvalidArgument);
  EXPECT_THROW(RandomDraw::integers(Scalar::uint32, ~std::uint64_t{0}, 1), InvalidArgument);
  EXPECT_THROW(RandomDraw::integers(Scalar::uint64, 1, 0), InvalidArgument);
  EXPECT_THROW(RandomDraw::integers(Scalar::boolean, 0, 3), InvalidArgument);
  EXPECT_THROW(RandomDraw::integers(Scalar::int8, 100, 29), InvalidArgument);
  EXPECT_NO_THROW(RandomDraw::integers(Scalar::int8, 100, 28));
  EXPECT_NO_THROW(RandomDraw::integers(Scalar::int32, ~std::uint64_t{0}, 5));
  EXPECT_NO_THROW(RandomDraw::integers(Scalar::int64, std::uint64_t{1} << 63, 0));
}

/// How far a chi-square is from what is expected, in standard deviations of a normal distribution:
/// the cube root of Wilson and Hilferty (1931), which holds from one degree of freedom on.
double deviations(const std::vector<double>& observed, double expected) {
  double chi = 0;
  for (const double count : observed) chi += (count - expected) * (count - expected) / expected;
  const auto freedom = static_cast<double>(observed.size() - 1);
  const double variance = 2 / (9 * freedom);
  return (std::cbrt(chi / freedom) - (1 - variance)) / std::sqrt(variance);
}

constexpr std::size_t many = repeats(1 << 20);

TEST(RandomNumbers, NarrowIntegersAreTheWideOnes) {
  RandomState state{.seed = 4}, same = state;
  const auto narrow = on_host<std::int8_t>(RandomDraw::integers<std::int8_t>(-3, 120), state, 1001);
  const auto wide = on_host<int>(RandomDraw::integers(-3, 120), same, 1001);
  EXPECT_TRUE(std::ranges::equal(narrow, wide));
  EXPECT_EQ(state, same);
}

TEST(RandomNumbers, IntegersComeEquallyOften) {
  for (const RandomGenerator generator : {RandomGenerator::philox, RandomGenerator::threefry})
    for (const int count : {2, 7, 1000}) {
      RandomState state{.seed = 5, .generator = generator};
      std::vector<double> observed(static_cast<std::size_t>(count));
      for (const int x : on_host<int>(RandomDraw::integers(-3, count - 3), state, many))
        ++observed.at(static_cast<std::size_t>(x + 3));
      EXPECT_LT(std::abs(deviations(observed, static_cast<double>(many) / count)), 5) << count;
    }
}

TEST(RandomNumbers, UniformNumbersFillTheIntervalAndForgetTheLast) {
  for (const RandomGenerator generator : {RandomGenerator::philox, RandomGenerator::threefry}) {
    RandomState state{.seed = 6, .generator = generator};
    const auto x = on_host<double>(RandomDraw::uniform(Scalar::float64), state, many);
    std::vector<double> observed(1024);
    for (const double u : x) ++observed.at(static_cast<std::size_t>(u * 1024));
    EXPECT_LT(std::abs(deviations(observed, many / 1024.0)), 5);
    for (const std::size_t lag : {1, 2, 3, 4, 8, 1000}) {
      double sum = 0;
      for (std::size_t i = lag; i < x.size(); ++i) sum += (x[i] - 0.5) * (x[i - lag] - 0.5);
      EXPECT_LT(std::abs(sum * 12 / std::sqrt(static_cast<double>(many))), 5) << lag;
    }
  }
}

template <class T>
void expect_normal(Scalar dtype) {
  RandomState state{.seed = 7};
  const auto x = on_host<T>(RandomDraw::normal(dtype, 2, 3), state, many);
  double moments[4] = {}, pairs = 0;
  std::vector<double> observed(64);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double z = (static_cast<double>(x[i]) - 2) / 3;
    double power = 1;
    for (double& moment : moments) moment += (power *= z) / many;
    if (i % 2 == 1) pairs += z * (static_cast<double>(x[i - 1]) - 2) / 3;
    const double u = std::erfc(-z / std::numbers::sqrt2) / 2;
    ++observed.at(std::min<std::size_t>(63, static_cast<std::size_t>(u * 64)));
  }
  // Five standard deviations of a moment's estimate: sqrt((m_2k - m_k^2) / n).
  const double unit = 5 / std::sqrt(static_cast<double>(many));
  EXPECT_NEAR(moments[0], 0, unit);
  EXPECT_NEAR(moments[1], 1, unit * std::sqrt(2));
  EXPECT_NEAR(moments[2], 0, unit * std::sqrt(15));
  EXPECT_NEAR(moments[3], 3, unit * std::sqrt(96));
  EXPECT_LT(std::abs(pairs / std::sqrt(many / 2.0)), 5);
  EXPECT_LT(std::abs(deviations(observed, many / 64.0)), 5);
}

TEST(RandomNumbers, NormalNumbersHaveTheirMoments) {
  expect_normal<float>(Scalar::float32);
  expect_normal<double>(Scalar::float64);
}

template <class T>
void expect_box_muller(Scalar dtype, double tolerance) {
  RandomState state{.seed = 8}, same = state;
  constexpr std::size_t count = repeats(200000);
  const auto x = on_host<T>(RandomDraw::normal(dtype), state, count);
  const std::size_t length = 16 / sizeof(T);
  for (std::size_t i = 0; i < count; i += 2) {
    const RandomWords words = same.words(i / length);
    long double a = words[i % length], b = words[i % length + 1], range = 0x1p32L;
    if (sizeof(T) == 8) {
      const std::uint64_t first = std::uint64_t{words[1]} << 32 | words[0];
      a = static_cast<long double>(first >> 11);
      b = (std::uint64_t{words[3]} << 32 | words[2]) / 0x1p32L;
      range = 0x1p53L;
    }
    const long double radius = std::sqrt(-2 * std::log((a + 0.5L) / range));
    const long double angle = b / 0x1p31L * std::numbers::pi_v<long double>;
    const long double x_expected = radius * std::cos(angle), y_expected = radius * std::sin(angle);
    // The logarithm's argument is rounded, which counts where it is almost 1.
    const long double allowed = tolerance * std::max(radius, 1 / radius);
    ASSERT_LE(std::abs(x[i] - x_expected), allowed) << i;
    ASSERT_LE(std::abs(x[i + 1] - y_expected), allowed) << i;
  }
}

TEST(RandomNumbers, NormalNumbersAreBoxAndMullers) {
  expect_box_muller<float>(Scalar::float32, 2e-7);
  expect_box_muller<double>(Scalar::float64, 4e-16);
}

}  // namespace
}  // namespace treadle::kernel

// SPDX-License-Identifier: MIT
// Arrays of random numbers; tests/kernel/random_test.cpp tests their distributions and bits.
#include "treadle/array/random.hpp"

#include <cmath>
#include <cstring>
#include <set>

#include "array/each_array_device.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/array/reduction.hpp"

namespace treadle::array {
namespace {

/// What the host draws from a state, which moves on.
template <class T>
std::vector<T> on_host(const RandomDraw& draw, RandomState& state, std::size_t count) {
  std::vector<T> numbers(count);
  kernel::draw_on_host(std::as_writable_bytes(std::span(numbers)), draw, state);
  return numbers;
}

class GeneratorTest : public OnEachArrayDevice {
 protected:
  Generator seeded(std::uint64_t seed) { return Generator(seed, device()); }
  bool has_float64() const { return info().traits.fp64; }
  template <class T>
  void expect_equal(const Array& array, const std::vector<T>& expected) {
    const std::vector<T> values = array.as<T>();
    if (runs_kernels()) {
      EXPECT_EQ(values, expected);
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Devices, GeneratorTest, each_device(), device_test_name);

TEST_P(GeneratorTest, DrawsTheHostsNumbersOneAfterTheOther) {
  Generator random = seeded(42);
  RandomState host{.seed = 42};
  const Array units = random.random({7, 143}, Scalar::float32);
  EXPECT_EQ(units.rank(), 2);
  EXPECT_EQ(&units.device(), device().get());
  expect_equal(units, on_host<float>(RandomDraw::uniform(Scalar::float32), host, 1001));
  expect_equal(random.uniform(-2, 5.5, {1001}, Scalar::float32),
               on_host<float>(RandomDraw::uniform(Scalar::float32, -2, 5.5), host, 1001));
  expect_equal(random.integers<std::int8_t>(-3, 100, {1001}),
               on_host<std::int8_t>(RandomDraw::integers<std::int8_t>(-3, 100), host, 1001));
  expect_equal(random.integers<std::int64_t>(0, 1000, {}),
               on_host<std::int64_t>(RandomDraw::integers<std::int64_t>(0, 1000), host, 1));
  expect_equal(random.draw(RandomDraw::words(Scalar::uint32), {3, 3}),
               on_host<std::uint32_t>(RandomDraw::words(Scalar::uint32), host, 9));
  if (info().traits.exact_division)
    expect_equal(random.normal(-3, 0.25, {1001}, Scalar::float32),
                 on_host<float>(RandomDraw::normal(Scalar::float32, -3, 0.25), host, 1001));
  else
    (void)random.normal(-3, 0.25, {1001}, Scalar::float32), host = random.state();
  if (has_float64())
    expect_equal(random.random({5}),
                 on_host<double>(RandomDraw::uniform(Scalar::float64), host, 5));
  (void)random.random({0, 4}, Scalar::float32);
  EXPECT_EQ(random.state(), host);
}

TEST_P(GeneratorTest, OneNumberIsThatOfAnArrayOfOneElement) {
  Generator random = seeded(3), same = seeded(3);
  for (const RandomDraw& draw :
       {RandomDraw::uniform(Scalar::float32), RandomDraw::integers<std::int16_t>(-500, 900)}) {
    const Number number = random.draw(draw);
    const Array array = same.draw(draw, {});
    if (runs_kernels()) {
      EXPECT_EQ(number.as_double(), array.item().as_double());
    }
  }
  EXPECT_EQ(random.state(), same.state());
}

TEST_P(GeneratorTest, FillsViewsAndComputesWhatReadThemBefore) {
  Generator random = seeded(5), same = seeded(5);
  const RandomDraw draw = RandomDraw::uniform(Scalar::float32, 1, 2);
  const Array all = make(count_up(24));
  const Array sums = all + all;
  random.fill(all.at({{.start = 4, .stop = 20}}), draw);                             // a stretch
  random.fill(transpose(reshape(all, {4, 6})).at({{.start = 0, .stop = 2}}), draw);  // with strides
  const std::vector<float> stretch = same.draw(draw, {16}).as<float>();
  const std::vector<float> strided = same.draw(draw, {2, 4}).as<float>();
  std::vector<float> expected = count_up(24), doubled = expected;
  for (float& x : doubled) x += x;
  std::ranges::copy(stretch, expected.begin() + 4);
  for (std::size_t i = 0; i < 8; ++i) expected[i % 4 * 6 + i / 4] = strided[i];
  expect(sums, doubled);
  expect(all, expected);
  EXPECT_EQ(random.state(), same.state());
}

TEST_P(GeneratorTest, FillsArraysThatWerePending) {
  Generator random = seeded(5), same = seeded(5);
  const RandomDraw draw = RandomDraw::uniform(Scalar::float32);
  const Array x = zeros({100}, Scalar::float32, here());
  const Array y = x + 1;
  random.fill(x, draw);
  expect(x, same.draw(draw, {100}).as<float>());
  expect(y, std::vector<float>(100, 1));
}

TEST_P(GeneratorTest, ParametersInArraysGiveTheNumbersOfNumbers) {
  const auto three = full({5, 1}, 3, Scalar::float32, here());
  const auto half = full({40}, 0.5, Scalar::float32, here());
  const auto number = [&](auto draw) {
    Generator random = seeded(8);
    return draw(random).template as<float>();
  };
  const Scalar f4 = Scalar::float32;
  const Shape shape{5, 40};
  const auto normal = number([&](Generator& r) { return r.normal(3, 0.5, shape, f4); });
  const auto uniform = number([&](Generator& r) { return r.uniform(0.5, 3, shape, f4); });
  const auto exponential = number([&](Generator& r) { return r.exponential(3, shape, f4); });
  Generator random = seeded(8);
  expect(random.normal(three, half, shape, f4), normal);
  random = seeded(8);
  expect(random.normal(3, half, shape, f4), normal);
  random = seeded(8);
  expect(random.uniform(half, three, shape, f4), uniform);
  random = seeded(8);
  expect(random.exponential(three, shape, f4), exponential);
  random = seeded(8);
  // Parameters of another dtype do not change that of the result.
  expect(random.normal(full({40}, 3, Scalar::int64, here()), 0.5, shape, f4), normal);
  EXPECT_EQ(random.normal(half, Operand::typed(2.5, Scalar::float64), shape, f4).dtype(), f4);
}

TEST_P(GeneratorTest, UniformNumbersStayBelowAnEndInAnArray) {
  if (!runs_kernels()) GTEST_SKIP();
  Generator random = seeded(11);
  const Array low = full({100000}, 1, Scalar::float32, here());
  const float above = std::nextafter(1.f, 2.f);
  for (const float x : random.uniform(low, above, {100000}, Scalar::float32).as<float>())
    ASSERT_EQ(x, 1.f);
  for (const float x : random.uniform(low, 1, {100000}, Scalar::float32).as<float>())
    ASSERT_EQ(x, 1.f);
}

TEST_P(GeneratorTest, IntegersLieBetweenEndsInArrays) {
  if (!runs_kernels()) GTEST_SKIP();
  Generator random = seeded(42);
  const Array low = Array::from(std::vector<std::int64_t>{-5, 7}, here());
  const Array drawn = random.integers(low, 9, {100, 2});
  EXPECT_TRUE(all(drawn >= low).item().as_bool() && all(drawn < 9).item().as_bool());
  device::expect_error<InvalidArgument>([&] { random.integers(low, 7, {2}); }, {"empty"});
  device::expect_error<DTypeError>([&] { random.integers(low, 7.5, {2}); }, {"float64"});
}

TEST_P(GeneratorTest, ExponentialAndLognormalNumbersHaveTheirMoments) {
  if (!runs_kernels()) GTEST_SKIP();
  Generator random = seeded(12), same = seeded(12);
  constexpr std::int64_t many = 1 << 18;
  double moments[2] = {};
  for (const float x : random.exponential(2, {many}, Scalar::float32).as<float>()) {
    ASSERT_TRUE(x >= 0 && std::isfinite(x) && !std::signbit(x));
    moments[0] += x / 2. / many;
    moments[1] += x / 2. * x / 2. / many;
  }
  EXPECT_NEAR(moments[0], 1, 5 / std::sqrt(many));
  EXPECT_NEAR(moments[1], 2, 5 * std::sqrt(20. / many));
  random = same;
  const auto logs = log(random.lognormal(1, 0.5, {1000}, Scalar::float32)).as<float>();
  const auto normal = same.normal(1, 0.5, {1000}, Scalar::float32).as<float>();
  for (std::size_t i = 0; i < 1000; ++i) ASSERT_NEAR(logs[i], normal[i], 1e-5);
}

TEST_P(GeneratorTest, PoissonsNumbersHaveMeansInNumbersOrArrays) {
  if (!has_float64()) GTEST_SKIP();
  Generator random = seeded(13), same = seeded(13);
  const Array of_number = random.poisson(4.5, {3, 5});
  EXPECT_EQ(of_number.dtype(), DType(Scalar::int64));
  const Array of_array = same.poisson(full({5}, 4.5, Scalar::float32, here()), {3, 5});
  EXPECT_EQ(random.state(), same.state());
  if (runs_kernels()) {
    EXPECT_EQ(of_array.as<std::int64_t>(), of_number.as<std::int64_t>());
  }
  // Every second element of an array becomes a number of its own mean.
  const Array means = full({6}, 0, Scalar::float32, here());
  same.fill(means.at({{.step = 2}}), RandomDraw::poisson_of_elements(Scalar::float32));
  expect(means, std::vector<float>(6));
  EXPECT_THROW(random.poisson(-1, {3}), InvalidArgument);
  EXPECT_THROW(random.poisson(of_array, {2}), ShapeError);
}

TEST_P(GeneratorTest, CopiesJumpsAndChildrenAreTheirOwn) {
  const auto words = [&](Generator& random) {
    return random.draw(RandomDraw::words(Scalar::uint32), {64}).as<std::uint32_t>();
  };
  Generator random = seeded(1);
  (void)words(random);
  Generator copy = random;
  const auto next = words(random);
  if (runs_kernels()) {
    EXPECT_EQ(words(copy), next);
    std::set<std::vector<std::uint32_t>> seen{next, words(random)};
    Generator later = random.jumped();
    EXPECT_TRUE(seen.insert(words(later)).second);
    for (int call = 0; call < 2; ++call)
      for (Generator& child : random.spawn(3)) EXPECT_TRUE(seen.insert(words(child)).second);
  }
  EXPECT_EQ(random.jumped(2).state(), (RandomState{.seed = 1, .stream = 2}));
  EXPECT_EQ(random.spawn(1).front().device(), device());
  EXPECT_EQ(random.jumped().device(), device());
  random.set_state({.seed = 1, .position = 16});
  if (runs_kernels()) {
    EXPECT_EQ(words(random), next);
  }
}

TEST_P(GeneratorTest, ThreadsThatShareItDrawDifferentNumbers) {
  Generator random = seeded(2), alone = seeded(2);
  const RandomDraw words = RandomDraw::words(Scalar::uint32);
  std::vector<std::vector<std::uint32_t>> drawn(4);
  on_threads(4, [&](int i) {
    const device::StreamScope scope(shared_stream());
    for (int k = 0; k < 8; ++k)
      for (const std::uint32_t word : random.draw(words, {100}).as<std::uint32_t>())
        drawn[static_cast<std::size_t>(i)].push_back(word);
  });
  EXPECT_EQ(random.state().position, 800u);
  if (!runs_kernels()) return;
  const auto expected = alone.draw(words, {3200}).as<std::uint32_t>();
  std::multiset<std::uint32_t> got;
  for (const auto& of_thread : drawn) got.insert(of_thread.begin(), of_thread.end());
  EXPECT_EQ(got, std::multiset<std::uint32_t>(expected.begin(), expected.end()));
}

TEST_P(GeneratorTest, WhatIsRefusedDrawsNothing) {
  using device::expect_error;
  Generator random = seeded(1);
  const Array x = make(count_up(6));
  const Scalar f4 = Scalar::float32;
  const RandomDraw units = RandomDraw::uniform(f4);
  expect_error<DTypeError>([&] { random.random({3}, Scalar::int32); }, {"int32", "float32"});
  expect_error<DTypeError>([&] { random.fill(cast(x, Scalar::int32), units); },
                           {"float32", "int32", "the array's dtype"});
  expect_error<InvalidArgument>([&] { random.fill(broadcast_to(x, {2, 6}), units); }, {"copy()"});
  expect_error<ShapeError>([&] { random.random({-1}, f4); }, {"-1"});
  expect_error<ShapeError>([&] { random.normal(x, 1, {5}, f4); }, {"6", "5"});
  expect_error<InvalidArgument>([&] { random.normal(x, -1, {6}, f4); }, {"deviation of -1"});
  expect_error<InvalidArgument>([&] { random.exponential(-2.5, {6}, f4); }, {"scale of -2.5"});
  expect_error<InvalidArgument>([&] { random.uniform(2, 1, {6}, f4); }, {"2", "1"});
  expect_error<InvalidArgument>([&] { random.integers(5, 5, {6}); }, {"empty"});
  expect_error<DTypeError>([&] { random.normal(std::complex<double>(0, 1), 1, {6}, f4); },
                           {"complex128"});
  expect_error<DTypeError>([&] { random.normal(cast(x, Scalar::complex64), 1, {6}, f4); },
                           {"complex64"});
  Generator elsewhere(1, foreign());
  expect_error<InvalidArgument>([&] { elsewhere.normal(x, 1, {6}, f4); },
                                {foreign()->info().id, info().id});
  if (!has_float64())
    expect_error<NotSupported>([&] { random.random({3}); }, {"float64", "draw float32"});
  EXPECT_EQ(random.state(), RandomState{.seed = 1});
  EXPECT_EQ(elsewhere.state(), RandomState{.seed = 1});
}

TEST_P(GeneratorTest, NumbersAreDrawnBesideTheirParameters) {
  const Array x = make(count_up(6));
  Generator random(1);  // the current device may be another
  EXPECT_EQ(&random.normal(x, 1, {6}, Scalar::float32).device(), device().get());
  EXPECT_EQ(&random.exponential(x, {6}, Scalar::float32).device(), device().get());
  const device::StreamScope scope(shared_stream());
  EXPECT_EQ(&random.random({6}, Scalar::float32).device(), device().get());
}

TEST(GeneratorBytes, AreTheWordsOfTheState) {
  Generator random(7);
  RandomState state{.seed = 7};
  const auto words = on_host<std::uint32_t>(RandomDraw::words(Scalar::uint32), state, 3);
  const std::vector<std::byte> bytes = random.bytes(10);
  ASSERT_EQ(bytes.size(), 10u);
  EXPECT_EQ(std::memcmp(bytes.data(), words.data(), 10), 0);
  EXPECT_EQ(random.state(), state);
  EXPECT_TRUE(random.bytes(0).empty());
}

TEST(GeneratorSeeds, AreOtherOnesWhereNoneIsGiven) {
  EXPECT_NE(Generator().state().seed, Generator().state().seed);
}

TEST_P(GeneratorTest, ListedDistributionsTakeNumbersAndArrays) {
  if (!has_float64()) GTEST_SKIP();
  Generator random = seeded(9);
  RandomState host{.seed = 9};
  const std::vector<double> parameters{7.5, 2};
  const RandomDraw gamma = RandomDraw::listed(RandomKind::gamma, Scalar::float64, parameters);
  expect_equal(random.draw(RandomKind::gamma, {7.5, 2}, {1300}),
               on_host<double>(gamma, host, 1300));
  const Array shapes = full({1300}, 7.5, Scalar::float64, here());
  expect_equal(random.draw(RandomKind::gamma, {shapes, 2}, {1300}),
               on_host<double>(gamma, host, 1300));
  EXPECT_EQ(random.draw(RandomKind::binomial, {10, 0.5}, {3}).dtype(), Scalar::int64);
  EXPECT_THROW((void)random.draw(RandomKind::gamma, {-1}, {3}), InvalidArgument);
  EXPECT_THROW((void)random.draw(RandomKind::gamma, {shapes, -1}, {1300}), InvalidArgument);
  EXPECT_THROW((void)random.draw(RandomKind::gamma, {shapes}, {1300}), InvalidArgument);
  EXPECT_THROW((void)random.draw(RandomKind::gamma, {shapes, 1}, {2}), ShapeError);
}

TEST_P(GeneratorTest, RowsHaveTheirSums) {
  if (!has_float64() || !runs_kernels()) GTEST_SKIP();
  Generator random = seeded(10);
  const Array p = Array::from(std::vector{0.25, 0.25, 0.5}, here());
  const Array counts = random.multinomial(50, p, {40});
  EXPECT_EQ(counts.dtype(), Scalar::int64);
  for (const std::int64_t total : sum(counts, {.axes = -1}).as<std::int64_t>())
    EXPECT_EQ(total, 50);
  const std::vector<std::int64_t> colors{5, 0, 7};
  const auto balls = random.multivariate_hypergeometric(colors, 12, {}).as<std::int64_t>();
  EXPECT_EQ(balls, colors);
  const std::vector<double> mean{1, 2}, covariance{4, 2, 2, 1};
  const auto normal = random.multivariate_normal(mean, covariance, {}).as<double>();
  EXPECT_NEAR(normal[0] - 1, 2 * (normal[1] - 2), 1e-12);
  EXPECT_THROW((void)random.multivariate_normal(mean, std::vector{1.0, 2.0, 2.0, 1.0}, {}),
               InvalidArgument);
}

TEST_P(GeneratorTest, OrdersAreThoseOfRandomWords) {
  if (!runs_kernels()) GTEST_SKIP();
  Generator random = seeded(11);
  auto order = random.permutation(100).as<std::int64_t>();
  const auto before = order;
  std::ranges::sort(order);
  EXPECT_NE(order, before);
  for (std::size_t i = 0; i < order.size(); ++i) ASSERT_EQ(order[i], static_cast<std::int64_t>(i));
  const Array x = make(count_up(24));
  random.shuffle(x);
  std::vector<float> values = x.as<float>();
  std::ranges::sort(values);
  EXPECT_EQ(values, count_up(24));
  const auto chosen = random.choice(10, {10}, {.replaces = false}).as<std::int64_t>();
  EXPECT_EQ(std::set<std::int64_t>(chosen.begin(), chosen.end()).size(), 10u);
  EXPECT_THROW((void)random.choice(3, {4}, {.replaces = false}), InvalidArgument);
}

}  // namespace
}  // namespace treadle::array

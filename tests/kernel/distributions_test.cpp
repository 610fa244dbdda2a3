// SPDX-License-Identifier: MIT
// Numbers of listed distributions on every device, against those of the host.
// tests/python/distributions_test.py holds them against the distributions themselves.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "kernel/each_schedule.hpp"
#include "treadle/kernel/random.hpp"

namespace treadle::kernel {
namespace {

struct DrawnCase {
  RandomKind kind;
  std::vector<double> parameters;
};
const std::vector<DrawnCase>& drawn_cases() {
  using enum RandomKind;
  static const std::vector<DrawnCase> all{{beta, {0.5, 0.4}},
                                          {beta, {2, 0.3}},
                                          {binomial, {20, 0.3}},
                                          {binomial, {1e12, 0.75}},
                                          {chisquare, {3}},
                                          {f, {5, 7}},
                                          {gamma, {0.2, 3}},
                                          {gamma, {7.5, 2}},
                                          {geometric, {0.01}},
                                          {gumbel, {1, 2}},
                                          {hypergeometric, {15, 20, 9}},
                                          {hypergeometric, {200, 150, 190}},
                                          {laplace, {1, 2}},
                                          {log_gamma, {0.01}},
                                          {logistic, {1, 2}},
                                          {logseries, {0.9}},
                                          {negative_binomial, {3.5, 0.2}},
                                          {noncentral_chisquare, {3, 4}},
                                          {noncentral_chisquare, {0.5, 40}},
                                          {noncentral_f, {3, 8, 4}},
                                          {pareto, {3}},
                                          {power, {0.4}},
                                          {rayleigh, {2}},
                                          {standard_cauchy, {}},
                                          {standard_gamma, {1}},
                                          {standard_t, {4}},
                                          {triangular, {-1, 0, 4}},
                                          {vonmises, {0.5, 2}},
                                          {wald, {2, 3}},
                                          {weibull, {1.7}},
                                          {zipf, {1.2}}};
  return all;
}

template <class T>
std::vector<T> listed_on_host(const RandomDraw& draw, RandomState& state, std::size_t count) {
  std::vector<T> numbers(count);
  draw_on_host(std::as_writable_bytes(std::span(numbers)), draw, state);
  return numbers;
}

class DistributionTest : public testing::TestWithParam<DeviceAndSchedule> {
 protected:
  void SetUp() override {
    device_ = device::find_device(std::get<0>(GetParam()));
    if (!device_->info().traits.fp64) GTEST_SKIP() << "no float64";
    stream_ = device_->make_stream();
  }
  bool runs_kernels() const { return device_->info().traits.runs_kernels; }
  template <class T>
  std::vector<T> filled(const RandomDraw& draw, RandomState& state, std::vector<T> numbers,
                        std::size_t count) {
    const memory::Buffer memory(device_, numbers);
    fill_random(*stream_, {memory.location(), count, std::get<1>(GetParam())}, draw, state);
    stream_->synchronize();
    memory.copy_to(numbers);
    return numbers;
  }
  template <class T>
  void expect_hosts(const DrawnCase& of) {
    constexpr std::size_t count = 1300;
    const RandomDraw draw = RandomDraw::listed(of.kind, dtype_of<T>().scalar(), of.parameters);
    RandomState here{77, 3ull << 40 | 7, 0xfffffffffffffff0}, there = here;
    const std::vector<T> got = filled(draw, here, std::vector<T>(count), count);
    const std::vector<T> expected = listed_on_host<T>(draw, there, count);
    EXPECT_EQ(here, there);
    EXPECT_EQ(here.position, count - 16);  // a block each
    if (!runs_kernels()) return;
    EXPECT_EQ(std::memcmp(got.data(), expected.data(), count * sizeof(T)), 0)
        << codegen::kind_name(of.kind);
  }

  std::shared_ptr<device::Device> device_;
  std::shared_ptr<device::Stream> stream_;
};
INSTANTIATE_TEST_SUITE_P(Devices, DistributionTest, each_device_and_schedule(), schedule_test_name);

TEST_P(DistributionTest, NumbersAreTheHosts) {
  // In one schedule all of them: each kernel takes PoCL half a second.
  const bool all = std::get<1>(GetParam()) == device_->info().traits.schedule;
  for (const DrawnCase& of : drawn_cases()) {
    if (!all && of.kind != RandomKind::gamma && of.kind != RandomKind::binomial) continue;
    codegen::counts(of.kind) ? expect_hosts<std::int64_t>(of) : expect_hosts<double>(of);
  }
}

TEST_P(DistributionTest, OtherDtypesRoundAndSaturate) {
  expect_hosts<float>({RandomKind::gamma, {7.5, 2}});
  expect_hosts<std::int32_t>({RandomKind::zipf, {1.05}});
  expect_hosts<std::int64_t>({RandomKind::zipf, {1.0001}});
}

TEST_P(DistributionTest, ParametersOfElementsGiveTheNumbersOfParameters) {
  for (const DrawnCase& of :
       {DrawnCase{RandomKind::gamma, {7.5, 2}}, {RandomKind::triangular, {-1, 0, 4}}}) {
    constexpr std::size_t count = 1300;
    std::vector<double> packed;
    for (const double parameter : of.parameters) packed.insert(packed.end(), count, parameter);
    const RandomDraw draw = RandomDraw::listed_of_elements(of.kind);
    RandomState here{.seed = 9, .generator = RandomGenerator::threefry}, there = here, third = here;
    std::vector<double> got = filled(draw, here, packed, count);
    got.resize(count);
    draw_on_host(std::as_writable_bytes(std::span(packed)), draw, there);
    packed.resize(count);
    EXPECT_EQ(here, there);
    EXPECT_EQ(packed,
              listed_on_host<double>(RandomDraw::listed(of.kind, Scalar::float64, of.parameters),
                                     third, count));
    if (runs_kernels()) {
      EXPECT_EQ(got, packed);
    }
  }
}

TEST(Distributions, RefuseParametersOutOfRange) {
  using enum RandomKind;
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  for (const DrawnCase& of : {DrawnCase{gamma, {-1, 1}},
                              {gamma, {1, nan}},
                              {gamma, {1}},
                              {beta, {0, 1}},
                              {binomial, {-1, 0.5}},
                              {binomial, {1.5, 0.5}},
                              {binomial, {10, 1.1}},
                              {geometric, {0}},
                              {logseries, {1}},
                              {zipf, {1}},
                              {vonmises, {0, -1}},
                              {gumbel, {std::numeric_limits<double>::infinity(), 1}},
                              {hypergeometric, {1e9, 1, 1}},
                              {hypergeometric, {5, 5, 11}},
                              {triangular, {1, 0, 2}},
                              {triangular, {0, 3, 2}},
                              {triangular, {1, 1, 1}}})
    EXPECT_THROW((void)RandomDraw::listed(of.kind, Scalar::float64, of.parameters), InvalidArgument)
        << codegen::kind_name(of.kind);
  EXPECT_THROW((void)RandomDraw::listed(gamma, Scalar::int32, std::vector{1.0, 1.0}), DTypeError);
  EXPECT_THROW((void)RandomDraw::listed(zipf, Scalar::int8, std::vector{2.0}), DTypeError);
  EXPECT_THROW((void)RandomDraw::listed(normal, Scalar::float32, {}), InvalidArgument);
  EXPECT_THROW((void)RandomDraw::listed_of_elements(standard_cauchy), InvalidArgument);
}

TEST(Distributions, SayWhichParameterIsOutOfRange) {
  try {
    (void)RandomDraw::listed(RandomKind::binomial, Scalar::int64, std::vector{10.0, -0.25});
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("binomial: p is -0.25, not from 0 to 1"),
              std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace treadle::kernel

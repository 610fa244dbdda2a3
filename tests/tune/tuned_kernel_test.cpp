// SPDX-License-Identifier: MIT
#include "treadle/tune/tuned_kernel.hpp"

#include <gmock/gmock.h>

#include <atomic>
#include <numeric>
#include <thread>

#include "device/each_device.hpp"
#include "tune/running_devices.hpp"

namespace treadle::tune {
namespace {

using device::expect_error;
using memory::Buffer;

constexpr const char* tripled = R"(
#include <treadle/dialect.h>
TREADLE_KERNEL tripled(TREADLE_GLOBAL int *out, TREADLE_GLOBAL const int *in, int n)
{
  for (int k = 0; k < ITEMS; ++k) {
    const int i = treadle_global_id(0) * ITEMS + k;
    if (i < n) out[i] = 3 * in[i];
  }
}
)";

class TunedKernelTest : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    device_ = device::find_device(GetParam());
    stream_ = device_->make_stream();
    space_.let(device_->info()).add("ITEMS", {std::int64_t{1}, std::int64_t{2}, std::int64_t{4}});
    space_.add("GROUP", {std::int64_t{32}, std::int64_t{64}}).require("GROUP * ITEMS <= n");
  }
  static KernelTemplate kernel() {
    return {.text = tripled,
            .kernel = "tripled",
            .groups = {"ceil_div(n, GROUP * ITEMS)"},
            .group_size = {"GROUP"}};
  }
  TunedKernelOptions options(TunePolicy policy) {
    return {.policy = policy,
            .problem = [this](const ProblemSignature& problem) -> std::vector<ProblemArgument> {
              ++tunings_;
              const auto n = static_cast<int>(std::get<std::int64_t>(problem.at("n")));
              std::vector<int> in(static_cast<std::size_t>(n)), out(in.size());
              std::iota(in.begin(), in.end(), 0);
              for (std::size_t k = 0; k < in.size(); ++k) out[k] = 3 * in[k];
              const auto bytes = std::as_bytes(std::span(out));
              return {ProblemArgument::output(Buffer(device_, in),
                                              {.bytes = {bytes.begin(), bytes.end()}}),
                      Buffer(device_, in), n};
            },
            .tune = {.measure = {.repeats = 2, .sample_seconds = 0}, .compile_threads = 1},
            .store = store_};
  }
  void expect_right(TunedKernel& tuned, int n) {
    std::vector<int> in(static_cast<std::size_t>(n)), out(in.size());
    std::iota(in.begin(), in.end(), 0);
    const Buffer source(device_, in), target(device_, out);
    tuned.launch(*stream_, {std::int64_t{n}}, target, source, n);
    stream_->synchronize();
    target.copy_to(out);
    for (int k = 0; k < n; ++k) ASSERT_EQ(out[static_cast<std::size_t>(k)], 3 * k);
  }

  std::shared_ptr<device::Device> device_;
  std::shared_ptr<device::Stream> stream_;
  Space space_;
  std::shared_ptr<Store> store_ = std::make_shared<Store>(std::filesystem::path());
  std::atomic<int> tunings_ = 0;
};
INSTANTIATE_TEST_SUITE_P(Devices, TunedKernelTest, testing::ValuesIn(running_devices()),
                         device::device_test_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(TunedKernelTest);

TEST_P(TunedKernelTest, NeverTunedItTakesTheDefault) {
  TunedKernelOptions never = options(TunePolicy::never);
  never.defaults = {{"ITEMS", std::int64_t{2}}};
  TunedKernel tuned(device_, space_, kernel(), {"n"}, never);
  expect_right(tuned, 1000);
  const auto chosen = tuned.choose({std::int64_t{1000}});
  EXPECT_EQ(chosen->match, Match::none);
  EXPECT_EQ(chosen->configuration.text(), "ITEMS=2, GROUP=32");
  EXPECT_EQ(tuned.choose({std::int64_t{1000}}), chosen);
  EXPECT_EQ(tunings_, 0);
}

TEST_P(TunedKernelTest, ProblemsWithTheSameVariantShareItsKernel) {
  TunedKernelOptions never = options(TunePolicy::never);
  never.defaults = {{"ITEMS", std::int64_t{2}}};
  TunedKernel tuned(device_, space_, kernel(), {"n"}, never);
  const auto one = tuned.choose({std::int64_t{1000}}), other = tuned.choose({std::int64_t{900}});
  EXPECT_NE(one, other);
  EXPECT_EQ(&one->kernel.state(), &other->kernel.state());
}

TEST_P(TunedKernelTest, BlockingItIsTunedBeforeItsFirstLaunchForAProblem) {
  TunedKernel tuned(device_, space_, kernel(), {"n"}, options(TunePolicy::block));
  expect_right(tuned, 1000);
  expect_right(tuned, 1000);
  EXPECT_EQ(tunings_, 1);
  EXPECT_EQ(tuned.choose({std::int64_t{1000}})->match, Match::exact);
  expect_right(tuned, 300);
  EXPECT_EQ(tunings_, 2);
  // Another process finds it in the store; for other problems the nearest that is possible.
  TunedKernel later(device_, space_, kernel(), {"n"}, options(TunePolicy::never));
  const auto chosen = later.choose({std::int64_t{1000}});
  EXPECT_EQ(chosen->match, Match::exact);
  EXPECT_EQ(chosen->configuration, tuned.choose({std::int64_t{1000}})->configuration);
  EXPECT_EQ(later.choose({std::int64_t{1100}})->match, Match::near_problem);
  expect_right(later, 40);
  EXPECT_EQ(later.choose({std::int64_t{40}})->configuration.get<std::int64_t>("GROUP"), 32);
  EXPECT_EQ(tunings_, 2);
  // What was measured is not measured again.
  TunedKernel again(device_, space_, kernel(), {"n"}, options(TunePolicy::block));
  EXPECT_EQ(again.tune(std::vector<Value>{std::int64_t{1000}})->match, Match::exact);
}

TEST_P(TunedKernelTest, WhatTheProgramShipsComesBeforeTheDefault) {
  TunedKernelOptions shipping = options(TunePolicy::never);
  shipping.seeds = std::make_shared<Store>("");
  StoreKey key{kernel_key(kernel(), space_), {{"n", std::int64_t{900}}}, environment_of(*device_)};
  key.environment.device = "another of this architecture";
  Space of_problem = space_;
  of_problem.let("n", std::int64_t{900});
  const Configuration seed =
      of_problem.make({{"ITEMS", std::int64_t{4}}, {"GROUP", std::int64_t{64}}});
  shipping.seeds->add(key, seed, {.seconds = 1});
  TunedKernel tuned(device_, space_, kernel(), {"n"}, shipping);
  expect_right(tuned, 1000);
  EXPECT_EQ(tuned.choose({std::int64_t{1000}})->match, Match::architecture);
  EXPECT_EQ(tuned.choose({std::int64_t{1000}})->configuration.text(), seed.text());
  // It does not fit every problem, and what was measured here is nearer.
  EXPECT_EQ(tuned.choose({std::int64_t{40}})->match, Match::none);
  tuned.tune(std::vector<Value>{std::int64_t{2000}});
  TunedKernel later(device_, space_, kernel(), {"n"}, shipping);
  EXPECT_EQ(later.choose({std::int64_t{1000}})->match, Match::near_problem);
}

TEST_P(TunedKernelTest, BehindItIsTunedWhileItIsUsed) {
  TunedKernel tuned(device_, space_, kernel(), {"n"}, options(TunePolicy::background));
  expect_right(tuned, 500);
  for (int k = 0; k < 20; ++k) expect_right(tuned, 500);
  tuned.wait();
  EXPECT_EQ(tunings_, 1);
  EXPECT_EQ(tuned.choose({std::int64_t{500}})->match, Match::exact);
  expect_right(tuned, 500);
}

TEST_P(TunedKernelTest, ManyThreadsTuneOnce) {
  TunedKernel tuned(device_, space_, kernel(), {"n"}, options(TunePolicy::block));
  std::vector<std::jthread> threads;
  for (int k = 0; k < 4; ++k) threads.emplace_back([&] { tuned.choose({std::int64_t{700}}); });
  threads.clear();
  EXPECT_EQ(tunings_, 1);
}

TEST_P(TunedKernelTest, SaysWhatIsWrong) {
  TunedKernelOptions wrong = options(TunePolicy::block);
  wrong.problem = {};
  expect_error<InvalidArgument>([&] { TunedKernel(device_, space_, kernel(), {"n"}, wrong); },
                                {"problem is empty, and policy is block"});
  TunedKernel tuned(device_, space_, kernel(), {"n"}, options(TunePolicy::never));
  expect_error<InvalidArgument>([&] { tuned.choose({}); }, {"problem has 0 values, expected 1"});
  expect_error<InvalidArgument>([&] { tuned.choose({std::int64_t{3}}); },
                                {"no configuration of the space fulfils"});
  expect_error<InvalidArgument>([&] { policy_of("often"); }, {"policy is 'often'"});
  EXPECT_EQ(policy_of(policy_name(TunePolicy::background)), TunePolicy::background);
}

}  // namespace
}  // namespace treadle::tune

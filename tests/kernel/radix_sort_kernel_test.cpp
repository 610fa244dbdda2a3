// SPDX-License-Identifier: MIT
// Radix sorts by keys of users' texts on every device, in both schedules.
#include "treadle/kernel/radix_sort_kernel.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>

#include "treadle/kernel/tiling.hpp"
#include "views.hpp"

namespace treadle::kernel {
namespace {

class RadixSortKernelTest : public testing::TestWithParam<std::tuple<std::string, Schedule>> {
 protected:
  void SetUp() override {
    device_ = device::find_device(std::get<0>(GetParam()));
    stream_ = device_->make_stream();
  }
  Schedule schedule() const { return std::get<1>(GetParam()); }
  const std::shared_ptr<device::Device>& device() const { return device_; }
  device::Stream& stream() const { return *stream_; }
  bool runs_kernels() const { return device_->info().traits.runs_kernels; }

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
INSTANTIATE_TEST_SUITE_P(Devices, RadixSortKernelTest, each_device_and_schedule(),
                         schedule_test_name);

/// Positions in the order of the keys; equal ones stay in theirs.
template <class Key>
std::vector<std::size_t> order_of(std::size_t n, Key key) {
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, key);
  return order;
}

TEST_P(RadixSortKernelTest, MovesWhatIsSortedStably) {
  RadixSortKernel sort(
      device(),
      {.arguments = "const ulong *keys, ulong flip, const float *x",
       .key = "keys[i] ^ flip  // backwards",
       .sorted = {"x", "keys"}},
      {.key_dtype = Scalar::uint64, .index_dtype = Scalar::int32, .schedule = schedule()});
  const std::uint64_t flip = 0xffff'ffff;
  const std::pair<std::size_t, unsigned> cases[] = {{0, 0},       {1, 0},      {2, 0},    {1793, 0},
                                                    {40'003, 42}, {40'003, 0}, {9'000, 8}};
  for (const auto& [n, bits] : cases) {
    std::mt19937_64 random(n);
    std::vector<std::uint64_t> keys(n);
    std::vector<float> x(n);
    for (std::size_t i = 0; i < n; ++i) keys[i] = random() >> 20, x[i] = static_cast<float>(i);
    const std::uint64_t seen = bits == 8 ? 0xff : ~std::uint64_t{0};
    const auto by_key = order_of(n, [&](std::size_t i) { return (keys[i] ^ flip) & seen; });
    const memory::Buffer in(device(), keys), beside(device(), x);
    const memory::Buffer out(device(), n * 4), out_keys(device(), n * 8);
    const UserArgument given[] = {in, flip, beside};
    const UserArgument sorted[] = {out, out_keys};
    sort.launch(stream(), n, {given, sorted, bits});
    if (!runs_kernels()) continue;
    const auto got = values<float>(out);
    const auto got_keys = values<std::uint64_t>(out_keys);
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_EQ(got[i], static_cast<float>(by_key[i])) << n << " " << i;
      ASSERT_EQ(got_keys[i], keys[by_key[i]]) << n << " " << i;
    }
    EXPECT_TRUE(values<std::uint64_t>(in) == keys) << n;
  }
}

/// Sweeps where the device can, with tiles so small that there are many, and in passes.
TEST_P(RadixSortKernelTest, SweepsAndPassesSortAlike) {
  if (schedule() != Schedule::wide) GTEST_SKIP() << "work-items of processors do not vote";
  codegen::Tiling tiling = tiling_of(*device(), Schedule::wide);
  tiling.sweep_warps = 8;
  tiling.sweep_items = 3;
  tiling.words_in_flight = 2;
  set_tiling(*device(), tiling);
  const std::size_t tile = 8 * 32 * 3;
  for (const bool sweeps : {true, false}) {
    RadixSortKernel sort(device(),
                         {.arguments = "const uint *keys, const ulong *x, uint shift",
                          .key = "keys[i] >> shift",
                          .sorted = {"keys", "x"}},
                         {.index_dtype = sweeps ? Scalar::int64 : Scalar::int32,
                          .schedule = Schedule::wide,
                          .sweeps = sweeps});
    EXPECT_EQ(sort.sweeps(), sweeps && device()->info().language == Language::cuda_c);
    for (const std::size_t n : {std::size_t{0}, std::size_t{1}, tile - 1, tile, tile + 1, 2 * tile,
                                3 * tile + 7, 19 * tile - 1})
      for (const unsigned kind : {0, 1, 2}) {
        std::vector<std::uint32_t> keys(n);
        std::vector<std::uint64_t> x(n);
        std::mt19937 random(static_cast<unsigned>(n));
        for (std::size_t i = 0; i < n; ++i) {
          keys[i] = kind == 0   ? static_cast<std::uint32_t>(random())
                    : kind == 1 ? 0xffffffffu
                                : static_cast<std::uint32_t>(i * 5);
          x[i] = i << 32 | i;
        }
        const std::uint32_t shift = kind == 2 ? 2 : 0;
        const auto order = order_of(n, [&](std::size_t i) { return keys[i] >> shift; });
        const memory::Buffer in(device(), keys), beside(device(), x);
        const memory::Buffer out(device(), n * 4), places(device(), n * 8);
        const UserArgument given[] = {in, beside, shift};
        const UserArgument sorted[] = {out, places};
        sort.launch(stream(), n, {given, sorted, kind == 2 ? 21u : 32u});
        if (!runs_kernels()) continue;
        const auto got = values<std::uint32_t>(out);
        const auto moved = values<std::uint64_t>(places);
        for (std::size_t i = 0; i < n; ++i) {
          ASSERT_EQ(got[i], keys[order[i]]) << n << " " << kind << " " << i;
          ASSERT_EQ(moved[i], x[order[i]]) << n << " " << kind << " " << i;
        }
      }
  }
  // Keys alone, whose digits are those of what has changed places.
  RadixSortKernel alone(
      device(),
      {.arguments = "const ushort *keys, ushort flip", .key = "keys[i] ^ flip", .sorted = {"keys"}},
      {.key_dtype = Scalar::uint16, .schedule = Schedule::wide, .sweeps = true});
  std::vector<std::uint16_t> keys(5 * tile + 9);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<std::uint16_t>(i * 40'503);
  const memory::Buffer in(device(), keys), out(device(), keys.size() * 2);
  const std::uint16_t flip = 0xffff;
  const UserArgument given[] = {in, flip}, sorted[] = {out};
  alone.launch(stream(), keys.size(), {given, sorted});
  std::ranges::sort(keys, std::greater());
  if (runs_kernels()) {
    EXPECT_EQ(values<std::uint16_t>(out), keys);
  }
  set_tiling(*device(), default_tiling(device()->info().limits, Schedule::wide));
}

TEST_P(RadixSortKernelTest, RefusesWhatDoesNotFit) {
  RadixSortKernel sort(device(),
                       {.arguments = "const uint *keys", .key = "keys[i]", .sorted = {"keys"}},
                       {.index_dtype = Scalar::int32, .schedule = schedule()});
  const memory::Buffer memory(device(), 40);
  const UserArgument given[] = {memory, memory};
  const auto refuses = [&](std::size_t arguments, std::size_t results, unsigned bits,
                           std::uint64_t n, const std::vector<std::string>& words) {
    device::expect_error<InvalidArgument>(
        [&] {
          sort.launch(stream(), n,
                      {std::span(given).first(arguments), std::span(given).first(results), bits});
        },
        words);
  };
  const UserArgument number[] = {std::int32_t{3}};
  device::expect_error<InvalidArgument>(
      [&] { sort.launch(stream(), 10, {std::span(given).first(1), number, 32}); }, {"radix sort"});
  refuses(2, 1, 0, 10, {"takes 1 arguments"});
  refuses(1, 2, 0, 10, {"sorts 1 arrays"});
  refuses(1, 1, 33, 10, {"33 bits", "32"});
  refuses(1, 1, 0, std::uint64_t{1} << 31, {"int32"});
  device::expect_error<InvalidArgument>(
      [&] { RadixSortKernel(nullptr, {.arguments = "uint *x", .key = "x[i]", .sorted = {"x"}}); },
      {"needs a device"});
}

}  // namespace
}  // namespace treadle::kernel

// SPDX-License-Identifier: MIT
// Selections of elements on every device; what they are made of is tested in both schedules.
#include "treadle/kernel/select_kernel.hpp"

#include <gtest/gtest.h>

#include "views.hpp"

namespace treadle::kernel {
namespace {

class SelectKernelTest : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    device_ = device::find_device(GetParam());
    stream_ = device_->make_stream();
  }
  const std::shared_ptr<device::Device>& device() const { return device_; }
  device::Stream& stream() const { return *stream_; }
  bool runs_kernels() const { return device_->info().traits.runs_kernels; }

  /// The first elements of a buffer, as many as another one says from its element `which` on.
  std::vector<float> counted(const memory::Buffer& buffer, std::uint64_t count) const {
    std::vector<float> all(buffer.size_bytes() / sizeof(float));
    buffer.copy_to(all);
    all.resize(count);
    return all;
  }
  std::uint64_t count(const memory::Buffer& buffer) const {
    stream_->synchronize();
    std::vector<std::uint64_t> count(1);
    buffer.copy_to(count);
    return count[0];
  }

 private:
  std::shared_ptr<device::Device> device_;
  std::shared_ptr<device::Stream> stream_;
};
INSTANTIATE_TEST_SUITE_P(Devices, SelectKernelTest, device::each_native_device(),
                         device::device_test_name);

std::vector<float> cycling(std::size_t n, std::size_t period) {
  std::vector<float> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<float>(i * 7919 % period);
  return x;
}

TEST_P(SelectKernelTest, SplitsInOrder) {
  SelectKernel split(device(), Selection::both,
                     {.type = "float",
                      .predicate = "ary[i] > limits[0]  // the upper ones",
                      .arguments = "const float *limits"});
  const memory::Buffer limits(device(), std::vector<float>{300});
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{70'001}}) {
    const std::vector<float> x = cycling(n, 1013);
    std::vector<float> upper, lower;
    for (const float y : x) (y > 300 ? upper : lower).push_back(y);
    const memory::Buffer in(device(), x), high(device(), n * 4), low(device(), n * 4);
    const memory::Buffer number(device(), std::vector<std::uint64_t>{77});
    split.launch(stream(), n, in, high, low, number, limits);
    const std::uint64_t found = count(number);
    if (!runs_kernels()) continue;
    ASSERT_EQ(found, upper.size()) << n;
    EXPECT_EQ(counted(high, found), upper) << n;
    EXPECT_EQ(counted(low, n - found), lower) << n;
  }
}

TEST_P(SelectKernelTest, KeepsOthersAndFirstsOfRuns) {
  SelectKernel others(device(), Selection::others, {.type = "float", .predicate = "ary[i] < 5"});
  SelectKernel firsts(device(), Selection::run_starts, {.type = "float", .predicate = "a == b"}, {},
                      Scalar::uint32);
  std::vector<float> x = cycling(30'000, 40);
  for (std::size_t i = 1; i < x.size(); i += 3) x[i] = x[i - 1];
  std::vector<float> large, unique;
  std::ranges::copy_if(x, std::back_inserter(large), [](float y) { return y >= 5; });
  std::ranges::unique_copy(x, std::back_inserter(unique));
  const memory::Buffer in(device(), x), out(device(), x.size() * 4);
  const memory::Buffer number(device(), std::vector<std::uint64_t>{0});
  others.launch(stream(), x.size(), in, out, number);
  if (runs_kernels()) {
    ASSERT_EQ(count(number), large.size());
    EXPECT_EQ(counted(out, large.size()), large);
  }
  firsts.launch(stream(), x.size(), in, out, number);
  if (runs_kernels()) {
    ASSERT_EQ(count(number), unique.size());
    EXPECT_EQ(counted(out, unique.size()), unique);
  }
}

TEST_P(SelectKernelTest, RefusesWhatDoesNotFit) {
  const SelectTexts texts = {.type = "float", .predicate = "ary[i] < 5"};
  device::expect_error<DTypeError>(
      [&] { SelectKernel(device(), Selection::matching, texts, {}, Scalar::int32); },
      {"counted in int32"});
  device::expect_error<InvalidArgument>([&] { SelectKernel(nullptr, Selection::matching, texts); },
                                        {"needs a device"});
  device::expect_error<InvalidArgument>(
      [&] { SelectKernel(device(), Selection::matching, {.type = "number", .predicate = "1"}); },
      {"number"});
  SelectKernel select(device(), Selection::matching, texts);
  const memory::Buffer memory(device(), 40);
  device::expect_error<InvalidArgument>([&] { select.launch(stream(), 0, memory, memory); },
                                        {"takes 3 arguments"});
  SelectKernel counted(device(), Selection::matching, texts, {}, Scalar::uint32);
  device::expect_error<InvalidArgument>(
      [&] { counted.launch(stream(), std::uint64_t{1} << 32, memory, memory, memory); },
      {"4294967296 elements", "uint64"});
}

}  // namespace
}  // namespace treadle::kernel

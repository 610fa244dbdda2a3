// SPDX-License-Identifier: MIT
// 5*x + 6*y as one kernel, and a sum of what is computed for each element as another, on every
// device there is.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>
#include <set>
#include <string>
#include <treadle/treadle.hpp>
#include <vector>

namespace {

using treadle::Array;
constexpr int rounds = 5;

/// What an expression gave, and how many kernels that took.
struct Measured {
  Array result;
  std::size_t kernels;
};

template <class Compute>
Measured measure(const char* name, treadle::device::Device& device, double bytes, Compute compute) {
  const auto stream = device.default_stream();
  Array result;
  double seconds = 1e9;
  for (int round = 0; round < rounds; ++round) {
    stream->synchronize();
    const auto began = std::chrono::steady_clock::now();
    result = compute();  // records what is to be computed
    treadle::array::evaluate({result});
    stream->synchronize();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - began;
    seconds = std::min(seconds, taken.count());
  }
  std::set<std::string> kernels;
  const auto launches = last_launches(device);  // the latest first
  for (std::size_t i = 0; i < std::min<std::size_t>(rounds, launches.size()); ++i)
    kernels.insert(launches[i].kernel);
  std::printf("%s: %.1f GB/s by %s\n", name, 1e-9 * bytes / seconds, kernels.begin()->c_str());
  return {result, kernels.size()};
}

}  // namespace

int main() {
  constexpr std::size_t n = std::size_t{1} << 22;
  std::mt19937 random(17);
  std::uniform_real_distribution<float> share;
  std::vector<float> first(n), second(n), expected(n);
  double expected_total = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const float x = first[i] = share(random), y = second[i] = share(random);
    expected[i] = 5 * x + 6 * y;
    expected_total += std::sin(double{x}) * double{y} + double{x} * double{x};
  }

  bool correct = true;
  for (const auto& device : treadle::devices()) {
    if (!device->info().traits.runs_kernels) continue;
    const treadle::DeviceScope here(device);
    std::printf("device: %s %s\n", device->info().id.c_str(), device->info().name.c_str());
    const Array x = Array::from(first), y = Array::from(second);
    const auto bytes = static_cast<double>(x.size_bytes());
    const auto [z, z_kernels] =
        measure("5*x + 6*y", *device, 3 * bytes, [&] { return 5 * x + 6 * y; });
    const auto [total, total_kernels] =
        measure("sum(sin(x)*y + x*x)", *device, 2 * bytes, [&] { return sum(sin(x) * y + x * x); });
    const std::vector<float> values = z.as<float>();
    for (std::size_t i = 0; i < n; ++i)  // a device may round once less
      correct = correct && std::abs(values[i] - expected[i]) <= 1e-6f * expected[i];
    correct = correct && z_kernels == 1 && total_kernels == 1 &&
              std::abs(double(total) - expected_total) < 1e-5 * expected_total;
  }
  std::printf("check on the host: %s\n", correct ? "ok" : "WRONG");
  return correct ? 0 : 1;
}

// SPDX-License-Identifier: MIT
// Random points in the unit square, the same ones on every device there is.
#include <cstdint>
#include <cstdio>
#include <treadle/treadle.hpp>
#include <vector>

int main() {
  using treadle::Buffer, treadle::RandomDraw, treadle::RandomState, treadle::Scalar;
  constexpr std::uint64_t n = 100000;
  bool correct = true;
  for (const auto& device : treadle::devices()) {
    const Buffer x(device, n * sizeof(float)), y(device, n * sizeof(float));
    const auto stream = device->default_stream();
    RandomState state{.seed = 42};
    fill_random(*stream, {x.location(), n}, RandomDraw::uniform(Scalar::float32), state);
    fill_random(*stream, {y.location(), n}, RandomDraw::uniform(Scalar::float32), state);
    std::vector<float> across(n), up(n);
    x.copy_to(across);
    y.copy_to(up);
    int inside = 0;
    for (std::size_t i = 0; i < n; ++i) inside += across[i] * across[i] + up[i] * up[i] < 1;
    std::printf("%s: pi is about %g\n", device->info().id.c_str(), 4.0 * inside / n);
    correct = correct && inside == 78588;
  }
  return correct ? 0 : 1;
}

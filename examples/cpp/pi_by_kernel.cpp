// SPDX-License-Identifier: MIT
// Pi by Monte Carlo on every device there is: a kernel of our own writes into the memory of an
// array, which is summed.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <numbers>
#include <string>
#include <treadle/treadle.hpp>
#include <vector>

const std::string source = R"(
#include "treadle/dialect.h"
TREADLE_FUNCTION uint next(uint state)
{
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

TREADLE_KERNEL throw_darts(TREADLE_GLOBAL int *hits, TREADLE_GLOBAL const uint *seeds, int points)
{
    int i = (int)treadle_global_id(0);
    uint state = seeds[i];
    int inside = 0;
    for (int k = 0; k < points; ++k) {
        state = next(state);
        float x = (state >> 8) / 16777216.0f;
        state = next(state);
        float y = (state >> 8) / 16777216.0f;
        inside += x * x + y * y < 1;
    }
    hits[i] = inside;
}
)";

float next_of_host(std::uint32_t& state) {
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return static_cast<float>(state >> 8) / 16777216.0f;
}

int main() {
  using treadle::Array, treadle::Scalar;
  constexpr std::int64_t n = 1 << 16;
  constexpr int points = 200;
  bool correct = true;
  for (const auto& device : treadle::devices()) {
    if (!device->info().traits.runs_kernels) continue;
    const treadle::DeviceScope here(device);
    const auto stream = treadle::current_stream();
    const auto throw_darts = treadle::Program(device, source).kernel("throw_darts");
    const Array seeds = treadle::Generator(1, device).integers<std::uint32_t>(1, 0xffffffff, {n});
    const Array hits = treadle::array::empty({n}, Scalar::int32);
    const auto start = device->make_event(), end = device->make_event();
    stream->record(*start);
    stream->launch(throw_darts, {.groups = n / 256, .group_size = 256}, hits, seeds, points);
    stream->record(*end);
    const double total = static_cast<double>(n) * points;
    const double pi = 4 * double(sum(hits, {.dtype = Scalar::int64})) / total;
    end->synchronize();
    std::printf("%s: pi is about %.5f by %.0f points in %.2f ms\n", device->info().id.c_str(), pi,
                total, 1e3 * end->seconds_since(*start));

    // The same darts on the host, of the first threads; and pi within five standard deviations.
    const auto states = seeds.as<std::uint32_t>();
    const auto counted = hits.as<int>();
    for (std::size_t i = 0; i < 100; ++i) {
      std::uint32_t state = states[i];
      int inside = 0;
      for (int k = 0; k < points; ++k) {
        const float x = next_of_host(state), y = next_of_host(state);
        inside += x * x + y * y < 1 ? 1 : 0;
      }
      correct = correct && counted[i] == inside;
    }
    correct = correct && std::abs(pi - std::numbers::pi) < 5 * 1.65 / std::sqrt(total);
  }
  std::printf("check on the host: %s\n", correct ? "ok" : "WRONG");
  return correct ? 0 : 1;
}

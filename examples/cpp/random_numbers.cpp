// SPDX-License-Identifier: MIT
// Random points in the unit square, the same ones on every device there is: as arrays, and in
// memory that a program has.
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <treadle/treadle.hpp>
#include <vector>

int main() {
  using treadle::Array, treadle::Buffer, treadle::RandomDraw, treadle::RandomState, treadle::Scalar;
  constexpr std::int64_t n = 100000;
  bool correct = true;
  for (const auto& device : treadle::devices()) {
    treadle::Generator random(42, device);
    const Array x = random.random({n}, Scalar::float32), y = random.random({n}, Scalar::float32);
    const auto is_inside = cast(x * x + y * y < 1, Scalar::int32).as<int>();  // one kernel
    const int inside = std::accumulate(is_inside.begin(), is_inside.end(), 0);
    std::printf("%s: pi is about %g\n", device->info().id.c_str(), 4.0 * inside / n);
    correct = correct && inside == 78588;

    // The numbers of x again.
    const Buffer memory(device, n * sizeof(float));
    RandomState state{.seed = 42};
    fill_random(*device->default_stream(), {memory.location(), n},
                RandomDraw::uniform(Scalar::float32), state);
    std::vector<float> same(n);
    memory.copy_to(same);
    correct = correct && same == x.as<float>();
  }
  return correct ? 0 : 1;
}

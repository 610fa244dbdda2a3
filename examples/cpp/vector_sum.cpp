// SPDX-License-Identifier: MIT
// Add two vectors by a kernel of our own, on every device there is.
#include <cstddef>
#include <cstdio>
#include <random>
#include <string>
#include <treadle/treadle.hpp>
#include <vector>

const std::string source = R"(
#include "treadle/dialect.h"
TREADLE_KERNEL sum(TREADLE_GLOBAL const float *a, TREADLE_GLOBAL const float *b,
                   TREADLE_GLOBAL float *result)
{
    int i = (int)treadle_global_id(0);
    result[i] = a[i] + b[i];
}
)";

int main() {
  constexpr std::size_t n = 50'000, group = 50;
  std::mt19937 random;
  std::uniform_real_distribution<float> share;
  std::vector<float> a(n), b(n), expected(n);
  for (std::size_t i = 0; i < n; ++i) {
    a[i] = share(random);
    b[i] = share(random);
    expected[i] = a[i] + b[i];
  }

  bool correct = true;
  for (const auto& device : treadle::devices()) {
    const auto sum = treadle::Program(device, source).kernel("sum");
    const treadle::Buffer on_a(device, a), on_b(device, b), result(device, n * sizeof(float));
    const auto stream = device->default_stream();
    stream->launch(sum, {.groups = n / group, .group_size = group}, on_a, on_b, result);
    std::vector<float> values(n);
    result.copy_to(values);
    std::printf("%s: %g + %g = %g\n", device->info().id.c_str(), double{a[0]}, double{b[0]},
                double{values[0]});
    correct = correct && values == expected;
  }
  std::printf("check on the host: %s\n", correct ? "ok" : "WRONG");
  return correct ? 0 : 1;
}

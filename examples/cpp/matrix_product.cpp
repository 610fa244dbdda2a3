// SPDX-License-Identifier: MIT
// A matrix product in tiles of the group's memory, on every device there is, with time stamps, a
// failed build, and an argument that is refused.
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <random>
#include <string>
#include <treadle/treadle.hpp>
#include <vector>

namespace {

constexpr std::size_t n = 128;
constexpr unsigned tile = 8;

std::string source(const std::string& total = "total") {
  return "#define TILE " + std::to_string(tile) + R"(
#include "treadle/dialect.h"
TREADLE_KERNEL TREADLE_GROUP_SIZE(TILE, TILE, 1)
product(TREADLE_GLOBAL const float *a, TREADLE_GLOBAL const float *b, TREADLE_GLOBAL float *c,
        int n, float scale)
{
    TREADLE_LOCAL float tile_a[TILE][TILE];
    TREADLE_LOCAL float tile_b[TILE][TILE];
    int x = treadle_local_id(0), y = treadle_local_id(1);
    int row = treadle_global_id(1), column = treadle_global_id(0);
    float total = 0;
    for (int t = 0; t < n; t += TILE) {
        tile_a[y][x] = a[row * n + t + x];
        tile_b[y][x] = b[(t + y) * n + column];
        treadle_barrier();
        for (int k = 0; k < TILE; ++k) )" +
         total + R"( += tile_a[y][k] * tile_b[k][x];
        treadle_barrier();
    }
    c[row * n + column] = scale * total;
}
)";
}

std::vector<float> make_matrix(unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> share;
  std::vector<float> values(n * n);
  for (float& value : values) value = share(random);
  return values;
}

// Whether `call` throws an Error, which is shown up to the end of its first line.
template <class Error, class Call>
bool is_refused(const char* what, Call call) {
  try {
    call();
  } catch (const Error& error) {
    const std::string message = error.what();
    std::printf("%s: %s\n", what, message.substr(0, message.find('\n')).c_str());
    return true;
  }
  return false;
}

}  // namespace

int main() {
  const std::vector<float> a = make_matrix(1), b = make_matrix(2);
  bool correct = true;
  for (const auto& device : treadle::devices()) {
    if (!device->info().traits.runs_kernels) continue;
    std::printf("device: %s %s\n", device->info().id.c_str(), device->info().name.c_str());
    const auto product = treadle::Program(device, source()).kernel("product");
    const treadle::Buffer on_a(device, a), on_b(device, b), on_c(device, n * n * sizeof(float));
    const treadle::device::LaunchShape shape{.groups = {n / tile, n / tile},
                                             .group_size = {tile, tile}};
    const auto stream = device->make_stream();
    const auto start = device->make_event(), end = device->make_event();
    const int size = n;
    stream->launch(product, shape, on_a, on_b, on_c, size, 2.0f);  // PoCL compiles at the first
    stream->record(*start);
    stream->launch(product, shape, on_a, on_b, on_c, size, 2.0f);
    stream->record(*end);
    end->synchronize();
    const double seconds = end->seconds_since(*start);
    std::printf("kernel: %.3f ms, %.2f GFLOP/s\n", 1e3 * seconds, 2e-9 * n * n * n / seconds);

    std::vector<float> c(n * n);
    on_c.copy_to(c);
    for (std::size_t row = 0; row < n; ++row)
      for (std::size_t column = 0; column < n; ++column) {
        double sum = 0;
        for (std::size_t k = 0; k < n; ++k)
          sum += double{a[row * n + k]} * double{b[k * n + column]};
        correct = correct && std::abs(double{c[row * n + column]} - 2 * sum) < 1e-4 * sum;
      }
    correct = correct && is_refused<treadle::CompileError>("a failed build", [&] {
                const treadle::Program failed(device, source("totl"));
              });
    correct = correct && is_refused<treadle::InvalidArgument>("a wrong argument", [&] {
                stream->launch(product, shape, on_a, on_b, on_c, 2.5, 2.0f);
              });
  }
  std::printf("check on the host: %s\n", correct ? "ok" : "WRONG");
  return correct ? 0 : 1;
}

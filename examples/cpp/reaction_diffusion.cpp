// SPDX-License-Identifier: MIT
// Two substances that react and spread (Gray and Scott's model), on every device there is: a C text
// for every point writes both fields, reads neighbours in tables, and goes round at the borders. A
// reduction kernel says how much of the second substance there is. With the name of a folder it
// writes the second one as a picture.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <random>
#include <string>
#include <treadle/treadle.hpp>
#include <utility>
#include <vector>

namespace {

using treadle::Array, treadle::Scalar;
using Values = std::vector<float>;
constexpr std::size_t size = 128;
constexpr std::int64_t extent = size;
constexpr int steps = 4000;
constexpr float feed = 0.035f, kill = 0.065f;

// A step on the host.
void react(Values& u, Values& v) {
  const Values old_u = u, old_v = v;
  for (std::size_t row = 0; row < size; ++row)
    for (std::size_t column = 0; column < size; ++column) {
      const std::size_t i = row * size + column;
      const auto spread = [&](const Values& x) {
        return x[(row + size - 1) % size * size + column] + x[(row + 1) % size * size + column] +
               x[row * size + (column + size - 1) % size] + x[row * size + (column + 1) % size] -
               4 * x[i];
      };
      const float reaction = old_u[i] * old_v[i] * old_v[i];
      u[i] += 0.16f * spread(old_u) - reaction + feed * (1 - old_u[i]);
      v[i] += 0.08f * spread(old_v) + reaction - (feed + kill) * old_v[i];
    }
}

bool are_close(const Array& found, const Values& expected) {
  return allclose(found, Array::from(expected.data(), {extent, extent}, Scalar::float32),
                  {.relative = 0, .absolute = 1e-5});
}

void write_picture(const std::string& name, const Array& x) {
  const auto grey = cast(255 * clip(x / max(x), 0, 1), Scalar::uint8).as<std::uint8_t>();
  std::ofstream file(name, std::ios::binary);
  file << "P5 " << size << ' ' << size << " 255\n";
  file.write(reinterpret_cast<const char*>(grey.data()), size * size);
}

}  // namespace

int main(int count, char** arguments) {
  treadle::array::ElementwiseKernel step(
      "int size, const float *u, const float *v, float *new_u, float *new_v", R"(
    int row = (int)(i / size), column = (int)(i % size);
    int up = (row + size - 1) % size * size, down = (row + 1) % size * size;
    int left = (column + size - 1) % size, right = (column + 1) % size;
    int at = row * size;
    float spread_u = u[up + column] + u[down + column] + u[at + left] + u[at + right] - 4 * u[i];
    float spread_v = v[up + column] + v[down + column] + v[at + left] + v[at + right] - 4 * v[i];
    float reaction = u[i] * v[i] * v[i];
    new_u[i] = u[i] + (0.16f * spread_u - reaction + FEED * (1 - u[i]));
    new_v[i] = v[i] + (0.08f * spread_v + reaction - (FEED + KILL) * v[i]);
)",
      {.name = "react", .preamble = "#define FEED 0.035f\n#define KILL 0.065f"});
  treadle::array::ReductionKernel total(
      Scalar::float64,
      {.neutral = "0", .reduce = "a + b", .map = "v[i]", .arguments = "const float *v"});

  std::mt19937 random(3);
  std::uniform_real_distribution<float> share(0, 0.02f);
  Values u(size * size, 1), v(size * size, 0);
  for (std::size_t row = 3 * size / 8; row < 5 * size / 8; ++row)
    for (std::size_t column = 3 * size / 8; column < 5 * size / 8; ++column) {
      u[row * size + column] = 0.5f;
      v[row * size + column] = 0.25f;
    }
  for (float& value : v) value += share(random);
  Values early_u = u, early_v = v;
  react(early_u, early_v);
  react(early_u, early_v);

  bool correct = true;
  for (const auto& device : treadle::devices()) {
    if (!device->info().traits.runs_kernels) continue;
    const treadle::DeviceScope here(device);
    const auto field = [](const Values& x) {
      return Array::from(x.data(), {extent, extent}, Scalar::float32);
    };
    std::vector<Array> other = step(size, field(u), field(v));  // makes both arrays
    std::vector<Array> state = step(size, other[0], other[1]);
    correct = correct && are_close(state[0], early_u) && are_close(state[1], early_v);

    for (int i = 0; i < steps; ++i) {
      step(size, state[0], state[1], other[0], other[1]);
      std::swap(state, other);
    }
    const double amount = double(total(state[1]));
    std::printf("%s: after %d steps %.1f of the second substance\n", device->info().id.c_str(),
                steps, amount);
    double sum = 0;
    for (const float value : state[1].as<float>()) sum += double{value};
    correct = correct && sum > 1 && std::abs(amount - sum) < 1e-9 * sum;
    if (count > 1) write_picture(std::string(arguments[1]) + "/reaction_diffusion.pgm", state[1]);
  }
  std::printf("check on the host: %s\n", correct ? "ok" : "WRONG");
  return correct ? 0 : 1;
}

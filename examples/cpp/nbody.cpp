// SPDX-License-Identifier: MIT
// Stars that attract each other, on every device there is: forces by a kernel over all pairs,
// motion by array arithmetic.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <numbers>
#include <random>
#include <treadle/treadle.hpp>
#include <vector>

namespace {

using treadle::Array;
constexpr int steps = 50;
constexpr std::size_t count = 1000;
constexpr double step = 0.01, softening = 0.05;

/// Places and speeds of all stars.
struct Stars {
  std::vector<float> x, y, vx, vy;
};

// A disc that turns.
Stars make_disc() {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> share;
  Stars stars;
  for (std::size_t i = 0; i < count; ++i) {
    const double radius = std::sqrt(share(random)), angle = 2 * std::numbers::pi * share(random);
    const double x = radius * std::cos(angle), y = radius * std::sin(angle);
    stars.x.push_back(static_cast<float>(x));
    stars.y.push_back(static_cast<float>(y));
    stars.vx.push_back(static_cast<float>(-0.7 * y));
    stars.vy.push_back(static_cast<float>(0.7 * x));
  }
  return stars;
}

// A step on the host, in double.
void move(std::vector<double>& x, std::vector<double>& y, std::vector<double>& vx,
          std::vector<double>& vy) {
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = 0; j < count; ++j) {
      const double dx = x[j] - x[i], dy = y[j] - y[i];
      const double square = dx * dx + dy * dy + softening * softening;
      const double force = 1 / (square * std::sqrt(square)) / double{count};
      vx[i] += step * dx * force;
      vy[i] += step * dy * force;
    }
  for (std::size_t i = 0; i < count; ++i) {
    x[i] += step * vx[i];
    y[i] += step * vy[i];
  }
}

double farthest(const Array& found, const std::vector<double>& expected) {
  return double(max(abs(found - Array::from(expected))));
}

}  // namespace

int main() {
  treadle::array::ElementwiseKernel attract(
      "const float *x, const float *y, float softening, float *ax, float *ay", R"(
    float sum_x = 0, sum_y = 0;
    for (int j = 0; j < n; ++j) {
        float dx = x[j] - x[i], dy = y[j] - y[i];
        float r = rsqrt(dx * dx + dy * dy + softening * softening);
        float force = r * r * r / n;
        sum_x += dx * force;
        sum_y += dy * force;
    }
    ax[i] = sum_x;
    ay[i] = sum_y;
)",
      {.name = "attract"});
  const Stars disc = make_disc();
  const auto wide = [](const std::vector<float>& values) {
    return std::vector<double>(values.begin(), values.end());
  };
  std::vector<double> hx = wide(disc.x), hy = wide(disc.y), hvx = wide(disc.vx),
                      hvy = wide(disc.vy);
  for (int i = 0; i < steps; ++i) move(hx, hy, hvx, hvy);

  bool correct = true;
  for (const auto& device : treadle::devices()) {
    if (!device->info().traits.runs_kernels) continue;
    const treadle::DeviceScope here(device);
    Array x = Array::from(disc.x), y = Array::from(disc.y);
    Array vx = Array::from(disc.vx), vy = Array::from(disc.vy);
    for (int i = 0; i < steps; ++i) {
      const std::vector<Array> pull = attract(x, y, softening);  // makes both arrays
      vx += step * pull[0];
      vy += step * pull[1];
      x += step * vx;
      y += step * vy;
    }
    const double fastest = double(max(sqrt(vx * vx + vy * vy)));
    std::printf("%s: the fastest of %zu stars has speed %.3f\n", device->info().id.c_str(), count,
                fastest);
    correct = correct && farthest(x, hx) < 1e-3 && farthest(y, hy) < 1e-3 &&
              farthest(vx, hvx) < 1e-2 && farthest(vy, hvy) < 1e-2;
  }
  std::printf("check on the host: %s\n", correct ? "ok" : "WRONG");
  return correct ? 0 : 1;
}

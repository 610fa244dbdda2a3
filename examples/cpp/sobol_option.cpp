// SPDX-License-Identifier: MIT
// The price of a call option by Monte Carlo, on every device there is: points of a scrambled Sobol
// sequence beside random ones, and their errors against the formula of Black and Scholes. With the
// name of a folder it draws the errors.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <numbers>
#include <string>
#include <treadle/treadle.hpp>
#include <vector>

#include "picture.hpp"

namespace {

namespace array = treadle::array;
using treadle::Array, treadle::Scalar;

constexpr double start = 100, strike = 105, rate = 0.03, volatility = 0.25, years = 1;
constexpr std::int64_t steps = 8;  // of a path: a point has as many coordinates
constexpr std::uint64_t seeds = 8;

// How likely a normal number is below x.
double below(double x) { return 0.5 * (1 + std::erf(x / std::numbers::sqrt2)); }

double formula() {
  const double deviation = volatility * std::sqrt(years);
  const double d1 =
      (std::log(start / strike) + (rate + volatility * volatility / 2) * years) / deviation;
  return start * below(d1) - strike * std::exp(-rate * years) * below(d1 - deviation);
}

// Pairs of coordinates become pairs of normal numbers (Box and Muller).
double price(const Array& points) {
  const auto coordinates = [&](std::int64_t first) {
    return points.at({treadle::Index::all(), {.start = first, .step = 2}});
  };
  const Array radius = sqrt(-2 * log(1 - coordinates(0)));
  const Array angle = 2 * std::numbers::pi * coordinates(1);
  const Array sum = array::sum(radius * (cos(angle) + sin(angle)), {.axes = 1});
  const double drift = (rate - volatility * volatility / 2) * years;
  const Array end = start * exp(drift + volatility * std::sqrt(years / steps) * sum);
  return std::exp(-rate * years) * double(array::mean(maximum(end - strike, 0)));
}

// The root of the mean squared error over some seeds.
template <class Draw>
double error(Draw draw) {
  double squares = 0;
  for (std::uint64_t seed = 0; seed < seeds; ++seed)
    squares += std::pow(price(draw(seed)) - formula(), 2);
  return std::sqrt(squares / seeds);
}

}  // namespace

int main(int count, char** arguments) {
  std::printf("Black and Scholes: %.4f\n", formula());
  bool correct = true;
  for (const auto& device : treadle::devices()) {
    if (!device->info().traits.runs_kernels) continue;
    const treadle::DeviceScope here(device);
    std::printf("%s\npoints     Philox      Sobol\n", device->info().id.c_str());
    double random = 0, even = 0;
    std::vector<double> random_errors, even_errors;
    for (std::int64_t points = 1 << 10; points <= 1 << 16; points *= 4) {
      random = error([&](std::uint64_t seed) {
        return treadle::Generator(seed).random({points, steps}, Scalar::float32);
      });
      even = error([&](std::uint64_t seed) {
        return treadle::Sobol(steps, seed).draw(points, Scalar::float32);
      });
      std::printf("%6lld %10.5f %10.5f\n", static_cast<long long>(points), random, even);
      random_errors.push_back(1 + std::log10(random) / 4);
      even_errors.push_back(1 + std::log10(even) / 4);
    }
    correct = correct && even < 0.02 && even < random / 4;
    if (count > 1) {
      Picture picture;
      picture.curve(random_errors, 120);
      picture.curve(even_errors);
      picture.write(std::string(arguments[1]) + "/sobol_option.pgm");
    }
  }
  std::printf("check against the formula: %s\n", correct ? "ok" : "WRONG");
  return correct ? 0 : 1;
}

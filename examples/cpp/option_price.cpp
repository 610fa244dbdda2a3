// SPDX-License-Identifier: MIT
// The price of a call option by Monte Carlo, on every device there is: normal numbers, a kernel of
// our own on the memory of arrays, and the mean; beside the formula of Black and Scholes.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <numbers>
#include <string>
#include <treadle/treadle.hpp>
#include <vector>

namespace {

constexpr double start = 100, strike = 105, rate = 0.03, volatility = 0.25, years = 1;

const std::string source = R"(
#include "treadle/dialect.h"
TREADLE_KERNEL payoff(TREADLE_GLOBAL const float *normal, TREADLE_GLOBAL float *value, float start,
                      float strike, float drift, float deviation)
{
    int i = (int)treadle_global_id(0);
    value[i] = fmax(start * exp(drift + deviation * normal[i]) - strike, 0.0f);
}
)";

// How likely a normal number is below x.
double below(double x) { return 0.5 * (1 + std::erf(x / std::numbers::sqrt2)); }

}  // namespace

int main() {
  using treadle::Array, treadle::Scalar;
  constexpr std::int64_t paths = 1 << 18;
  const double drift = (rate - volatility * volatility / 2) * years;
  const double deviation = volatility * std::sqrt(years), discount = std::exp(-rate * years);
  const double d1 =
      (std::log(start / strike) + (rate + volatility * volatility / 2) * years) / deviation;
  const double likely = below(d1 - deviation);
  const double exact = start * below(d1) - strike * discount * likely;

  bool correct = true;
  for (const auto& device : treadle::devices()) {
    if (!device->info().traits.runs_kernels) continue;
    const treadle::DeviceScope here(device);
    const Array normal = treadle::Generator(15, device).standard_normal({paths}, Scalar::float32);
    const Array value = treadle::array::empty({paths}, Scalar::float32);
    const auto payoff = treadle::Program(device, source).kernel("payoff");
    treadle::current_stream()->launch(payoff, {.groups = paths / 256, .group_size = 256}, normal,
                                      value, static_cast<float>(start), static_cast<float>(strike),
                                      static_cast<float>(drift), static_cast<float>(deviation));

    const Array average = mean(value, {.dtype = Scalar::float64});
    const Array spread = variance(value, {.dtype = Scalar::float64}), share = mean(value > 0);
    const double price = discount * double(average);
    const double error = discount * std::sqrt(double(spread) / double{paths});
    const double above = double(share);  // paths that end above the strike
    std::printf("%s: price %.3f +- %.3f, by the formula %.3f; %.2f %% above the strike, %.2f %%\n",
                device->info().id.c_str(), price, error, exact, 100 * above, 100 * likely);

    const std::vector<float> numbers = normal.as<float>(), values = value.as<float>();
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double end = start * std::exp(drift + deviation * double{numbers[i]});
      const double host = std::max(end - strike, 0.0);
      correct = correct && std::abs(double{values[i]} - host) < 1e-3 + 1e-4 * host;
    }
    correct = correct && std::abs(price - exact) < 5 * error &&
              std::abs(above - likely) < 5 * std::sqrt(0.25 / double{paths});
  }
  std::printf("check against the formula: %s\n", correct ? "ok" : "WRONG");
  return correct ? 0 : 1;
}

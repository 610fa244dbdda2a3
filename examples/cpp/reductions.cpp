// SPDX-License-Identifier: MIT
// Sums and extrema of arrays on every device there is: an expression, its reduction and what is
// computed of the result are one kernel.
#include <cmath>
#include <cstdio>
#include <treadle/treadle.hpp>

int main() {
  namespace array = treadle::array;
  bool correct = true;
  for (const auto& device : treadle::devices()) {
    if (!device->info().traits.runs_kernels) continue;
    const treadle::DeviceScope here(device);
    const array::Array angle = array::linspace(0, 3.14159265358979323846, 10'000, false);
    const array::Array wave = sin(angle);
    const array::Array power = sqrt(sum(wave * wave) / static_cast<double>(wave.size()));
    const array::Array highest = max(wave), place = argmax(wave);
    array::evaluate({power, highest, place});  // one kernel for all three

    const array::Array table =
        array::reshape(array::arange(0, 12, 1, treadle::Scalar::float64), {3, 4});
    const array::Array shares = table / sum(table, {.axes = 1, .keeps_axes = true});
    const array::Array spread = standard_deviation(shares, {.axes = 1});

    std::printf("%s: power %g, highest %g at %g, spread of the first row %g\n",
                device->info().id.c_str(), double(power), double(highest), double(place),
                double(spread(0)));
    correct = correct && std::abs(double(power) - std::sqrt(0.5)) < 1e-12 && double(highest) == 1 &&
              place.item().as_int64() == 5000 && std::abs(double(spread(0)) - 0.186338998) < 1e-9;
  }
  return correct ? 0 : 1;
}

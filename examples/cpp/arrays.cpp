// SPDX-License-Identifier: MIT
// Arrays on every device there is: an expression is one kernel, when it is looked at.
#include <cmath>
#include <cstdio>
#include <iostream>
#include <treadle/treadle.hpp>
#include <vector>

int main() {
  namespace array = treadle::array;
  bool correct = true;
  for (const auto& device : treadle::devices()) {
    const treadle::DeviceScope here(device);
    const array::Array x = array::linspace(0, 1, 1001);
    array::Array z = 5 * x + 6 * sin(x);  // nothing is computed yet
    z(treadle::Index{.stop = 10}) = 0;
    z += 1;
    const std::vector<double> values = z.as<double>();
    std::printf("%s: %zu elements, from %g to %g\n", device->info().id.c_str(), values.size(),
                values.front(), values.back());
    std::cout << z << '\n';
    const double expected = 5 + 6 * std::sin(1.0) + 1;
    correct =
        correct && values.front() == 1 && std::abs(values.back() - expected) < 1e-14 * expected * 4;
  }
  return correct ? 0 : 1;
}

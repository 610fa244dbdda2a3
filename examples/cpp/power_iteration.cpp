// SPDX-License-Identifier: MIT
// The largest eigenvalue of a symmetric matrix, and its vector, by power iteration on every device
// there is.
#include <cmath>
#include <cstdio>
#include <treadle/treadle.hpp>
#include <utility>

int main() {
  namespace array = treadle::array;
  using treadle::Array, treadle::Scalar;
  constexpr std::int64_t n = 300;
  bool correct = true;
  for (const auto& device : treadle::devices()) {
    if (!device->info().traits.runs_kernels) continue;
    const treadle::DeviceScope here(device);
    treadle::Generator random(13, device);
    const Array values = random.random({n, n}, Scalar::float64);
    const Array matrix = copy((values + transpose(values)) / 2);

    Array vector = array::ones({n});
    double estimate = 0, before = -1;
    int step = 0;
    for (; step < 100 && std::abs(estimate - before) > 1e-14 * estimate; ++step) {
      const Array product = sum(matrix * vector, {.axes = 1});  // one kernel
      const Array length = norm(product);
      vector = product / length;
      before = std::exchange(estimate, double(length));
    }

    // An eigenvector is only scaled, by its eigenvalue.
    const Array error = max(absolute(sum(matrix * vector, {.axes = 1}) - estimate * vector));
    std::printf("%s: %.6f after %d steps, error %.1e\n", device->info().id.c_str(), estimate, step,
                double(error));
    correct = correct && double(error) < 1e-6 * estimate;
  }
  std::printf("check of the eigenvector: %s\n", correct ? "ok" : "WRONG");
  return correct ? 0 : 1;
}

// SPDX-License-Identifier: MIT
// y += a x, as a line of C for each element, on every device there is.
#include <cstdint>
#include <cstdio>
#include <treadle/treadle.hpp>
#include <vector>

int main() {
  using treadle::Buffer, treadle::kernel::ElementwiseKernel;
  constexpr std::uint64_t n = 1000;
  bool correct = true;
  for (const auto& device : treadle::devices()) {
    const Buffer x(device, std::vector<float>(n, 20.0f)), y(device, std::vector<float>(n, 2.0f));
    const auto stream = device->default_stream();
    ElementwiseKernel axpy(device, "float a, const float *x, float *y", "y[i] += a * x[i]");
    axpy.launch(*stream, n, 2.0f, x, y);
    std::vector<float> result(n);
    y.copy_to(result);
    std::printf("%s: 2 * 20 + 2 = %g\n", device->info().id.c_str(), double{result[n - 1]});
    correct = correct && result[n - 1] == 42;
  }
  return correct ? 0 : 1;
}

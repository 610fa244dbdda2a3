// SPDX-License-Identifier: MIT
// A system of linear equations by Jacobi's iteration, on every device there is: the product with
// the matrix is a part of a reduction.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <random>
#include <treadle/treadle.hpp>
#include <vector>

int main() {
  namespace array = treadle::array;
  using treadle::Array, treadle::Scalar;
  constexpr std::size_t n = 300;
  constexpr std::int64_t extent = n;

  // The right side is made of the solution.
  std::mt19937 random(7);
  std::uniform_real_distribution<double> entry(-1, 1);
  std::vector<double> matrix(n * n), solution(n), right(n), on_diagonal(n);
  for (double& value : matrix) value = entry(random);
  for (double& value : solution) value = entry(random);
  for (std::size_t row = 0; row < n; ++row) {
    on_diagonal[row] = matrix[row * n + row] += n;  // it dominates
    for (std::size_t k = 0; k < n; ++k) right[row] += matrix[row * n + k] * solution[k];
  }

  bool correct = true;
  for (const auto& device : treadle::devices()) {
    if (!device->info().traits.runs_kernels) continue;
    const treadle::DeviceScope here(device);
    const Array a = Array::from(matrix.data(), {extent, extent}, Scalar::float64);
    const Array b = Array::from(right), diagonal = Array::from(on_diagonal);
    Array x = array::zeros({extent});
    int step = 0;
    double largest = 1;
    for (; step < 200 && largest >= 1e-10; ++step) {
      const Array residual = b - sum(a * x, {.axes = 1});
      x = x + residual / diagonal;
      largest = double(max(abs(residual)));
    }
    const double error = double(max(abs(x - Array::from(solution))));
    std::printf("%s: %d steps for %zu equations, error %.1e\n", device->info().id.c_str(), step, n,
                error);
    correct = correct && step < 200 && error < 1e-12;
  }
  std::printf("check against the solution: %s\n", correct ? "ok" : "WRONG");
  return correct ? 0 : 1;
}

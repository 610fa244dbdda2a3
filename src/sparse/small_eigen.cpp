// SPDX-License-Identifier: MIT
#include "sparse/small_eigen.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace treadle::sparse {
namespace {

/// Makes (p, q) zero.
void rotate(std::vector<double>& a, std::vector<double>& v, std::size_t n, std::size_t p,
            std::size_t q) {
  const double theta = (a[q * n + q] - a[p * n + p]) / (2 * a[p * n + q]);
  const double t = std::copysign(1.0, theta) / (std::abs(theta) + std::hypot(theta, 1.0));
  const double c = 1 / std::hypot(t, 1.0), s = t * c;
  for (std::size_t k = 0; k < n; ++k) {
    const double x = a[k * n + p], y = a[k * n + q];
    a[k * n + p] = c * x - s * y;
    a[k * n + q] = s * x + c * y;
  }
  for (std::size_t k = 0; k < n; ++k) {
    const double x = a[p * n + k], y = a[q * n + k];
    a[p * n + k] = c * x - s * y;
    a[q * n + k] = s * x + c * y;
  }
  for (std::size_t k = 0; k < n; ++k) {
    const double x = v[p * n + k], y = v[q * n + k];
    v[p * n + k] = c * x - s * y;
    v[q * n + k] = s * x + c * y;
  }
}

}  // namespace

SmallEigen small_eigen(std::vector<double> matrix, std::size_t size) {
  std::vector<double> vectors(size * size, 0);
  for (std::size_t k = 0; k < size; ++k) vectors[k * size + k] = 1;
  for (int sweep = 0; sweep < 60; ++sweep) {
    bool has_turned = false;
    for (std::size_t p = 0; p + 1 < size; ++p)
      for (std::size_t q = p + 1; q < size; ++q) {
        const double least = std::numeric_limits<double>::epsilon() / 8 *
                             std::sqrt(std::abs(matrix[p * size + p] * matrix[q * size + q]));
        if (std::abs(matrix[p * size + q]) <= std::max(least, 1e-300)) continue;
        rotate(matrix, vectors, size, p, q);
        has_turned = true;
      }
    if (!has_turned) break;
  }
  std::vector<std::size_t> order(size);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t k) { return matrix[k * size + k]; });
  SmallEigen found;
  for (const std::size_t k : order) {
    found.values.push_back(matrix[k * size + k]);
    const auto row = vectors.begin() + static_cast<std::ptrdiff_t>(k * size);
    found.vectors.insert(found.vectors.end(), row, row + static_cast<std::ptrdiff_t>(size));
  }
  return found;
}

}  // namespace treadle::sparse

// SPDX-License-Identifier: MIT
// Conjugate gradients with Jacobi's preconditioner as one writes them for all cores: compressed
// rows, three passes an iteration, sums fused into the passes that make their operands.
//     g++ -O3 -march=native -fopenmp -shared -fPIC openmp_cg.cpp
#include <cmath>
#include <cstdint>
#include <vector>

// over 6 parameters because ctypes passes arrays one by one
/// The iterations that x took until the residual's norm was at most `wanted`; -1 after `most`.
extern "C" std::int64_t openmp_cg(std::int64_t n, const std::int64_t* offsets,
                                  const std::int32_t* columns, const double* data,
                                  const double* inverse, const double* b, double wanted,
                                  std::int64_t most, double* x) {
  std::vector<double> r(b, b + n), p(n), q(n);
  double rz = 0, rr = 0;
#pragma omp parallel for schedule(static) reduction(+ : rz, rr)
  for (std::int64_t i = 0; i < n; ++i) {
    x[i] = 0;
    p[i] = inverse[i] * r[i];
    rz += r[i] * p[i];
    rr += r[i] * r[i];
  }
  for (std::int64_t done = 0; done < most; ++done) {
    if (std::sqrt(rr) <= wanted) return done;
    double pq = 0;
#pragma omp parallel for schedule(static) reduction(+ : pq)
    for (std::int64_t i = 0; i < n; ++i) {
      double sum = 0;
      for (std::int64_t k = offsets[i]; k < offsets[i + 1]; ++k) sum += data[k] * p[columns[k]];
      q[i] = sum;
      pq += p[i] * sum;
    }
    const double alpha = rz / pq;
    double next = 0;
    rr = 0;
#pragma omp parallel for schedule(static) reduction(+ : next, rr)
    for (std::int64_t i = 0; i < n; ++i) {
      r[i] -= alpha * q[i];
      next += r[i] * inverse[i] * r[i];
      rr += r[i] * r[i];
    }
    const double beta = next / rz;
    rz = next;
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < n; ++i) {
      x[i] += alpha * p[i];
      p[i] = inverse[i] * r[i] + beta * p[i];
    }
  }
  return -1;
}

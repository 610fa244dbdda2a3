// SPDX-License-Identifier: MIT
// What a C++ programmer writes with OpenMP for the same jobs, and the machine's ceilings.
// Built by workers/openmp.py, which says how.
#include <cmath>
#include <cstdint>

extern "C" {

void saxpy(float* __restrict y, const float* __restrict x, float a, int n) {
#pragma omp parallel for simd
  for (int i = 0; i < n; i++) y[i] = a * x[i] + y[i];
}

void transcendental(float* __restrict y, const float* __restrict x, int n) {
#pragma omp parallel for simd
  for (int i = 0; i < n; i++) y[i] = sinf(x[i]) * expf(-x[i]) + logf(x[i] + 1.0f);
}

void matmul(float* __restrict c, const float* __restrict a, const float* __restrict b, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    float* row = c + i * n;
    for (int j = 0; j < n; j++) row[j] = 0;
    for (int k = 0; k < n; k++) {
      const float factor = a[i * n + k];
      for (int j = 0; j < n; j++) row[j] += factor * b[k * n + j];
    }
  }
}

void product(const double* __restrict a, const double* __restrict b, double* __restrict c) {
  constexpr int n = 1024;
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    double* row = c + i * n;
    for (int j = 0; j < n; j++) row[j] = 0;
    for (int k = 0; k < n; k++) {
      const double factor = a[i * n + k];
      for (int j = 0; j < n; j++) row[j] += factor * b[k * n + j];
    }
  }
}

void reduce(float* out, const float* x, int n) {
  float sum = 0;
#pragma omp parallel for simd reduction(+ : sum)
  for (int i = 0; i < n; i++) sum += x[i];
  out[0] = sum;
}

void stencil(float* __restrict out, const float* __restrict in, int width, int height) {
#pragma omp parallel for
  for (int y = 1; y < height - 1; y++)
#pragma omp simd
    for (int x = 1; x < width - 1; x++)
      out[y * width + x] =
          0.2f * (in[y * width + x] + in[y * width + x - 1] + in[y * width + x + 1] +
                  in[(y - 1) * width + x] + in[(y + 1) * width + x]);
}

// Ceiling of memory traffic: each byte read once and written once.
void copy(float* __restrict to, const float* __restrict from, std::int64_t n) {
#pragma omp parallel for simd
  for (std::int64_t i = 0; i < n; i++) to[i] = from[i];
}

// Ceilings of arithmetic: eight independent chains of vector multiply-adds a thread, held in
// registers.
#define MULTIPLY_ADD_CEILING(name, type)                                   \
  void name(type* out, std::int64_t steps) {                               \
    typedef type Vector __attribute__((vector_size(64), aligned(8)));      \
    _Pragma("omp parallel for") for (int part = 0; part < 64; part++) {    \
      Vector* own = reinterpret_cast<Vector*>(out) + 8 * part;             \
      Vector a = own[0], b = own[1], c = own[2], d = own[3];               \
      Vector e = own[4], f = own[5], g = own[6], h = own[7];               \
      const Vector x = Vector{} + type(0.999), y = Vector{} + type(0.001); \
      for (std::int64_t s = 0; s < steps; s++) {                           \
        a = a * x + y, b = b * x + y, c = c * x + y, d = d * x + y;        \
        e = e * x + y, f = f * x + y, g = g * x + y, h = h * x + y;        \
      }                                                                    \
      own[0] = a, own[1] = b, own[2] = c, own[3] = d;                      \
      own[4] = e, own[5] = f, own[6] = g, own[7] = h;                      \
    }                                                                      \
  }
MULTIPLY_ADD_CEILING(multiply_add_f32, float)
MULTIPLY_ADD_CEILING(multiply_add_f64, double)
}

// SPDX-License-Identifier: MIT
// Product of two square matrices through shared memory. N and BLOCK_SIZE are written into the
// kernel's text at run time; a block of 33x33 threads is refused before it is launched.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <treadle/treadle.hpp>
#include <vector>

namespace cuda = treadle::cuda;
namespace compile = treadle::compile;

namespace {

constexpr unsigned n = 1024, block_size = 32;

std::string specialised_source() {
  return "#define N " + std::to_string(n) + "\n#define BLOCK_SIZE " + std::to_string(block_size) +
         R"(
__global__ void product(const double* a, const double* b, double* c)
{
    __shared__ double a_tile[BLOCK_SIZE][BLOCK_SIZE];
    __shared__ double b_tile[BLOCK_SIZE][BLOCK_SIZE];

    const uint tx = threadIdx.x;
    const uint ty = threadIdx.y;
    const uint row = blockIdx.y * BLOCK_SIZE + ty;
    const uint column = blockIdx.x * BLOCK_SIZE + tx;

    double sum = 0;
    for (uint tile = 0; tile < N / BLOCK_SIZE; ++tile) {
        a_tile[ty][tx] = a[row * N + tile * BLOCK_SIZE + tx];
        b_tile[ty][tx] = b[(tile * BLOCK_SIZE + ty) * N + column];
        __syncthreads();
        for (uint k = 0; k < BLOCK_SIZE; ++k)
            sum += a_tile[ty][k] * b_tile[k][tx];
        __syncthreads();
    }
    c[row * N + column] = sum;
}
)";
}

std::vector<double> matrix(unsigned seed) {
  std::vector<double> values(n * n);
  for (double& value : values) {
    seed = seed * 1664525u + 1013904223u;
    value = static_cast<double>(seed >> 8) / (1 << 24) - 0.5;
  }
  return values;
}

// Compares a few hundred elements, spread over the matrix, with sums of products on the host.
bool is_product(const std::vector<double>& a, const std::vector<double>& b,
                const std::vector<double>& c) {
  for (unsigned sample = 0; sample < 500; ++sample) {
    const unsigned row = sample * 7919 % n, column = sample * 104729 % n;
    double sum = 0;
    for (unsigned k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
    if (std::abs(c[row * n + column] - sum) > 1e-9) return false;
  }
  return true;
}

}  // namespace

int main() {
  const cuda::Device device = cuda::default_device();
  const auto context = cuda::Context::make_current(device);
  std::printf("device: %s\n", device.name().c_str());

  const auto program = compile::compile_cuda(
      specialised_source(), compile::Target::parse(device.target()), {.extern_c = true});
  std::printf("%s: %.3f ms\n",
              program.origin == compile::Origin::compiled ? "compiled" : "found in the cache",
              1e3 * program.seconds);
  const cuda::Function product = cuda::Module(program.image).function("product");

  const std::vector<double> a = matrix(1), b = matrix(2);
  std::vector<double> c(n * n);
  const std::size_t bytes = c.size() * sizeof(double);
  cuda::DeviceMemory a_memory(bytes), b_memory(bytes), c_memory(bytes);
  a_memory.copy_from(a);
  b_memory.copy_from(b);

  const cuda::LaunchConfig shape{.grid = {n / block_size, n / block_size},
                                 .block = {block_size, block_size}};
  double best_ms = 1e9;
  const cuda::Event start, end;
  for (int repeat = 0; repeat < 5; ++repeat) {
    start.record();
    product.launch(shape, a_memory, b_memory, c_memory);
    end.record();
    end.synchronize();
    best_ms = std::min(best_ms, static_cast<double>(end.milliseconds_since(start)));
  }
  c_memory.copy_to(c);
  const bool correct = is_product(a, b, c);
  std::printf("product: %.2f ms, %.1f GFLOP/s\n", best_ms, 2e-6 * n * n * n / best_ms);
  std::printf("check: %s\n", correct ? "ok" : "WRONG");

  try {
    product.launch({.grid = shape.grid, .block = {33, 33}}, a_memory, b_memory, c_memory);
  } catch (const treadle::Error& error) {
    std::printf("a 33x33 block is refused: %s\n", error.what());
    return correct ? 0 : 1;
  }
  std::printf("a 33x33 block was NOT refused\n");
  return 1;
}

// SPDX-License-Identifier: MIT
#include <cstdio>
#include <span>
#include <treadle/treadle.hpp>
#include <vector>

int main() {
  namespace cuda = treadle::cuda;
  auto device = cuda::default_device();
  auto context = cuda::Context::make_current(device);
  auto program =
      treadle::compile_cuda("__global__ void twice(float* a) { a[threadIdx.x] *= 2; }",
                            treadle::compile::Target::parse(device.target()), {.extern_c = true});
  cuda::Module module(program.image);

  std::vector<float> numbers{1, 2, 3, 4};
  cuda::DeviceMemory a(numbers.size() * sizeof(float));
  a.copy_from(std::as_bytes(std::span(numbers)));
  module.function("twice").launch({.grid = {1}, .block = {4}}, a);
  a.copy_to(std::as_writable_bytes(std::span(numbers)));

  std::printf("%g %g %g %g\n", numbers[0], numbers[1], numbers[2], numbers[3]);
  return numbers == std::vector<float>{2, 4, 6, 8} ? 0 : 1;
}

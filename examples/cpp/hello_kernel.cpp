// SPDX-License-Identifier: MIT
#include <cstdio>
#include <treadle/treadle.hpp>
using namespace treadle;
int main() {
  auto context = cuda::Context::make_current(cuda::default_device());
  auto target = compile::Target::parse(context->device().target());
  auto program = compile_cuda("__global__ void twice(float* a) { a[threadIdx.x] *= 2; }", target);
  std::vector<float> a(16, 21.0f);
  cuda::DeviceMemory memory(a.size() * sizeof(float));
  memory.copy_from(a);
  cuda::Module(program.image).function("twice").launch({.grid = {1}, .block = {16}}, memory);
  memory.copy_to(a);
  std::printf("%s: 2 * 21 = %g\n", context->device().name().c_str(), static_cast<double>(a[15]));
}

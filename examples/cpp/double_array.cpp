// SPDX-License-Identifier: MIT
// Doubles a 4x4 array with a kernel written as a string, step by step.
#include <cstdio>
#include <string>
#include <treadle/treadle.hpp>
#include <vector>

namespace cuda = treadle::cuda;
namespace compile = treadle::compile;

const std::string source = R"(
__global__ void twice(float* a, int width)
{
    int i = threadIdx.x + width * threadIdx.y;
    a[i] *= 2;
}
)";

int main() {
  // The best device there is, or the one TREADLE_DEVICE names; current until the end of the scope.
  const cuda::Device device = cuda::default_device();
  const auto context = cuda::Context::make_current(device);
  std::printf("device: %s\n", device.name().c_str());

  // extern_c keeps the kernel's name as it is written; without it, C++ templates can be asked for
  // by name.
  const auto target = compile::Target::parse(device.target());
  const compile::CompileResult result = compile::compile_cuda(source, target, {.extern_c = true});
  std::printf("%s: %.3f ms\n",
              result.origin == compile::Origin::compiled ? "compiled" : "found in the cache",
              1e3 * result.seconds);
  const cuda::Module module(result.image);
  const cuda::Function twice = module.function("twice");

  std::vector<float> a(16), doubled(16);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = 0.5f * static_cast<float>(i);
  cuda::DeviceMemory memory(a.size() * sizeof(float));
  memory.copy_from(a);
  const cuda::Event start, end;
  start.record();
  twice.launch({.grid = {1}, .block = {4, 4}}, memory, 4);
  end.record();
  end.synchronize();
  memory.copy_to(doubled);

  bool correct = true;
  for (std::size_t i = 0; i < a.size(); ++i) correct = correct && doubled[i] == 2 * a[i];
  std::printf("kernel: %.1f us\n", 1e3 * static_cast<double>(end.milliseconds_since(start)));
  std::printf("check: %s\n", correct ? "ok" : "WRONG");
  return correct ? 0 : 1;
}

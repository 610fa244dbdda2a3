// SPDX-License-Identifier: MIT
// Heat flows along a rod: twenty steps are captured once as a graph and launched fifty times, then
// the same executable graph is given another rod.
#include <cmath>
#include <cstdio>
#include <string>
#include <treadle/treadle.hpp>
#include <utility>
#include <vector>

namespace cuda = treadle::cuda;
namespace compile = treadle::compile;

const std::string source = R"(
extern "C" __global__ void step(const float* now, float* next, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1) next[i] = now[i] + 0.25f * (now[i - 1] - 2 * now[i] + now[i + 1]);
}
)";
constexpr int points = 32;

/// Twenty steps from `a` to `a`, by way of `b`.
cuda::Graph capture_steps(const cuda::Function& step, const cuda::DeviceMemory& a,
                          const cuda::DeviceMemory& b, const cuda::Stream& stream) {
  cuda::Capture capture(stream);
  const cuda::DeviceMemory *now = &a, *next = &b;
  for (int i = 0; i < 20; ++i, std::swap(now, next))
    step.launch({.block = {points}, .stream = stream}, *now, *next, points);
  return capture.end();
}

/// Whether the temperatures rise evenly to `end`, as they do after a long time.
bool is_even(const cuda::DeviceMemory& rod, float end) {
  std::vector<float> values(points);
  rod.copy_to(values);
  float worst = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    worst = std::max(worst, std::abs(values[i] - end * static_cast<float>(i) / (points - 1)));
  std::printf("largest difference from a straight line: %.4f\n", worst);
  return worst < 0.01f * end;
}

int main() {
  const cuda::Device device = cuda::default_device();
  const auto context = cuda::Context::make_current(device);
  const auto target = compile::Target::parse(device.target());
  const cuda::Module module(compile::compile_cuda(source, target, {}).image);
  const cuda::Function step = module.function("step");

  const auto make_rod = [](float end) {
    std::vector<float> values(points);
    values.back() = end;
    cuda::DeviceMemory memory(values.size() * sizeof(float));
    memory.copy_from(values);
    return memory;
  };
  const cuda::DeviceMemory a = make_rod(1), a_next = make_rod(1);
  const cuda::DeviceMemory b = make_rod(2), b_next = make_rod(2);
  const cuda::Stream stream(cuda::StreamFlags::non_blocking);
  cuda::GraphExec steps = capture_steps(step, a, a_next, stream).instantiate();
  for (int i = 0; i < 100; ++i) steps.launch(stream);
  steps.update(capture_steps(step, b, b_next, stream));
  for (int i = 0; i < 100; ++i) steps.launch(stream);
  stream.synchronize();
  return is_even(a, 1) && is_even(b, 2) ? 0 : 1;
}

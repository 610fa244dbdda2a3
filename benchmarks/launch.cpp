// SPDX-License-Identifier: MIT
// What a launch costs: through treadle::cuda, and as a bare loop over the same driver's
// cuLaunchKernel. Both launch the same kernel with the same five arguments, in one process, batch
// by batch.
#include <treadle/cuda/table.hpp>
#include <treadle/treadle.hpp>

#include "serve.hpp"

namespace cuda = treadle::cuda;
namespace compile = treadle::compile;

namespace {

// Fewer than the driver queues (about 1000), so the host is timed and not the device.
constexpr int batch = 500;

const char* const source = R"(
__global__ void five(float* out, const float* a, const float* b, float x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + x * b[i];
}
__global__ void empty() {}
)";

/// The kernel and its arguments: n = 0, so the device does next to nothing.
struct Job {
  cuda::Module module;
  cuda::Function five = module.function("five"), empty = module.function("empty");
  cuda::DeviceMemory out{4096}, a{4096}, b{4096};
  float x = 2;
  int n = 0;

  explicit Job(const treadle::ModuleImage& image) : module(image) {}

  double launch(const cuda::Context& context) const {
    const double taken = bench::seconds([&] {
      for (int i = 0; i < batch; ++i) five.launch({.grid = {1}, .block = {32}}, out, a, b, x, n);
    });
    context.synchronize();
    return taken / batch;
  }

  double bare(const cuda::Context& context) {
    const cuda::Table& driver = context.driver().table();
    cuda::DevicePointer addresses[] = {out.address(), a.address(), b.address()};
    void* arguments[] = {&addresses[0], &addresses[1], &addresses[2], &x, &n};
    const cuda::RawFunction function = five.raw();
    CUresult worst = CUDA_SUCCESS;
    const double taken = bench::seconds([&] {
      for (int i = 0; i < batch; ++i) {
        const CUresult result =
            driver.cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr);
        if (result != CUDA_SUCCESS) worst = result;
      }
    });
    context.synchronize();
    if (worst != CUDA_SUCCESS) throw treadle::Error("a bare launch failed");
    return taken / batch;
  }

  double launch_and_wait(const cuda::Context& context) const {
    constexpr int count = 200;
    return bench::seconds([&] {
             for (int i = 0; i < count; ++i) {
               empty.launch({.grid = {1}, .block = {32}});
               context.synchronize();
             }
           }) /
           count;
  }
};

}  // namespace

int main() try {
  const cuda::Device device = cuda::default_device();
  const auto current = cuda::Context::make_current(device);
  const cuda::Context& context = current.get();
  Job job(compile::compile_cuda(source, compile::Target::parse(device.target()), {.extern_c = true})
              .image);
  bench::serve({
      {"launch", [&] { return job.launch(context); }},
      {"bare", [&] { return job.bare(context); }},
      {"launch and wait", [&] { return job.launch_and_wait(context); }},
  });
  return 0;
} catch (const std::exception& error) {
  std::printf("{\"absent\": \"%s\"}\n", bench::quotable(error.what()).c_str());
  return 1;
}

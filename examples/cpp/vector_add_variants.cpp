// SPDX-License-Identifier: MIT
// Vector addition with its loop unrolled as the text is written, over several block sizes and
// unroll factors: every variant is checked and timed, and the fastest is reported.
#include <algorithm>
#include <cstdio>
#include <string>
#include <treadle/treadle.hpp>
#include <vector>

namespace cuda = treadle::cuda;
namespace compile = treadle::compile;

namespace {

constexpr unsigned count = 3u << 21;

/// One kernel's text: each thread adds `unroll` elements that lie `block_size` apart.
std::string render(unsigned block_size, unsigned unroll) {
  std::string text = "__global__ void add(float* sum, const float* a, const float* b)\n{\n";
  text +=
      "    const int i = blockIdx.x * " + std::to_string(block_size * unroll) + " + threadIdx.x;\n";
  for (unsigned step = 0; step < unroll; ++step) {
    const std::string element = "[i + " + std::to_string(step * block_size) + "]";
    text += "    sum" + element + " = a" + element + " + b" + element + ";\n";
  }
  return text + "}\n";
}

struct Variant {
  unsigned block_size, unroll;
  double milliseconds;
};

}  // namespace

int main() {
  const cuda::Device device = cuda::default_device();
  const auto context = cuda::Context::make_current(device);
  const auto target = compile::Target::parse(device.target());
  std::printf("device: %s\n", device.name().c_str());

  std::vector<float> a(count), b(count), sum(count);
  for (unsigned i = 0; i < count; ++i) {
    a[i] = static_cast<float>(i % 1000);
    b[i] = static_cast<float>(i % 777);
  }
  const std::size_t bytes = count * sizeof(float);
  cuda::DeviceMemory a_memory(bytes), b_memory(bytes), sum_memory(bytes);
  a_memory.copy_from(a);
  b_memory.copy_from(b);

  std::vector<Variant> variants;
  const cuda::Event start, end;
  for (const unsigned block_size : {128u, 256u, 512u})
    for (const unsigned unroll : {1u, 4u, 8u}) {
      const auto program =
          compile::compile_cuda(render(block_size, unroll), target, {.extern_c = true});
      const cuda::Function add = cuda::Module(program.image).function("add");
      Variant variant{block_size, unroll, 1e9};
      for (int repeat = 0; repeat < 3; ++repeat) {
        start.record();
        add.launch({.grid = {count / (block_size * unroll)}, .block = {block_size}}, sum_memory,
                   a_memory, b_memory);
        end.record();
        end.synchronize();
        variant.milliseconds =
            std::min(variant.milliseconds, static_cast<double>(end.milliseconds_since(start)));
      }
      variants.push_back(variant);

      std::fill(sum.begin(), sum.end(), -1.0f);
      sum_memory.copy_to(sum);
      for (unsigned i = 0; i < count; ++i)
        if (sum[i] != a[i] + b[i]) {
          std::printf("check: WRONG at %u with block %u, unroll %u\n", i, block_size, unroll);
          return 1;
        }
    }

  const auto statistics = compile::statistics();
  std::printf("%llu compiled in %.1f ms, %llu found in the cache\n",
              static_cast<unsigned long long>(statistics.misses), 1e3 * statistics.compile_seconds,
              static_cast<unsigned long long>(statistics.disk_hits + statistics.memory_hits));
  const auto fastest = *std::min_element(
      variants.begin(), variants.end(),
      [](const Variant& x, const Variant& y) { return x.milliseconds < y.milliseconds; });
  std::printf("fastest: block %u, unroll %u: %.3f ms, %.1f GB/s\n", fastest.block_size,
              fastest.unroll, fastest.milliseconds,
              3e-6 * static_cast<double>(bytes) / fastest.milliseconds);
  std::printf("check: ok\n");
  return 0;
}

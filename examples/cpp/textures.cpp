// SPDX-License-Identifier: MIT
// A picture turned by 90 degrees and blurred: a texture object reads it with interpolation, a
// surface object writes it, and a texture reference, as programs had them before CUDA 12, reads the
// result.
#include <cmath>
#include <cstdio>
#include <treadle/treadle.hpp>
#include <vector>

namespace cuda = treadle::cuda;

const char* const source = R"(
extern "C" __global__ void turn(cudaTextureObject_t picture, cudaSurfaceObject_t turned, int size)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= size || y >= size) return;
    // Between four elements, linear filtering gives their mean.
    surf2Dwrite(tex2D<float>(picture, y + 1.0f, size - x), turned, x * (int)sizeof(float), y);
}

texture<float, 2> turned_picture;

extern "C" __global__ void sum_rows(float* sums, int size)
{
    int y = blockIdx.x * blockDim.x + threadIdx.x;
    if (y >= size) return;
    float sum = 0;
    for (int x = 0; x < size; ++x) sum += tex2D(turned_picture, x + 0.5f, y + 0.5f);
    sums[y] = sum;
}
)";

int main() {
  auto context = cuda::Context::make_current(cuda::default_device());
  const auto target = treadle::compile::Target::parse(context->device().target());
  const cuda::Module module(treadle::compile_cuda(source, target).image);

  constexpr int size = 64;
  std::vector<float> picture(size * size);
  for (int y = 0; y < size; ++y)
    for (int x = 0; x < size; ++x) picture[y * size + x] = static_cast<float>(x * x + 3 * y);

  const cuda::Array array({.width = size, .height = size});
  array.copy_from(picture);
  const cuda::Array turned(
      {.width = size, .height = size, .flags = cuda::ArrayFlags::surface_load_store});
  const cuda::Texture texture(array, {.filter = cuda::FilterMode::linear});
  const cuda::Surface surface(turned);
  module.function("turn").launch({.grid = {size / 16, size / 16}, .block = {16, 16}}, texture,
                                 surface, size);

  module.texture_reference("turned_picture").set_array(turned);
  const cuda::DeviceMemory sums(size * sizeof(float));
  module.function("sum_rows").launch({.grid = {1}, .block = {size}}, sums, size);
  std::vector<float> found(size);
  sums.copy_to(found);

  // The same without a texture: coordinates beyond the edge read the edge.
  const auto at = [&](int x, int y) {
    return picture[std::min(y, size - 1) * size + std::min(x, size - 1)];
  };
  bool correct = true;
  for (int y = 0; y < size; ++y) {
    float expected = 0;
    for (int x = 0; x < size; ++x) {
      const int u = y, v = size - 1 - x;
      expected += (at(u, v) + at(u + 1, v) + at(u, v + 1) + at(u + 1, v + 1)) / 4;
    }
    correct = correct && std::abs(found[y] - expected) <= 1e-5f * expected;
  }
  std::printf("%s: check: %s\n", context->device().name().c_str(), correct ? "ok" : "WRONG");
  return correct ? 0 : 1;
}

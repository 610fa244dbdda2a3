// SPDX-License-Identifier: MIT
// Kernels that read textures and write surfaces, through objects and through references, on each
// provider. How coordinates become elements is the business of tests/cuda_cpu.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "cuda/providers.hpp"
#include "treadle/base/error.hpp"
#include "treadle/compile/compile.hpp"
#include "treadle/cuda/copy.hpp"
#include "treadle/cuda/event.hpp"
#include "treadle/cuda/module.hpp"
#include "treadle/cuda/texture.hpp"

namespace treadle::cuda {
namespace {

const char* const texture_source = R"(
texture<float, 2> image;
texture<int2, 1> pairs;
texture<unsigned char, 1, cudaReadModeNormalizedFloat> shares;
surface<void, 2> target;

extern "C" __global__ void read_object(cudaTextureObject_t object, float* out)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] =
        tex2D<float>(object, threadIdx.x + 0.5f, blockIdx.x + 0.5f);
}
extern "C" __global__ void write_object(cudaSurfaceObject_t object)
{
    surf2Dwrite(10.0f * blockIdx.x + threadIdx.x, object, threadIdx.x * sizeof(float), blockIdx.x);
}
extern "C" __global__ void read_image(float* out)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] =
        tex2D(image, threadIdx.x + 0.5f, blockIdx.x + 0.5f);
}
extern "C" __global__ void read_pairs(int2* out, int start)
{
    out[threadIdx.x] = tex1Dfetch(pairs, start + threadIdx.x);
}
extern "C" __global__ void read_shares(float* out)
{
    out[threadIdx.x] = tex1Dfetch(shares, threadIdx.x);
}
extern "C" __global__ void write_target()
{
    surf2Dwrite(10.0f * blockIdx.x + threadIdx.x, target, threadIdx.x * sizeof(float), blockIdx.x);
}
extern "C" __global__ void add_image(float* sum, int rounds)
{
    for (int i = 0; i < rounds; ++i) sum[threadIdx.x] += tex2D(image, threadIdx.x + 0.5f, 0.5f);
}
)";

constexpr unsigned texture_width = 8, texture_height = 4;
constexpr ArrayShape image_shape{.width = texture_width, .height = texture_height};

class OnTextureKernels : public OnEachProvider {
 protected:
  void SetUp() override {
    OnEachProvider::SetUp();
    if (IsSkipped()) return;
    try {
      module_.emplace(
          compile_cuda(texture_source, compile::Target::parse(device().target())).image);
    } catch (const LibraryNotFound& error) {
      GTEST_SKIP() << "no compiler for " << device().target() << ": " << error.library();
    }
  }
  void TearDown() override {
    module_.reset();
    OnEachProvider::TearDown();
  }
  const Module& module() const { return *module_; }

  static std::vector<float> numbers_from(float first) {
    std::vector<float> values(texture_width * texture_height);
    std::iota(values.begin(), values.end(), first);
    return values;
  }
  static Array image_from(float first) {
    const Array array(image_shape);
    array.copy_from(numbers_from(first));
    return array;
  }
  /// What a kernel with a parameter for floats writes, a row of elements for each block.
  template <class... Arguments>
  std::vector<float> read(const char* kernel, const Arguments&... arguments) const {
    const DeviceMemory out(texture_width * texture_height * sizeof(float));
    module().function(kernel).launch(image_launch, arguments..., out);
    std::vector<float> values(texture_width * texture_height);
    out.copy_to(values);
    return values;
  }
  static std::vector<float> written_numbers() {
    std::vector<float> values;
    for (unsigned y = 0; y < texture_height; ++y)
      for (unsigned x = 0; x < texture_width; ++x) values.push_back(static_cast<float>(10 * y + x));
    return values;
  }
  static constexpr LaunchConfig image_launch{.grid = {texture_height}, .block = {texture_width}};

 private:
  std::optional<Module> module_;
};

TEST_P(OnTextureKernels, ReadArraysAndPitchedMemoryThroughObjects) {
  EXPECT_EQ(read("read_object", Texture(image_from(5))), numbers_from(5));
  const DeviceMemory rows =
      DeviceMemory::pitched(texture_width * sizeof(float), texture_height, sizeof(float));
  const auto values = numbers_from(7);
  copy_2d({.source = {.type = MemoryType::host, .host = values.data()},
           .destination = {.type = MemoryType::device,
                           .device = rows.address(),
                           .pitch_bytes = rows.pitch_bytes()},
           .width_bytes = texture_width * sizeof(float),
           .height = texture_height});
  const Texture texture(
      {.address = rows.address(), .shape = image_shape, .pitch_bytes = rows.pitch_bytes()});
  EXPECT_EQ(read("read_object", texture), values);
}

TEST_P(OnTextureKernels, WriteArraysThroughObjectsAndReferences) {
  const Array array(
      {.width = texture_width, .height = texture_height, .flags = ArrayFlags::surface_load_store});
  const Surface surface(array);
  module().function("write_object").launch(image_launch, surface);
  std::vector<float> found(texture_width * texture_height);
  array.copy_to(found);
  EXPECT_EQ(found, written_numbers());

  array.copy_from(numbers_from(0));
  module().surface_reference("target").set_array(array);
  module().function("write_target").launch(image_launch);
  array.copy_to(found);
  EXPECT_EQ(found, written_numbers());
}

TEST_P(OnTextureKernels, ReadWhatAReferenceIsBoundToAtTheLaunch) {
  TextureReference image = module().texture_reference("image");
  image.set_array(image_from(1));
  EXPECT_EQ(read("read_image"), numbers_from(1));
  image.set_array(image_from(100));
  EXPECT_EQ(read("read_image"), numbers_from(100));
  TextureSettings settings = image.settings();
  settings.filter = FilterMode::linear;
  settings.normalized_coordinates = true;
  image.set_settings(settings);
  EXPECT_NE(read("read_image"), numbers_from(100));
}

TEST_P(OnTextureKernels, ReadMemoryInTheDeclaredFormat) {
  const std::vector<int> values{1, -2, 3, -4, 5, -6, 7, -8};
  DeviceMemory memory(4096);
  copy_to_device(memory.address() + 16, values.data(), values.size() * sizeof(int));
  TextureReference pairs = module().texture_reference("pairs");
  const std::size_t offset =
      pairs.set_address(memory.address() + 16, values.size() * sizeof(int), TextureOffset::allowed);
  ASSERT_EQ(offset % (2 * sizeof(int)), 0u);
  const DeviceMemory out(values.size() * sizeof(int));
  module()
      .function("read_pairs")
      .launch({.block = {4}}, out, static_cast<int>(offset / (2 * sizeof(int))));
  std::vector<int> found(values.size());
  out.copy_to(found);
  EXPECT_EQ(found, values);

  const std::vector<unsigned char> bytes{0, 51, 102, 255};
  memory.copy_from(bytes);
  module().texture_reference("shares").set_address(memory.address(), bytes.size());
  module().function("read_shares").launch({.block = {4}}, out);
  std::vector<float> fractions(4);
  copy_to_host(fractions.data(), out.address(), fractions.size() * sizeof(float));
  EXPECT_EQ(fractions, (std::vector<float>{0, 51 / 255.0f, 102 / 255.0f, 1}));
}

TEST_P(OnTextureKernels, OnOtherStreamsReadWhatWasBoundAtTheirLaunch) {
  TextureReference image = module().texture_reference("image");
  const Function add = module().function("add_image");
  const Stream streams[] = {Stream(StreamFlags::non_blocking), Stream(StreamFlags::non_blocking),
                            Stream(StreamFlags::non_blocking)};
  constexpr int rounds = 3000;
  const DeviceMemory sums(4 * texture_width * sizeof(float));
  fill8(sums.address(), 0, sums.size_bytes());
  context().synchronize();
  // Each array is dropped while the launch that reads it may not have begun.
  for (unsigned i = 0; i < 4; ++i) {
    image.set_array(image_from(static_cast<float>(i)));
    const DevicePointer sum = sums.address() + i * texture_width * sizeof(float);
    add.launch({.block = {texture_width}, .stream = streams[i % 3]}, sum, rounds);
  }
  context().synchronize();
  std::vector<float> found(4 * texture_width);
  sums.copy_to(found);
  for (unsigned i = 0; i < 4; ++i)
    for (unsigned x = 0; x < texture_width; ++x)
      EXPECT_EQ(found[i * texture_width + x], static_cast<float>(rounds * (i + x))) << i;
}

TEST_P(OnTextureKernels, ThatReadReferencesMayOutliveThem) {
  const DeviceMemory sum(texture_width * sizeof(float));
  fill8(sum.address(), 0, sum.size_bytes());
  {
    const Module own(compile_cuda(texture_source, compile::Target::parse(device().target())).image);
    own.texture_reference("image").set_array(image_from(1));
    const Stream stream(StreamFlags::non_blocking);
    context().synchronize();
    own.function("add_image").launch({.block = {texture_width}, .stream = stream}, sum, 3000);
  }
  std::vector<float> found(texture_width);
  sum.copy_to(found);
  EXPECT_EQ(found[7], 3000 * 8);
}

INSTANTIATE_TEST_SUITE_P(Providers, OnTextureKernels, each_provider, provider_name);

}  // namespace
}  // namespace treadle::cuda

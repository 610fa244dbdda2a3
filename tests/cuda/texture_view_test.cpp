// SPDX-License-Identifier: MIT
// Other looks at arrays: views of their elements, levels and layers, filters between levels, and
// cubemaps whose faces have no edges.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <vector>

#include "cuda/providers.hpp"
#include "treadle/base/error.hpp"
#include "treadle/compile/compile.hpp"
#include "treadle/cuda/module.hpp"
#include "treadle/cuda/texture.hpp"

namespace treadle::cuda {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const char* const view_source = R"(
extern "C" __global__ void bytes_of(uchar4* out, cudaTextureObject_t image)
{
    out[threadIdx.x] = tex2D<uchar4>(image, threadIdx.x + 0.5f, 0.5f);
}
extern "C" __global__ void layers_of(float* out, cudaTextureObject_t image)
{
    out[threadIdx.x] = tex2DLayered<float>(image, 0.5f, 0.5f, threadIdx.x);
}
extern "C" __global__ void levels_of(float* out, cudaTextureObject_t image, float step)
{
    out[threadIdx.x] = tex2DLod<float>(image, 0.5f, 0.5f, step * threadIdx.x);
}
extern "C" __global__ void look(float* out, cudaTextureObject_t cube, const float3* at)
{
    float3 d = at[threadIdx.x];
    out[threadIdx.x] = texCubemap<float>(cube, d.x, d.y, d.z);
}
extern "C" __global__ void colours_of(float4* out, cudaTextureObject_t image)
{
    out[threadIdx.x] = tex2D<float4>(image, threadIdx.x % 4 + 0.5f, threadIdx.x / 4 + 0.5f);
}
)";

struct Direction {
  float x, y, z;
};

class OnTextureViews : public OnEachProvider {
 protected:
  void SetUp() override {
    OnEachProvider::SetUp();
    if (IsSkipped()) return;
    try {
      module_.emplace(compile_cuda(view_source, compile::Target::parse(device().target())).image);
    } catch (const LibraryNotFound& error) {
      GTEST_SKIP() << "no compiler for " << device().target() << ": " << error.library();
    }
  }
  void TearDown() override {
    module_.reset();
    OnEachProvider::TearDown();
  }
  /// What `count` threads of a kernel write.
  template <class T, class... Arguments>
  std::vector<T> run(const char* kernel, unsigned count, const Arguments&... arguments) const {
    const DeviceMemory out(count * sizeof(T));
    module_->function(kernel).launch({.block = {count}}, out, arguments...);
    std::vector<T> values(count);
    out.copy_to(values);
    return values;
  }
  std::vector<float> look(const Texture& cube, const std::vector<Direction>& directions) const {
    DeviceMemory at(directions.size() * sizeof(Direction));
    at.copy_from(directions);
    return run<float>("look", static_cast<unsigned>(directions.size()), cube, at);
  }
  template <class Call>
  static std::string refusal_of(Call call) {
    try {
      call();
    } catch (const InvalidArgument& error) {
      return error.message();
    }
    return "was not refused";
  }

 private:
  std::optional<Module> module_;
};

TEST_P(OnTextureViews, HaveOtherElementsOfTheSameSize) {
  const Array words({.width = 2, .height = 1, .format = ArrayFormat::uint32});
  words.copy_from(std::vector<unsigned>{0x04030201u, 0xff000007u});
  const Texture bytes(words, {}, {.format = ArrayFormat::uint8, .channels = 4});
  using Bytes = std::array<unsigned char, 4>;
  EXPECT_THAT(run<Bytes>("bytes_of", 2, bytes),
              ElementsAre(Bytes{1, 2, 3, 4}, Bytes{7, 0, 0, 255}));
  EXPECT_EQ(bytes.view().channels, 4u);
}

TEST_P(OnTextureViews, HaveSomeOfTheLayers) {
  const Array array({.width = 1, .height = 1, .depth = 5, .flags = ArrayFlags::layered});
  array.copy_from(std::vector<float>{10, 11, 12, 13, 14});
  EXPECT_THAT(run<float>("layers_of", 4, Texture(array, {}, {.first_layer = 1, .last_layer = 3})),
              ElementsAre(11, 12, 13, 13));
  EXPECT_THAT(run<float>("layers_of", 2, Texture(array, {}, {.first_layer = 4})),
              ElementsAre(14, 14));
}

TEST_P(OnTextureViews, HaveSomeOfTheLevelsWithWhatLiesBetween) {
  const MipmappedArray array({.width = 8, .height = 8}, 4);
  for (unsigned i = 0; i < 4; ++i) {
    const Array level = array.level(i);
    level.copy_from(std::vector<float>(level.shape().width * level.shape().height,
                                       static_cast<float>(16 << i)));
  }
  TextureSettings settings{.normalized_coordinates = true, .mipmap_filter = FilterMode::linear};
  EXPECT_THAT(run<float>("levels_of", 7, Texture(array, settings), 0.5f),
              ElementsAre(16, 24, 32, 48, 64, 96, 128));
  const TextureView middle{.first_level = 1, .last_level = 2};
  EXPECT_THAT(run<float>("levels_of", 4, Texture(array, settings, middle), 0.5f),
              ElementsAre(32, 48, 64, 64));
  settings.trilinear_optimization = false;
  EXPECT_THAT(run<float>("levels_of", 3, Texture(array, settings), 0.5f), ElementsAre(16, 24, 32));
  settings.mipmap_filter = FilterMode::point;
  EXPECT_THAT(run<float>("levels_of", 2, Texture(array, settings, middle), 1.0f),
              ElementsAre(32, 64));
}

TEST_P(OnTextureViews, OfWhatTheArrayDoesNotHaveAreRefusedByName) {
  const Array words({.width = 4, .height = 4, .format = ArrayFormat::uint32});
  const Array layers({.width = 4, .depth = 3, .flags = ArrayFlags::layered});
  const MipmappedArray levels({.width = 8, .height = 8}, 3);
  const auto refusal = [&](const auto& array, const TextureView& view,
                           const TextureSettings& settings = {}) {
    return refusal_of([&] { Texture(array, settings, view); });
  };
  EXPECT_THAT(refusal(words, {.format = ArrayFormat::uint8, .channels = 2}),
              HasSubstr("elements have 2 bytes, and the array's have 4"));
  EXPECT_THAT(refusal(words, {.channels = 3}), HasSubstr("channels is 3"));
  EXPECT_THAT(refusal(words, {.format = ArrayFormat{9999}, .channels = 1}),
              HasSubstr("format is 9999"));
  EXPECT_THAT(refusal(words, {.first_level = 1}), HasSubstr("levels are 1 to 0, and the array"));
  EXPECT_THAT(refusal(words, {.last_layer = 1}),
              HasSubstr("layers are 0 to 1, and the array has 1"));
  EXPECT_THAT(refusal(layers, {.first_layer = 2, .last_layer = 1}), HasSubstr("layers are 2 to 1"));
  EXPECT_THAT(refusal(levels, {.last_level = 3}),
              HasSubstr("levels are 0 to 3, and the array has 3"));
  EXPECT_THAT(refusal(words, {.blocks = BlockFormat{5}}), HasSubstr("blocks is 5"));
  EXPECT_THAT(refusal(words, {.blocks = BlockFormat::bc1}),
              HasSubstr("which have 2 channels of uint32"));
  // The settings have to go with the view.
  EXPECT_THAT(refusal(words, {.first_layer = 0, .last_layer = 0}, {.filter = FilterMode::linear}),
              HasSubstr("read as integers"));
  EXPECT_EQ(refusal(words, {.format = ArrayFormat::float32, .channels = 1},
                    {.filter = FilterMode::linear}),
            "was not refused");
}

TEST_P(OnTextureViews, OfCompressedBlocksAreOfGpus) {
  const Array blocks({.width = 1, .height = 1, .format = ArrayFormat::uint32, .channels = 2});
  // Red and black, and of the 16 elements only the first is black.
  blocks.copy_from(std::vector<unsigned>{0x0000f800u, 0x00000001u});
  const TextureView view{.blocks = BlockFormat::bc1};
  if (GetParam() == Provider::cpu) {
    EXPECT_THROW(Texture(blocks, {}, view), NotSupported);
    return;
  }
  const auto colours = run<std::array<float, 4>>("colours_of", 16, Texture(blocks, {}, view));
  EXPECT_EQ(colours[0][0], 0.0f);
  for (std::size_t i = 1; i < 16; ++i) EXPECT_EQ(colours[i][0], 1.0f) << i;
}

/// A cubemap with a number for each face.
Array faces_of_numbers(unsigned size) {
  const Array cube({.width = size, .height = size, .depth = 6, .flags = ArrayFlags::cubemap});
  std::vector<float> values;
  for (unsigned face = 0; face < 6; ++face)
    values.insert(values.end(), std::size_t{size} * size, 12.0f * static_cast<float>(face));
  cube.copy_from(values);
  return cube;
}

TEST_P(OnTextureViews, SeamlessCubemapsAreFilteredAcrossEdges) {
  const Array cube = faces_of_numbers(4);
  const Texture edges(cube, {.filter = FilterMode::linear});
  const Texture seamless(cube, {.filter = FilterMode::linear, .seamless_cubemap = true});
  const std::vector<Direction> middles = {{1, 0, 0},  {-1, 0, 0}, {0, 1, 0},
                                          {0, -1, 0}, {0, 0, 1},  {0, 0, -1}};
  EXPECT_THAT(look(seamless, middles), ElementsAre(0, 12, 24, 36, 48, 60));
  // Each of the edges, seen exactly: half of both faces.
  const std::vector<Direction> at_edges = {{1, 1, 0},  {1, -1, 0},  {1, 0, 1},  {1, 0, -1},
                                           {-1, 1, 0}, {-1, -1, 0}, {-1, 0, 1}, {-1, 0, -1},
                                           {0, 1, 1},  {0, 1, -1},  {0, -1, 1}, {0, -1, -1}};
  EXPECT_THAT(look(seamless, at_edges),
              ElementsAre(12, 18, 24, 30, 18, 24, 30, 36, 36, 42, 42, 48));
  for (const float value : look(edges, at_edges))
    EXPECT_EQ(value / 12, static_cast<int>(value / 12));
  for (const float value : look(seamless, {{1, 1, 1}}))
    EXPECT_NEAR(value, (0 + 24 + 48) / 3.0, 0.5);
}

TEST_P(OnTextureViews, SeamlessCubemapsGoOnBehindEveryEdge) {
  constexpr unsigned size = 4;
  const Array cube({.width = size, .height = size, .depth = 6, .flags = ArrayFlags::cubemap});
  std::vector<float> values(std::size_t{size} * size * 6);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * i % 97);
  cube.copy_from(values);
  const Texture texture(cube, {.filter = FilterMode::linear, .seamless_cubemap = true});
  // Along each edge, just before and just behind it: the same elements with the same weights.
  std::vector<Direction> before, behind;
  constexpr float near = 1 - 1e-5f;
  for (const float a : {-1.0f, 1.0f})
    for (const float b : {-1.0f, 1.0f})
      for (const float along : {-0.7f, -0.2f, 0.3f, 0.6f}) {
        before.insert(before.end(),
                      {{a, b * near, along}, {along, a, b * near}, {a, along, b * near}});
        behind.insert(behind.end(),
                      {{a * near, b, along}, {along, a * near, b}, {a * near, along, b}});
      }
  const auto here = look(texture, before), there = look(texture, behind);
  for (std::size_t i = 0; i < here.size(); ++i) EXPECT_NEAR(here[i], there[i], 1.0) << i;
}

INSTANTIATE_TEST_SUITE_P(Providers, OnTextureViews, each_provider, provider_name);

}  // namespace
}  // namespace treadle::cuda

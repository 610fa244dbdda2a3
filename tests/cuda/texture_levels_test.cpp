// SPDX-License-Identifier: MIT
// Which level of a mipmapped array each form of fetch reads, through objects and references: every
// level, layer and face is of one value, 100 for each level and 1 for each layer or face.
#include <gtest/gtest.h>

#include <vector>

#include "cuda/providers.hpp"
#include "treadle/compile/compile.hpp"
#include "treadle/cuda/memory.hpp"
#include "treadle/cuda/module.hpp"
#include "treadle/cuda/texture.hpp"

namespace treadle::cuda {
namespace {

// A form is 10 times its kind of array, and 1 where steps choose the level. `step` is that of a
// texel of the largest level, whose sides are 8: a step of a cube's face is one of directions.
const char* const level_source = R"(
texture<float, cudaTextureType1D> line(1);
texture<float, cudaTextureType2D> plane(1);
texture<float, cudaTextureType3D> space(1);
texture<float, cudaTextureType1DLayered> lines(1);
texture<float, cudaTextureType2DLayered> planes(1);
texture<float, cudaTextureTypeCubemap> cube(1);
texture<float, cudaTextureTypeCubemapLayered> cubes(1);

#define FETCHES(name, target1, target2, target3, target4, target5, target6, target7, T)              \
    extern "C" __global__ void name(float* out, cudaTextureObject_t object, int form, float level)   \
    {                                                                                                \
        float step = exp2f(level) / 8, half = step / 2, turn = 2 * step;                             \
        float4 along = make_float4(0, 0, step, 0), across = make_float4(half, 0, 0, 0);              \
        float4 turned = make_float4(0, turn, 0, 0), less = make_float4(turn / 4, 0, turn / 4, 0);    \
        float2 x = make_float2(step, 0), y = make_float2(0, half);                                   \
        switch (form) {                                                                              \
        case 10: *out = tex1DLod T(target1, 0.4f, level); break;                                     \
        case 11: *out = tex1DGrad T(target1, 0.4f, half, step); break;                               \
        case 20: *out = tex2DLod T(target2, 0.4f, 0.6f, level); break;                               \
        case 21: *out = tex2DGrad T(target2, 0.4f, 0.6f, x, y); break;                               \
        case 30: *out = tex3DLod T(target3, 0.4f, 0.6f, 0.3f, level); break;                         \
        case 31: *out = tex3DGrad T(target3, 0.4f, 0.6f, 0.3f, along, across); break;                \
        case 40: *out = tex1DLayeredLod T(target4, 0.4f, 1, level); break;                           \
        case 41: *out = tex1DLayeredGrad T(target4, 0.4f, 1, step, half); break;                     \
        case 50: *out = tex2DLayeredLod T(target5, 0.4f, 0.6f, 1, level); break;                     \
        case 51: *out = tex2DLayeredGrad T(target5, 0.4f, 0.6f, 1, y, x); break;                     \
        case 60: *out = texCubemapLod T(target6, -1, 0.1f, 0.1f, level); break;                      \
        case 61: *out = texCubemapGrad T(target6, -1, 0.0f, 0.0f, turned, less); break;              \
        case 70: *out = texCubemapLayeredLod T(target7, 0.1f, 0.1f, 2, 1, level); break;             \
        case 71: *out = texCubemapLayeredGrad T(target7, 0.0f, 0.0f, 1, 1, less, turned); break;     \
        }                                                                                            \
    }
FETCHES(by_object, object, object, object, object, object, object, object, <float>)
FETCHES(by_reference, line, plane, space, lines, planes, cube, cubes, )
extern "C" __global__ void to_addresses(float* out, cudaTextureObject_t object, int form, float level)
{
    float turn = exp2f(level) / 4;
    float4 turned = make_float4(0, turn, 0, 0), less = make_float4(turn / 4, 0, turn / 4, 0);
    if (form == 61) texCubemapGrad(out, object, -1.0f, 0.0f, 0.0f, turned, less);
    if (form == 71) texCubemapLayeredGrad(out, object, 0.0f, 0.0f, 1.0f, 1, turned, less);
}
)";

struct LevelForm {
  int form;
  const char* reference;
  ArrayShape shape;
  unsigned slice;  ///< that the kernels read
};
const LevelForm level_forms[] = {
    {10, "line", {.width = 8}, 0},
    {20, "plane", {.width = 8, .height = 8}, 0},
    {30, "space", {.width = 8, .height = 8, .depth = 8}, 0},
    {40, "lines", {.width = 8, .depth = 2, .flags = ArrayFlags::layered}, 1},
    {50, "planes", {.width = 8, .height = 8, .depth = 2, .flags = ArrayFlags::layered}, 1},
    {60, "cube", {.width = 8, .height = 8, .depth = 6, .flags = ArrayFlags::cubemap}, 1},
    {70,
     "cubes",
     {.width = 8, .height = 8, .depth = 12, .flags = ArrayFlags::cubemap | ArrayFlags::layered},
     10},
};

class TextureLevels : public OnEachProvider {
 protected:
  void SetUp() override {
    OnEachProvider::SetUp();
    if (IsSkipped()) return;
    try {
      module_.emplace(compile_cuda(level_source, compile::Target::parse(device().target())).image);
    } catch (const LibraryNotFound& error) {
      GTEST_SKIP() << "no compiler for " << device().target() << ": " << error.library();
    }
  }
  void TearDown() override {
    module_.reset();
    OnEachProvider::TearDown();
  }
  const Module& module() const { return *module_; }

  static MipmappedArray filled(const ArrayShape& shape) {
    const MipmappedArray levels(shape, 3);
    for (unsigned i = 0; i < 3; ++i) {
      const Array level = levels.level(i);
      const ArrayShape& size = level.shape();
      const bool is_volume = shape.flags == ArrayFlags::none;
      std::vector<float> values;
      for (std::size_t slice = 0; slice < size.slices(); ++slice)
        values.insert(values.end(), size.width * size.rows(),
                      static_cast<float>(100 * i + (is_volume ? 0 : slice)));
      level.copy_from(values);
    }
    return levels;
  }
  float fetched(const char* kernel, RawTexture object, int form, float level) const {
    const DeviceMemory out(sizeof(float));
    module().function(kernel).launch({}, out, object, form, level);
    std::vector<float> got(1, -1);
    out.copy_to(got);
    return got[0];
  }

 private:
  std::optional<Module> module_;
};
INSTANTIATE_TEST_SUITE_P(Providers, TextureLevels, each_provider, provider_name);

TEST_P(TextureLevels, AreChosenByNumberAndByStepsInEveryForm) {
  for (const LevelForm& form : level_forms) {
    const MipmappedArray levels = filled(form.shape);
    const Texture texture(levels, {.normalized_coordinates = true});
    TextureReference reference = module().texture_reference(form.reference);
    reference.set_mipmapped_array(levels);
    for (int level = 0; level < 3; ++level)
      for (const int by_steps : {0, 1}) {
        const auto expected = static_cast<float>(100 * level) + static_cast<float>(form.slice);
        const int number = form.form + by_steps;
        const auto asked = static_cast<float>(level);
        EXPECT_EQ(fetched("by_object", texture.raw(), number, asked), expected)
            << form.reference << ", level " << level << ", steps " << by_steps;
        EXPECT_EQ(fetched("by_reference", 0, number, asked), expected)
            << form.reference << ", level " << level << ", steps " << by_steps;
        if (by_steps == 1 && form.form >= 60) {
          EXPECT_EQ(fetched("to_addresses", texture.raw(), number, asked), expected)
              << form.reference << ", level " << level;
        }
      }
  }
}

}  // namespace
}  // namespace treadle::cuda

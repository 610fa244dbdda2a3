// SPDX-License-Identifier: MIT
// Fetches in kernels, on each provider, against the definition in CUDA's programming guide: every
// format, number of channels, shape, address mode, filter and kind of coordinates.
#include <gtest/gtest.h>

#include <array>
#include <optional>

#include "cuda/providers.hpp"
#include "cuda/texture_model.hpp"
#include "treadle/compile/compile.hpp"
#include "treadle/cuda/copy.hpp"
#include "treadle/cuda/module.hpp"

namespace treadle::cuda::test {
namespace {

const char* const source = R"(
template <class T> __global__ void fetch(T* out, cudaTextureObject_t t, const float4* at, int shape, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    float4 c = at[i];
    int layer = (int)c.w;
    switch (shape) {
    case 0: out[i] = tex1D<T>(t, c.x); break;
    case 1: out[i] = tex2D<T>(t, c.x, c.y); break;
    case 2: out[i] = tex3D<T>(t, c.x, c.y, c.z); break;
    case 3: out[i] = tex1DLayered<T>(t, c.x, layer); break;
    case 4: out[i] = tex2DLayered<T>(t, c.x, c.y, layer); break;
    case 5: out[i] = texCubemap<T>(t, c.x, c.y, c.z); break;
    case 6: out[i] = texCubemapLayered<T>(t, c.x, c.y, c.z, layer); break;
    case 7: out[i] = tex1Dfetch<T>(t, layer); break;
    }
}
extern "C" __global__ void gather(float4* out, cudaTextureObject_t t, const float4* at, int component, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 c = at[i % count];
    if (i >= count) return;
    if (component == 0) out[i] = tex2Dgather<float4>(t, c.x, c.y, 0);
    if (component == 1) out[i] = tex2Dgather<float4>(t, c.x, c.y, 1);
}
extern "C" __global__ void levels(float* out, cudaTextureObject_t t, const float4* at, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    float4 c = at[i];
    out[i] = tex2DLod<float>(t, c.x, c.y, c.z);
    float step = exp2f(c.z) / 8;
    tex2DGrad(out + count + i, t, c.x, c.y, make_float2(step, 0), make_float2(0, step / 4));
}
)";

constexpr int index_form = 7;

class TextureFetch : public OnEachProvider {
 protected:
  void SetUp() override {
    OnEachProvider::SetUp();
    if (IsSkipped()) return;
    std::vector<std::string> names;
    for (const Format& format : every_format)
      for (const unsigned channels : {1u, 2u, 4u})
        if (format.format != CU_AD_FORMAT_HALF) names.push_back(kernel_name(format, channels));
    try {
      module_.emplace(compile_cuda(source, compile::Target::parse(device().target()),
                                   {.name_expressions = names})
                          .image);
    } catch (const LibraryNotFound& error) {
      GTEST_SKIP() << "no compiler for " << device().target() << ": " << error.library();
    }
  }
  void TearDown() override {
    module_.reset();
    OnEachProvider::TearDown();
  }

  const Table& driver() const { return context().driver().table(); }
  const Module& module() const { return *module_; }
  static std::string kernel_name(const Format& format, unsigned channels) {
    const std::string type = format.is_float ? "float" : format.type;
    return "fetch<" + type + std::to_string(channels) + ">";
  }

  /// What the kernel of that type gives, channel by channel.
  std::vector<double> fetch(const Format& read_as, unsigned channels, CUtexObject texture,
                            const std::vector<std::array<float, 4>>& at, int form) const {
    const unsigned bytes = read_as.is_float ? 4 : read_as.bytes;
    const auto out = on_device(std::vector<std::byte>(at.size() * channels * bytes));
    const auto coordinates = on_device(at);
    const auto count = static_cast<int>(at.size());
    module()
        .function(kernel_name(read_as, channels))
        .launch({.grid = {static_cast<unsigned>(at.size() + 127) / 128}, .block = {128}}, out,
                texture, coordinates, form, count);
    std::vector<std::byte> raw(out.size_bytes());
    out.copy_to(raw);
    std::vector<double> values;
    for (std::size_t i = 0; i < raw.size(); i += bytes) values.push_back(number(read_as, &raw[i]));
    return values;
  }

  template <class T>
  static DeviceMemory on_device(const std::vector<T>& values) {
    DeviceMemory memory(values.size() * sizeof(T));
    memory.copy_from(values);
    return memory;
  }

 private:
  template <class T>
  static double as(const std::byte* from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return static_cast<double>(value);
  }
  static double number(const Format& format, const std::byte* from) {
    if (format.is_float) return as<float>(from);
    switch (format.format) {
      case CU_AD_FORMAT_UNSIGNED_INT8:
        return as<unsigned char>(from);
      case CU_AD_FORMAT_SIGNED_INT8:
        return as<signed char>(from);
      case CU_AD_FORMAT_UNSIGNED_INT16:
        return as<unsigned short>(from);
      case CU_AD_FORMAT_SIGNED_INT16:
        return as<short>(from);
      case CU_AD_FORMAT_UNSIGNED_INT32:
        return as<unsigned>(from);
      default:
        return as<int>(from);
    }
  }

  std::optional<Module> module_;
};

/// Sixteenths of texels, far beyond the edges; of a cube's faces the inside.
std::vector<Place> places(const Texels& texels, Shape shape, const Settings& settings) {
  std::vector<Place> places;
  if (is_cube(shape)) {
    // Between the outer centres, where no other face counts.
    const int sixteenths = 16 * (texels.width - 1);
    for (int i = 0; i < 12 * sixteenths; ++i)
      places.push_back({0.5 + (i * 5 % sixteenths) / 16.0, 0.5 + (i * 11 % sixteenths) / 16.0, 0,
                        i % texels.depth});
    return places;
  }
  const bool repeats = settings.is_normalized();
  const auto coordinate = [&](int i, int size) {
    const int all = 16 * size * (repeats ? 5 : 3);
    return (i % all) / 16.0 - size * (repeats ? 2 : 1);
  };
  for (int i = 0; i < 16 * texels.width * 5; ++i)
    places.push_back({coordinate(i, texels.width), coordinate(i * 7, texels.height),
                      coordinate(i * 13, texels.depth), i % 5 - 1});
  return places;
}

/// As the kernel takes them.
std::vector<std::array<float, 4>> arguments(const std::vector<Place>& places, const Texels& texels,
                                            Shape shape, const Settings& settings) {
  std::vector<std::array<float, 4>> result;
  for (const Place& place : places) {
    if (is_cube(shape)) {
      const auto [x, y, z] = direction(place, texels.width);
      result.push_back({x, y, z, static_cast<float>(place.layer / 6)});
      continue;
    }
    const bool normal = settings.is_normalized();
    result.push_back({static_cast<float>(place.x / (normal ? texels.width : 1)),
                      static_cast<float>(place.y / (normal ? texels.height : 1)),
                      static_cast<float>(place.z / (normal ? texels.depth : 1)),
                      static_cast<float>(place.layer)});
  }
  return result;
}

std::string described(const Format& format, unsigned channels, Shape shape,
                      const Settings& settings) {
  return std::string(format.type) + std::to_string(channels) + ", shape " +
         std::to_string(static_cast<int>(shape)) + ", address mode " +
         std::to_string(static_cast<int>(settings.address)) + ", filter " +
         std::to_string(static_cast<int>(settings.filter)) + ", flags " +
         std::to_string(settings.flags);
}

constexpr CUaddress_mode every_mode[] = {CU_TR_ADDRESS_MODE_WRAP, CU_TR_ADDRESS_MODE_CLAMP,
                                         CU_TR_ADDRESS_MODE_MIRROR, CU_TR_ADDRESS_MODE_BORDER};

/// Address modes and kinds of coordinates; wrapping and mirroring are for normalised ones only.
std::vector<Settings> ways(Shape shape, Settings common) {
  std::vector<Settings> result;
  for (const CUaddress_mode mode : every_mode)
    for (const unsigned flags : {0u, unsigned{CU_TRSF_NORMALIZED_COORDINATES}}) {
      const bool repeats = mode == CU_TR_ADDRESS_MODE_WRAP || mode == CU_TR_ADDRESS_MODE_MIRROR;
      if (repeats && flags == 0) continue;
      // Cubes are read inside of their faces.
      if (is_cube(shape) && (mode != CU_TR_ADDRESS_MODE_CLAMP || flags == 0)) continue;
      Settings way = common;
      way.address = mode;
      way.flags |= flags;
      result.push_back(way);
    }
  return result;
}

class TextureModel : public TextureFetch {
 protected:
  /// All shapes, modes and places of one format; results may differ by `tolerance`.
  void compare(const Format& format, const Format& read_as, unsigned channels,
               const Settings& common, double tolerance) {
    for (const Shape shape : every_shape) {
      const CUDA_ARRAY3D_DESCRIPTOR d = descriptor(shape, format, channels);
      const Texels texels(d, format);
      const FilledArray array(driver(), d, texels.bytes());
      for (const Settings& way : ways(shape, common)) {
        const TextureObject texture(driver(), resource_of(array.raw()), way.description());
        const std::vector<Place> at = places(texels, shape, way);
        const auto got = fetch(read_as, channels, texture.raw(), arguments(at, texels, shape, way),
                               static_cast<int>(shape));
        int wrong = 0;
        for (std::size_t i = 0; i < got.size() && wrong < 3; ++i) {
          const Place& place = at[i / channels];
          const auto channel = static_cast<unsigned>(i % channels);
          const double wanted = expected(texels, shape, way, place, channel);
          if (std::fabs(got[i] - wanted) <= tolerance) continue;
          ++wrong;
          ADD_FAILURE() << described(format, channels, shape, way) << ": at " << place.x << ", "
                        << place.y << ", " << place.z << ", layer " << place.layer << ", channel "
                        << channel << ": " << got[i] << " instead of " << wanted;
        }
      }
    }
  }
};

constexpr Format as_float = every_format[7];

TEST_P(TextureModel, NearestTexelsAreReadAsTheyAre) {
  for (const Format& format : every_format)
    for (const unsigned channels : {1u, 2u, 4u})
      compare(format, format, channels,
              {.flags = format.is_float ? 0u : unsigned{CU_TRSF_READ_AS_INTEGER}}, 0);
}

TEST_P(TextureModel, SmallIntegersAreReadAsFractions) {
  for (const Format& format : every_format)
    if (format.bytes < 4 && !format.is_float)
      for (const unsigned channels : {1u, 4u}) compare(format, as_float, channels, {}, 1.3e-7);
}

TEST_P(TextureModel, TheBorderHasItsColour) {
  for (const unsigned channels : {1u, 4u})
    compare(as_float, as_float, channels, {.filter = CU_TR_FILTER_MODE_LINEAR, .border = 0.5f}, 0);
}

TEST_P(TextureModel, LinearFiltersOfFloatsAreExact) {
  for (const Format& format : every_format)
    if (format.is_float)
      for (const unsigned channels : {1u, 2u, 4u})
        compare(format, as_float, channels, {.filter = CU_TR_FILTER_MODE_LINEAR}, 0);
}

TEST_P(TextureModel, LinearFiltersOfFractionsAreAsGoodAsTheTexels) {
  for (const Format& format : every_format)
    if (format.bytes < 4 && !format.is_float)
      for (const unsigned channels : {1u, 4u})
        compare(format, as_float, channels, {.filter = CU_TR_FILTER_MODE_LINEAR}, 1.0 / 32767);
}

/// A weight is the nearest multiple of 1/256.
TEST_P(TextureModel, WeightsHaveEightBitsBehindThePoint) {
  const CUDA_ARRAY3D_DESCRIPTOR d = descriptor(Shape::plane, as_float, 1);
  Texels texels(d, as_float);
  for (std::size_t i = 0; i < texels.values.size(); ++i) texels.values[i] = i % 2 == 0 ? 0 : 256;
  const FilledArray array(driver(), d, texels.bytes());
  const Settings linear{.filter = CU_TR_FILTER_MODE_LINEAR};
  const TextureObject texture(driver(), resource_of(array.raw()), linear.description());
  std::vector<Place> at;
  for (int i = 0; i < 1024; ++i)
    if (i % 4 != 2) at.push_back({1.5 + i / 1024.0, 0.5, 0});  // but for ties
  const auto got =
      fetch(as_float, 1, texture.raw(), arguments(at, texels, Shape::plane, linear), 1);
  for (std::size_t i = 0; i < at.size(); ++i)
    ASSERT_EQ(got[i], expected(texels, Shape::plane, linear, at[i], 0)) << "at x = " << at[i].x;
}

TEST_P(TextureModel, LinearMemoryIsReadByIndexAndIsZeroOutside) {
  for (const Format& format : every_format)
    for (const unsigned channels : {1u, 2u, 4u}) {
      const CUDA_ARRAY3D_DESCRIPTOR d{100, 0, 0, format.format, channels, 0};
      const Texels texels(d, format);
      const auto memory = on_device(texels.bytes());
      CUDA_RESOURCE_DESC resource{};
      resource.resType = CU_RESOURCE_TYPE_LINEAR;
      resource.res.linear.devPtr = memory.address();
      resource.res.linear.format = format.format;
      resource.res.linear.numChannels = channels;
      resource.res.linear.sizeInBytes = memory.size_bytes();
      const Settings way{.flags = format.is_float ? 0u : unsigned{CU_TRSF_READ_AS_INTEGER}};
      const TextureObject texture(driver(), resource, way.description());
      std::vector<std::array<float, 4>> at;
      for (int i = -20; i < 120; ++i) at.push_back({0, 0, 0, static_cast<float>(i)});
      const auto got = fetch(format, channels, texture.raw(), at, index_form);
      for (std::size_t i = 0; i < got.size(); ++i) {
        const int index = static_cast<int>(i / channels) - 20;
        const bool inside = index >= 0 && index < 100;
        const auto value = static_cast<std::size_t>(index) * channels + i % channels;
        ASSERT_EQ(got[i], inside ? texels.values[value] : 0.0)
            << format.type << channels << ", index " << index;
      }
    }
}

TEST_P(TextureModel, PitchedMemoryIsAPlane) {
  const CUDA_ARRAY3D_DESCRIPTOR d{8, 4, 0, CU_AD_FORMAT_FLOAT, 1, 0};
  const Texels texels(d, as_float);
  CUdeviceptr memory = 0;
  std::size_t pitch = 0;
  ASSERT_DRIVER(driver().cuMemAllocPitch(&memory, &pitch, 32, 4, 4));
  const auto bytes = texels.bytes();
  for (std::size_t row = 0; row < 4; ++row)
    ASSERT_DRIVER(driver().cuMemcpyHtoD(memory + row * pitch, &bytes[row * 32], 32));
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_PITCH2D;
  resource.res.pitch2D.devPtr = memory;
  resource.res.pitch2D.format = CU_AD_FORMAT_FLOAT;
  resource.res.pitch2D.numChannels = 1;
  resource.res.pitch2D.width = 8;
  resource.res.pitch2D.height = 4;
  resource.res.pitch2D.pitchInBytes = pitch;
  {
    const Settings linear{.filter = CU_TR_FILTER_MODE_LINEAR};
    const TextureObject texture(driver(), resource, linear.description());
    const std::vector<Place> at = places(texels, Shape::plane, linear);
    const auto got =
        fetch(as_float, 1, texture.raw(), arguments(at, texels, Shape::plane, linear), 1);
    for (std::size_t i = 0; i < at.size(); ++i)
      ASSERT_EQ(got[i], expected(texels, Shape::plane, linear, at[i], 0))
          << at[i].x << ", " << at[i].y;
  }
  EXPECT_DRIVER(driver().cuMemFree(memory));
}

TEST_P(TextureModel, GatherTakesTheFourTexelsOfALinearFilter) {
  const CUDA_ARRAY3D_DESCRIPTOR d{8, 4, 0, CU_AD_FORMAT_FLOAT, 2, CUDA_ARRAY3D_TEXTURE_GATHER};
  const Texels texels(d, as_float);
  const FilledArray array(driver(), d, texels.bytes());
  const Settings clamp{};
  const TextureObject texture(driver(), resource_of(array.raw()), clamp.description());
  std::vector<std::array<float, 4>> at;
  for (int i = 0; i < 200; ++i)
    at.push_back({-1.0f + static_cast<float>(i) * 0.0625f,
                  -1.0f + static_cast<float>(i * 7 % 96) * 0.0625f, 0, 0});
  const auto coordinates = on_device(at);
  const int count = static_cast<int>(at.size());
  for (const int component : {0, 1}) {
    const auto out = on_device(std::vector<std::array<float, 4>>(at.size()));
    module().function("gather").launch({.grid = {2}, .block = {128}}, out, texture.raw(),
                                       coordinates, component, count);
    std::vector<std::array<float, 4>> got(at.size());
    out.copy_to(got);
    for (std::size_t i = 0; i < at.size(); ++i) {
      const double left = std::floor(at[i][0] - 0.5), lower = std::floor(at[i][1] - 0.5);
      const double steps[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
      for (unsigned corner = 0; corner < 4; ++corner) {
        const Place place{left + steps[corner][0], lower + steps[corner][1], 0};
        ASSERT_EQ(got[i][corner],
                  expected(texels, Shape::plane, clamp, place, static_cast<unsigned>(component)))
            << "at " << at[i][0] << ", " << at[i][1] << ", corner " << corner;
      }
    }
  }
}

TEST_P(TextureModel, LevelsOfAMipmappedArrayAreChosenAndMixed) {
  const CUDA_ARRAY3D_DESCRIPTOR d{8, 8, 0, CU_AD_FORMAT_FLOAT, 1, 0};
  CUmipmappedArray mipmap = nullptr;
  CUDA_ARRAY3D_DESCRIPTOR copied = d;
  ASSERT_DRIVER(driver().cuMipmappedArrayCreate(&mipmap, &copied, 3));
  for (unsigned level = 0; level < 3; ++level) {
    CUarray array = nullptr;
    ASSERT_DRIVER(driver().cuMipmappedArrayGetLevel(&array, mipmap, level));
    const std::size_t size = 8u >> level;
    const std::vector<float> values(size * size, static_cast<float>(level * 64 + 16));
    CUDA_MEMCPY2D copy{};
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = values.data();
    copy.srcPitch = 4 * size;
    copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.dstArray = array;
    copy.WidthInBytes = 4 * size;
    copy.Height = size;
    ASSERT_DRIVER(driver().cuMemcpy2D(&copy));
  }
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
  resource.res.mipmap.hMipmappedArray = mipmap;
  for (const CUfilter_mode between : {CU_TR_FILTER_MODE_POINT, CU_TR_FILTER_MODE_LINEAR}) {
    const Settings way{.filter = CU_TR_FILTER_MODE_LINEAR, .flags = CU_TRSF_NORMALIZED_COORDINATES};
    CUDA_TEXTURE_DESC description = way.description();
    description.mipmapFilterMode = between;
    description.maxMipmapLevelClamp = 2;
    const TextureObject texture(driver(), resource, description);
    std::vector<std::array<float, 4>> at;
    for (int i = 0; i <= 32; ++i)
      if (i % 8 != 4) at.push_back({0.3f, 0.6f, static_cast<float>(i) / 8 - 1, 0});
    const auto coordinates = on_device(at);
    const auto out = on_device(std::vector<float>(2 * at.size()));
    const int count = static_cast<int>(at.size());
    module().function("levels").launch({.block = {64}}, out, texture.raw(), coordinates, count);
    std::vector<float> got(2 * at.size());
    out.copy_to(got);
    for (std::size_t i = 0; i < at.size(); ++i) {
      const double level = std::clamp<double>(at[i][2], 0, 2);
      const double used = between == CU_TR_FILTER_MODE_LINEAR ? level : std::floor(level + 0.5);
      EXPECT_EQ(got[i], used * 64 + 16) << "level " << at[i][2];
      // A GPU computes the logarithm of the steps in a few bits.
      if (between != CU_TR_FILTER_MODE_LINEAR) continue;
      EXPECT_NEAR(got[at.size() + i], used * 64 + 16, 4) << "step of level " << at[i][2];
    }
  }
  EXPECT_DRIVER(driver().cuMipmappedArrayDestroy(mipmap));
}

INSTANTIATE_TEST_SUITE_P(Providers, TextureModel, each_provider, provider_name);

}  // namespace
}  // namespace treadle::cuda::test

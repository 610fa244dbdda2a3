// SPDX-License-Identifier: MIT
// Texts with texture and surface references, which CUDA 12 took out of the compilers: what the host
// finds of them in a module, and what kernels read and write through them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "cuda/providers.hpp"
#include "cuda/texture_model.hpp"
#include "treadle/compile/compile.hpp"
#include "treadle/cuda/copy.hpp"
#include "treadle/cuda/module.hpp"

namespace treadle::cuda::test {
namespace {

/// docs/internals/texture_references.md
struct Reference {
  std::uint64_t object;
  char mark[4];
  unsigned char kind, shape, read_mode, channels;
  std::uint32_t format;
  unsigned char normalized, filter_mode, address_mode, reserved;
};
static_assert(sizeof(Reference) == 24);

class TextureReferences : public OnEachProvider {
 protected:
  Module compiled(const std::string& text, bool extern_c = true) {
    return Module(compile_cuda(text, compile::Target::parse(device().target()),
                               {.cache = compile::CacheUse::disabled, .extern_c = extern_c})
                      .image);
  }
  void SetUp() override {
    OnEachProvider::SetUp();
    if (IsSkipped()) return;
    try {
      compiled("__global__ void empty() {}");
    } catch (const LibraryNotFound& error) {
      GTEST_SKIP() << "no compiler for " << device().target() << ": " << error.library();
    }
  }

  const Table& driver() const { return context().driver().table(); }
  static Reference described(const Module& module, const char* name) {
    const Global global = module.global(name);
    EXPECT_EQ(global.size_bytes, sizeof(Reference)) << name;
    Reference reference{};
    copy_to_host(&reference, global.address, sizeof reference);
    return reference;
  }
  static void bind(const Module& module, const char* name, CUtexObject object) {
    copy_to_device(module.global(name).address, &object, sizeof object);
  }
  template <class T>
  static DeviceMemory on_device(const std::vector<T>& values) {
    DeviceMemory memory(values.size() * sizeof(T));
    memory.copy_from(values);
    return memory;
  }
  template <class T>
  static std::vector<T> on_host(const DeviceMemory& memory) {
    std::vector<T> values(memory.size_bytes() / sizeof(T));
    memory.copy_to(values);
    return values;
  }
  static CUDA_RESOURCE_DESC linear(const DeviceMemory& memory, CUarray_format format,
                                   unsigned channels) {
    CUDA_RESOURCE_DESC resource{};
    resource.resType = CU_RESOURCE_TYPE_LINEAR;
    resource.res.linear.devPtr = memory.address();
    resource.res.linear.format = format;
    resource.res.linear.numChannels = channels;
    resource.res.linear.sizeInBytes = memory.size_bytes();
    return resource;
  }
};

TEST_P(TextureReferences, SayWhatTheirDeclarationSays) {
  const Module module = compiled(R"(
texture<float, 2, cudaReadModeElementType> plane;
static texture<uchar4, cudaTextureType3D, cudaReadModeNormalizedFloat> space(1, cudaFilterModeLinear, cudaAddressModeWrap);
texture<int2> memory, second;
texture<short, cudaTextureType2DLayered> layers; texture<unsigned int, cudaTextureTypeCubemap> cube;
surface<void, cudaSurfaceType2D> target;
__constant__ int other[6];
__global__ void read(float* out) { out[0] = tex2D(plane, 0, 0) + tex3D(space, 0, 0, 0).x; }
)");
  const Reference plane = described(module, "plane");
  EXPECT_EQ(plane.object, 0u);
  EXPECT_EQ(std::string(plane.mark, 4), "tref");
  EXPECT_EQ(plane.kind, 0);
  EXPECT_EQ(plane.shape, 2);
  EXPECT_EQ(plane.read_mode, 0);
  EXPECT_EQ(plane.channels, 1);
  EXPECT_EQ(plane.format, CU_AD_FORMAT_FLOAT);
  EXPECT_EQ(plane.normalized, 0);
  EXPECT_EQ(plane.filter_mode, CU_TR_FILTER_MODE_POINT);
  EXPECT_EQ(plane.address_mode, CU_TR_ADDRESS_MODE_CLAMP);
  const Reference space = described(module, "space");
  EXPECT_EQ(space.shape, 3);
  EXPECT_EQ(space.read_mode, 1);
  EXPECT_EQ(space.channels, 4);
  EXPECT_EQ(space.format, CU_AD_FORMAT_UNSIGNED_INT8);
  EXPECT_EQ(space.normalized, 1);
  EXPECT_EQ(space.filter_mode, CU_TR_FILTER_MODE_LINEAR);
  EXPECT_EQ(space.address_mode, CU_TR_ADDRESS_MODE_WRAP);
  const Reference memory = described(module, "memory"), second = described(module, "second");
  EXPECT_EQ(memory.shape, 1);
  EXPECT_EQ(memory.channels, 2);
  EXPECT_EQ(memory.format, CU_AD_FORMAT_SIGNED_INT32);
  EXPECT_EQ(second.format, CU_AD_FORMAT_SIGNED_INT32);
  EXPECT_EQ(described(module, "layers").shape, 0xf2);
  EXPECT_EQ(described(module, "layers").format, CU_AD_FORMAT_SIGNED_INT16);
  EXPECT_EQ(described(module, "cube").shape, 0x0c);
  const Reference target = described(module, "target");
  EXPECT_EQ(target.kind, 1);
  EXPECT_EQ(target.shape, 2);
  EXPECT_EQ(target.channels, 0);
  EXPECT_NE(std::string(described(module, "other").mark, 4), "tref");
}

/// In the manner of programs for CUDA 5: text without extern "C", several kinds of fetches.
TEST_P(TextureReferences, AreReadByKernels) {
  const Module module = compiled(R"(
#include <texture_types.h>
texture<float, 2> image;
texture<unsigned char, 2, cudaReadModeNormalizedFloat> bright;
texture<float4, 1, cudaReadModeElementType> table;

template <class T> __device__ T shifted(texture<T, 2> from, float x, float y) { return tex2D(from, x + 1, y); }
__device__ texture<float, 2>& chosen() { return image; }

extern "C" __global__ void read(float* out)
{
    int x = threadIdx.x, y = threadIdx.y, i = y * blockDim.x + x;
    out[i] = tex2D(image, x + 0.5f, y + 0.5f) + 1000 * tex2D(bright, x, y);
    if (i == 0) {
        out[12] = tex1Dfetch(table, 1).z;
        out[13] = shifted(image, 0.5f, 0.5f);
        out[14] = tex2D(chosen(), 1.0f, 0.5f);
    }
}
)",
                                 false);
  const CUDA_ARRAY3D_DESCRIPTOR d{4, 3, 0, CU_AD_FORMAT_FLOAT, 1, 0};
  const CUDA_ARRAY3D_DESCRIPTOR d8{4, 3, 0, CU_AD_FORMAT_UNSIGNED_INT8, 1, 0};
  const Texels texels(d, every_format[7]), texels8(d8, every_format[0]);
  const FilledArray array(driver(), d, texels.bytes()), array8(driver(), d8, texels8.bytes());
  const auto numbers = on_device(std::vector<float>{0, 1, 2, 3, 4, 5, 6, 7});
  const Settings settings{}, filtered{.filter = CU_TR_FILTER_MODE_LINEAR};
  const TextureObject image(driver(), resource_of(array.raw()), filtered.description());
  const TextureObject bright(driver(), resource_of(array8.raw()), settings.description());
  const TextureObject table(driver(), linear(numbers, CU_AD_FORMAT_FLOAT, 4),
                            settings.description());
  bind(module, "image", image.raw());
  bind(module, "bright", bright.raw());
  bind(module, "table", table.raw());
  const DeviceMemory out(15 * sizeof(float));
  module.function("read").launch({.block = {4, 3}}, out);
  const auto got = on_host<float>(out);
  for (int i = 0; i < 12; ++i) {
    const double wanted = texels.value(i % 4, i / 4, 0, 0, false, 0) +
                          1000 * texels8.value(i % 4, i / 4, 0, 0, true, 0);
    EXPECT_NEAR(got[static_cast<std::size_t>(i)], wanted, 1e-3) << i;
  }
  EXPECT_EQ(got[12], 6);
  EXPECT_EQ(got[13], texels.values[1]);
  EXPECT_EQ(got[14], (texels.values[0] + texels.values[1]) / 2);
}

TEST_P(TextureReferences, MayBeDeclaredByMacrosAndUsedInHostText) {
  const Module module = compiled(R"(
#define TABLE(name) texture<float, 1, cudaReadModeElementType> name
TABLE(table);
__device__ inline float look_up(int i) { return tex1Dfetch(table, i); }
__global__ void read(float* out) { out[threadIdx.x] = look_up(threadIdx.x); }
void bind_on_the_host(float* memory, size_t bytes) { cudaBindTexture(0, table, memory, bytes); }
)");
  const auto numbers = on_device(std::vector<float>{4, 5, 6, 7});
  const TextureObject table(driver(), linear(numbers, CU_AD_FORMAT_FLOAT, 1),
                            Settings{}.description());
  bind(module, "table", table.raw());
  const DeviceMemory out(16);
  module.function("read").launch({.block = {4}}, out);
  EXPECT_EQ(on_host<float>(out), (std::vector<float>{4, 5, 6, 7}));
}

TEST_P(TextureReferences, HoldDoublesAndComplexNumbersAsIntegers) {
  const Module module = compiled(R"(
#include <pycuda-helpers.hpp>
texture<fp_tex_double, 1, cudaReadModeElementType> doubles;
texture<fp_tex_cdouble, 1, cudaReadModeElementType> complexes;
texture<fp_tex_cfloat, 2, cudaReadModeElementType> plane;
texture<fp_tex_float, 1, cudaReadModeElementType> floats;
surface<void, cudaSurfaceType3D> target;
__global__ void read(double* out)
{
    out[0] = fp_tex1Dfetch(doubles, 2);
    pycuda::complex<double> z = fp_tex1Dfetch(complexes, 1);
    out[1] = z.real(); out[2] = z.imag();
    pycuda::complex<float> w = fp_tex2D(plane, 1, 1);
    out[3] = w.real(); out[4] = w.imag();
    out[5] = fp_tex1Dfetch(floats, 3);
    fp_surf3Dwrite(z, target, 1, 0, 1, cudaBoundaryModeTrap);
    double back; fp_surf3Dread(&back, target, 3, 0, 1, cudaBoundaryModeTrap);
    out[6] = back;
}
)");
  const auto numbers = on_device(std::vector<double>{1.5, -2.25, 1e300, 4.125});
  const auto floats = on_device(std::vector<float>{1, 2, 3, 4});
  const CUDA_ARRAY3D_DESCRIPTOR d{2, 2, 0, CU_AD_FORMAT_UNSIGNED_INT32, 2, 0};
  const std::vector<float> pairs = {1, 2, 3, 4, 5, 6, 7, 8};
  std::vector<std::byte> bytes(32);
  std::memcpy(bytes.data(), pairs.data(), bytes.size());
  const FilledArray array(driver(), d, bytes);
  const CUDA_ARRAY3D_DESCRIPTOR box{
      2, 2, 2, CU_AD_FORMAT_SIGNED_INT32, 4, CUDA_ARRAY3D_SURFACE_LDST};
  const FilledArray written(driver(), box, std::vector<std::byte>(128));
  const CUDA_TEXTURE_DESC integers = Settings{.flags = CU_TRSF_READ_AS_INTEGER}.description();
  const TextureObject as_doubles(driver(), linear(numbers, CU_AD_FORMAT_SIGNED_INT32, 2), integers);
  const TextureObject as_complexes(driver(), linear(numbers, CU_AD_FORMAT_SIGNED_INT32, 4),
                                   integers);
  const TextureObject as_plane(driver(), resource_of(array.raw()), integers);
  const TextureObject as_floats(driver(), linear(floats, CU_AD_FORMAT_FLOAT, 1), integers);
  CUsurfObject target = 0;
  const CUDA_RESOURCE_DESC resource = resource_of(written.raw());
  ASSERT_DRIVER(driver().cuSurfObjectCreate(&target, &resource));
  bind(module, "doubles", as_doubles.raw());
  bind(module, "complexes", as_complexes.raw());
  bind(module, "plane", as_plane.raw());
  bind(module, "floats", as_floats.raw());
  bind(module, "target", target);
  const DeviceMemory out(7 * sizeof(double));
  module.function("read").launch({}, out);
  EXPECT_EQ(on_host<double>(out), (std::vector<double>{1e300, 1e300, 4.125, 7, 8, 4, 4.125}));
  ASSERT_DRIVER(driver().cuSurfObjectDestroy(target));
}

TEST_P(TextureReferences, OfSurfacesAreWrittenAndRead) {
  const Module module = compiled(R"(
surface<void, 2> plane;
surface<void, cudaSurfaceType2DLayered> layers;
__global__ void write()
{
    int x = threadIdx.x, y = threadIdx.y;
    surf2Dwrite((float)(10 * y + x), plane, x * 4, y);
    surf2DLayeredwrite(make_short2(x, -y), layers, x * 4, y, 1);
}
__global__ void read(float* out)
{
    int x = threadIdx.x, y = threadIdx.y;
    float value;
    surf2Dread(&value, plane, x * 4, y);
    short2 pair = surf2DLayeredread<short2>(layers, x * 4, y, 1);
    out[y * 4 + x] = value + 1000 * pair.x - 100 * pair.y;
    if (x + y == 0) {
        surf2Dwrite(99.0f, plane, 16, 0, cudaBoundaryModeZero);
        out[12] = surf2Dread<float>(plane, 400, 1, cudaBoundaryModeClamp);
        out[13] = surf2Dread<float>(plane, -4, 0, cudaBoundaryModeZero);
    }
}
)");
  const CUDA_ARRAY3D_DESCRIPTOR flat{4, 3, 0, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_SURFACE_LDST};
  const CUDA_ARRAY3D_DESCRIPTOR stacked{
      4, 3, 2, CU_AD_FORMAT_SIGNED_INT16, 2, CUDA_ARRAY3D_SURFACE_LDST | CUDA_ARRAY3D_LAYERED};
  const FilledArray plane(driver(), flat, std::vector<std::byte>(48));
  const FilledArray layers(driver(), stacked, std::vector<std::byte>(96));
  const std::pair<const char*, CUarray> bound[] = {{"plane", plane.raw()},
                                                   {"layers", layers.raw()}};
  std::vector<CUsurfObject> objects;
  for (const auto& [name, array] : bound) {
    const CUDA_RESOURCE_DESC resource = resource_of(array);
    ASSERT_DRIVER(driver().cuSurfObjectCreate(&objects.emplace_back(), &resource));
    bind(module, name, objects.back());
  }
  const DeviceMemory out(14 * sizeof(float));
  module.function("write").launch({.block = {4, 3}});
  module.function("read").launch({.block = {4, 3}}, out);
  const auto got = on_host<float>(out);
  for (int i = 0; i < 12; ++i) {
    const int x = i % 4, y = i / 4;
    EXPECT_EQ(got[static_cast<std::size_t>(i)], static_cast<float>(1000 * x + 110 * y + x));
  }
  EXPECT_EQ(got[12], 13);
  EXPECT_EQ(got[13], 0);
  for (const CUsurfObject object : objects) EXPECT_DRIVER(driver().cuSurfObjectDestroy(object));
}

/// The names are not taken where a program has its own.
TEST_P(TextureReferences, LeaveTheirNamesToPrograms) {
  const Module module = compiled(R"(
struct texture { float x; };
__device__ float surface = 2;
__global__ void read(float* out) { texture t = {3}; out[0] = t.x + surface; }
)");
  const DeviceMemory out(4);
  module.function("read").launch({}, out);
  EXPECT_EQ(on_host<float>(out), std::vector<float>{5});
}

TEST_P(TextureReferences, OfTypesThatTexelsCannotHaveAreRefusedWithWhatToWrite) {
  for (const std::string type : {"double", "float3", "long long"}) try {
      compiled("texture<" + type + ", 2> image;\n__global__ void f() {}");
      ADD_FAILURE() << "texture<" << type << "> was compiled";
    } catch (const CompileError& error) {
      EXPECT_THAT(error.log(),
                  testing::AllOf(testing::HasSubstr(type), testing::HasSubstr("fp_tex_double"),
                                 testing::Not(testing::HasSubstr("__treadle_texel"))));
    }
}

TEST_P(TextureReferences, ThatHoldNothingAreNamedWhereAKernelFails) {
  if (GetParam() == Provider::nvidia) GTEST_SKIP() << "what a GPU reads there is its own affair";
  const auto own = Context::make_current(Context::create(device()));
  const Module module = compiled(R"(
texture<float, 2> image, bound;
texture<int> table;
surface<void, 2> target;
__device__ int number = 3;
extern "C" __global__ void read(float* out) { *out = tex2D(image, 0, 0); }
extern "C" __global__ void write(int* null) { *null = number; }
)");
  module.texture_reference("bound").set_array(Array({.width = 4, .height = 4}));
  const DeviceMemory out(4);
  module.function("read").launch({}, out);
  try {
    own.get().synchronize();
    FAIL() << "nothing was read";
  } catch (const DeviceError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("references image, table, target"));
  }
}

TEST_P(TextureReferences, GatherAnyChannelOfIntegersToo) {
  const Module module = compiled(R"(
texture<int4, 2> numbers;
texture<unsigned short, 2> narrow;
extern "C" __global__ void gather(int4* out, ushort4* small, cudaTextureObject_t object)
{
    out[0] = tex2Dgather(numbers, 2, 1, 2);
    out[1] = tex2Dgather(numbers, 2, 1, 3);
    out[2] = tex2Dgather<int4>(object, 2, 1, 2);
    out[3] = tex2Dgather<int4>(object, 2, 1, 3);
    *small = tex2Dgather(narrow, 2, 1);
}
)");
  constexpr int width = 4, height = 3;
  std::vector<std::array<int, 4>> values;
  std::vector<std::uint16_t> narrow_values;
  for (int i = 0; i < width * height; ++i) {
    values.push_back({i, -i, 1000 + i, -1000 - i});
    narrow_values.push_back(static_cast<std::uint16_t>(60000 + i));
  }
  const Array numbers({.width = width,
                       .height = height,
                       .format = ArrayFormat::int32,
                       .channels = 4,
                       .flags = ArrayFlags::texture_gather});
  const Array narrow({.width = width,
                      .height = height,
                      .format = ArrayFormat::uint16,
                      .flags = ArrayFlags::texture_gather});
  numbers.copy_from(values);
  narrow.copy_from(narrow_values);
  module.texture_reference("numbers").set_array(numbers);
  module.texture_reference("narrow").set_array(narrow);
  const Texture texture(numbers);
  const DeviceMemory out(4 * sizeof(int[4])), small(sizeof(std::uint16_t[4]));
  module.function("gather").launch({}, out, small, texture.raw());
  // From the lower left one on around the point: elements 5, 6, 2 and 1.
  const std::vector<int> third{1005, 1006, 1002, 1001}, fourth{-1005, -1006, -1002, -1001};
  std::vector<int> expected;
  for (const auto* part : {&third, &fourth, &third, &fourth})
    expected.insert(expected.end(), part->begin(), part->end());
  EXPECT_EQ(on_host<int>(out), expected);
  EXPECT_EQ(on_host<std::uint16_t>(small),
            (std::vector<std::uint16_t>{60005, 60006, 60002, 60001}));
}

INSTANTIATE_TEST_SUITE_P(Providers, TextureReferences, each_provider, provider_name);

}  // namespace
}  // namespace treadle::cuda::test

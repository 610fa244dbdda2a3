// SPDX-License-Identifier: MIT
// Texture and surface references, which CUDA 12 took out of the compilers. A reference is a variable that holds a
// texture object: the host makes the object and writes it there before a launch. docs/internals/texture_references.md
// says what the host finds in it.
#pragma once

extern "C++" {

#ifdef __TREADLE_CPU__
// The front end then puts variables of these types into device memory, whatever their declaration says.
#define __TREADLE_TEXTURE_TYPE __attribute__((device_builtin_texture_type))
#define __TREADLE_SURFACE_TYPE __attribute__((device_builtin_surface_type))
#else
// Here __constant__ is written in front of declarations before they are compiled (src/compile/host_code.hpp).
#define __TREADLE_TEXTURE_TYPE
#define __TREADLE_SURFACE_TYPE
#endif

/// What a channel is, in CUarray_format's numbers, and how many there are.
template <class T>
struct __treadle_channels {
  enum { format = 0, count = 0 };
};
#define __TREADLE_CHANNELS(type, form, number)  \
  template <>                                   \
  struct __treadle_channels<type> {             \
    enum { format = form, count = number };     \
  };
#define __TREADLE_VECTORS(name, form)    \
  __TREADLE_CHANNELS(name##1, form, 1)   \
  __TREADLE_CHANNELS(name##2, form, 2)   \
  __TREADLE_CHANNELS(name##3, form, 3)   \
  __TREADLE_CHANNELS(name##4, form, 4)
__TREADLE_VECTORS(uchar, 0x01)
__TREADLE_VECTORS(ushort, 0x02)
__TREADLE_VECTORS(uint, 0x03)
__TREADLE_VECTORS(char, 0x08)
__TREADLE_VECTORS(short, 0x09)
__TREADLE_VECTORS(int, 0x0a)
__TREADLE_VECTORS(float, 0x20)
__TREADLE_CHANNELS(unsigned char, 0x01, 1)
__TREADLE_CHANNELS(unsigned short, 0x02, 1)
__TREADLE_CHANNELS(unsigned int, 0x03, 1)
__TREADLE_CHANNELS(signed char, 0x08, 1)
__TREADLE_CHANNELS(char, 0x08, 1)
__TREADLE_CHANNELS(short, 0x09, 1)
__TREADLE_CHANNELS(int, 0x0a, 1)
__TREADLE_CHANNELS(float, 0x20, 1)
#undef __TREADLE_VECTORS
#undef __TREADLE_CHANNELS

/// What the host reads of a reference; it writes `object` only.
struct __treadle_reference {
  unsigned long long object;
  unsigned mark;
  unsigned char kind, shape, read_mode, channels;
  unsigned format;
  unsigned char normalized, filter_mode, address_mode, reserved;
};
static_assert(sizeof(__treadle_reference) == 24, "the host counts on it");

template <class T, int shape = cudaTextureType1D, cudaTextureReadMode mode = cudaReadModeElementType>
struct __TREADLE_TEXTURE_TYPE texture {
  static_assert(__treadle_channels<T>::count != 0 && __treadle_channels<T>::count != 3,
                "the elements of a texture are 1, 2 or 4 integers of 8, 16 or 32 bits or floats: texture<float4> in place "
                "of float3; for double texture<fp_tex_double>, read by fp_tex1Dfetch, fp_tex2D ... of pycuda-helpers.hpp");
  __treadle_reference reference;
  __host__ __device__ constexpr texture(int normalized = 0, cudaTextureFilterMode filter = cudaFilterModePoint,
                                        cudaTextureAddressMode address = cudaAddressModeClamp)
      : reference{0, 0x66657274u, 0, (unsigned char)shape, (unsigned char)mode,
                  (unsigned char)__treadle_channels<T>::count, __treadle_channels<T>::format,
                  (unsigned char)normalized, (unsigned char)filter, (unsigned char)address, 0} {}
  __host__ __device__ constexpr texture(int normalized, cudaTextureFilterMode filter,
                                        cudaTextureAddressMode address, cudaChannelFormatDesc)
      : texture(normalized, filter, address) {}
};

template <class T, int shape = cudaSurfaceType1D>
struct __TREADLE_SURFACE_TYPE surface {
  __treadle_reference reference;
  __host__ __device__ constexpr surface()
      : reference{0, 0x66657274u, 1, (unsigned char)shape, 0, (unsigned char)__treadle_channels<T>::count,
                  __treadle_channels<T>::format, 0, 0, cudaAddressModeClamp, 0} {}
};
#undef __TREADLE_TEXTURE_TYPE
#undef __TREADLE_SURFACE_TYPE

/// What a fetch returns: the element, or as many floats.
template <class T, cudaTextureReadMode mode>
struct __treadle_fetched {
  typedef T type;
};
template <unsigned channels, bool is_vector>
struct __treadle_floats {
  typedef float type;
};
template <>
struct __treadle_floats<1, true> {
  typedef float1 type;
};
template <bool is_vector>
struct __treadle_floats<2, is_vector> {
  typedef float2 type;
};
template <bool is_vector>
struct __treadle_floats<4, is_vector> {
  typedef float4 type;
};
template <class T>
struct __treadle_fetched<T, cudaReadModeNormalizedFloat> {
  typedef typename __treadle_floats<__treadle_channels<T>::count, __is_class(T)>::type type;
};
/// Four of the type's channels.
template <unsigned format>
struct __treadle_gathered {
  typedef float4 type;
};
#define __TREADLE_GATHERED(format, vector) \
  template <>                              \
  struct __treadle_gathered<format> {      \
    typedef vector type;                   \
  };
__TREADLE_GATHERED(0x01, uchar4)
__TREADLE_GATHERED(0x02, ushort4)
__TREADLE_GATHERED(0x03, uint4)
__TREADLE_GATHERED(0x08, char4)
__TREADLE_GATHERED(0x09, short4)
__TREADLE_GATHERED(0x0a, int4)
#undef __TREADLE_GATHERED
template <class T, cudaTextureReadMode mode>
struct __treadle_gathered_of {
  typedef typename __treadle_gathered<mode == cudaReadModeNormalizedFloat ? 0x20 : __treadle_channels<T>::format>::type
      type;
};

#define __TREADLE_UNPACK(...) __VA_ARGS__
#define __TREADLE_FETCH_OF(result, name, shape, parameters, ...)                                             \
  template <class T, cudaTextureReadMode mode>                                                               \
  __device__ __forceinline__ typename result<T, mode>::type name(const texture<T, shape, mode>& reference,   \
                                                                 __TREADLE_UNPACK parameters) {              \
    return name<typename result<T, mode>::type>(reference.reference.object, __VA_ARGS__);                    \
  }
#define __TREADLE_FETCH(name, shape, parameters, ...) \
  __TREADLE_FETCH_OF(__treadle_fetched, name, shape, parameters, __VA_ARGS__)
__TREADLE_FETCH(tex1Dfetch, cudaTextureType1D, (int i), i)
__TREADLE_FETCH(tex1D, cudaTextureType1D, (float x), x)
__TREADLE_FETCH(tex2D, cudaTextureType2D, (float x, float y), x, y)
__TREADLE_FETCH(tex3D, cudaTextureType3D, (float x, float y, float z), x, y, z)
__TREADLE_FETCH(tex1DLayered, cudaTextureType1DLayered, (float x, int layer), x, layer)
__TREADLE_FETCH(tex2DLayered, cudaTextureType2DLayered, (float x, float y, int layer), x, y, layer)
__TREADLE_FETCH(texCubemap, cudaTextureTypeCubemap, (float x, float y, float z), x, y, z)
__TREADLE_FETCH(texCubemapLayered, cudaTextureTypeCubemapLayered, (float x, float y, float z, int layer), x, y, z,
                layer)
__TREADLE_FETCH_OF(__treadle_gathered_of, tex2Dgather, cudaTextureType2D, (float x, float y, int component = 0), x, y,
                   component)
__TREADLE_FETCH(tex1DLod, cudaTextureType1D, (float x, float level), x, level)
__TREADLE_FETCH(tex2DLod, cudaTextureType2D, (float x, float y, float level), x, y, level)
__TREADLE_FETCH(tex3DLod, cudaTextureType3D, (float x, float y, float z, float level), x, y, z, level)
__TREADLE_FETCH(tex1DLayeredLod, cudaTextureType1DLayered, (float x, int layer, float level), x, layer, level)
__TREADLE_FETCH(tex2DLayeredLod, cudaTextureType2DLayered, (float x, float y, int layer, float level), x, y, layer,
                level)
__TREADLE_FETCH(texCubemapLod, cudaTextureTypeCubemap, (float x, float y, float z, float level), x, y, z, level)
__TREADLE_FETCH(texCubemapLayeredLod, cudaTextureTypeCubemapLayered,
                (float x, float y, float z, int layer, float level), x, y, z, layer, level)
__TREADLE_FETCH(tex1DGrad, cudaTextureType1D, (float x, float dx, float dy), x, dx, dy)
__TREADLE_FETCH(tex2DGrad, cudaTextureType2D, (float x, float y, float2 dx, float2 dy), x, y, dx, dy)
__TREADLE_FETCH(tex3DGrad, cudaTextureType3D, (float x, float y, float z, float4 dx, float4 dy), x, y, z, dx, dy)
__TREADLE_FETCH(tex1DLayeredGrad, cudaTextureType1DLayered, (float x, int layer, float dx, float dy), x, layer, dx, dy)
__TREADLE_FETCH(tex2DLayeredGrad, cudaTextureType2DLayered, (float x, float y, int layer, float2 dx, float2 dy), x, y,
                layer, dx, dy)
__TREADLE_FETCH(texCubemapGrad, cudaTextureTypeCubemap, (float x, float y, float z, float4 dx, float4 dy), x, y, z, dx,
                dy)
__TREADLE_FETCH(texCubemapLayeredGrad, cudaTextureTypeCubemapLayered,
                (float x, float y, float z, int layer, float4 dx, float4 dy), x, y, z, layer, dx, dy)
#undef __TREADLE_FETCH
#undef __TREADLE_FETCH_OF

#define __TREADLE_SURFACE(name, shape, parameters, ...)                                                          \
  template <class T, class Element>                                                                              \
  __device__ __forceinline__ T name##read(const surface<Element, shape>& reference, __TREADLE_UNPACK parameters, \
                                          cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                 \
    return name##read<T>(reference.reference.object, __VA_ARGS__, mode);                                         \
  }                                                                                                              \
  template <class T, class Element>                                                                              \
  __device__ __forceinline__ void name##read(T* result, const surface<Element, shape>& reference,                \
                                             __TREADLE_UNPACK parameters,                                        \
                                             cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {              \
    *result = name##read<T>(reference.reference.object, __VA_ARGS__, mode);                                      \
  }                                                                                                              \
  template <class T, class Element>                                                                              \
  __device__ __forceinline__ void name##write(T value, const surface<Element, shape>& reference,                 \
                                              __TREADLE_UNPACK parameters,                                       \
                                              cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {             \
    name##write(value, reference.reference.object, __VA_ARGS__, mode);                                           \
  }
__TREADLE_SURFACE(surf1D, cudaSurfaceType1D, (int x), x)
__TREADLE_SURFACE(surf2D, cudaSurfaceType2D, (int x, int y), x, y)
__TREADLE_SURFACE(surf3D, cudaSurfaceType3D, (int x, int y, int z), x, y, z)
__TREADLE_SURFACE(surf1DLayered, cudaSurfaceType1DLayered, (int x, int layer), x, layer)
__TREADLE_SURFACE(surf2DLayered, cudaSurfaceType2DLayered, (int x, int y, int layer), x, y, layer)
__TREADLE_SURFACE(surfCubemap, cudaSurfaceTypeCubemap, (int x, int y, int face), x, y, face)
__TREADLE_SURFACE(surfCubemapLayered, cudaSurfaceTypeCubemapLayered, (int x, int y, int layer_and_face), x, y,
                  layer_and_face)
#undef __TREADLE_SURFACE
#undef __TREADLE_UNPACK
}

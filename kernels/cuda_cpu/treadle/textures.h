// SPDX-License-Identifier: MIT
// Fetches through texture objects. Those of the common kinds, with clamped coordinates and texels that are read as
// they are, are inlined; the run-time does the others.
#pragma once

#include "treadle/texture_types.h"

extern "C" {
/// What the object points at: constant while a kernel runs.
__device__ const __treadle_texture* __treadle_texture_at(unsigned long long object)
    __attribute__((const, nothrow));
__device__ __treadle_words __treadle_sample_texture(const __treadle_texture* texture, unsigned fetch,
                                                    float x, float y, float z, int layer, float level)
    __attribute__((pure, nothrow));
}

// over 6 parameters because they travel in registers
template <class T>
__TREADLE_FUNCTION T __treadle_sample(cudaTextureObject_t object, unsigned fetch, float x,
                                      float y = 0, float z = 0, int layer = 0, float level = 0) {
  return __treadle_texel<T>::of(
      __treadle_sample_texture(__treadle_texture_at(object), fetch, x, y, z, layer, level));
}
template <class T>
__TREADLE_FUNCTION bool __treadle_may_inline(const __treadle_texture* texture,
                                             __treadle_texture_layout layout, unsigned is_linear) {
  return texture->key == __treadle_texture_key(layout, __treadle_texel<T>::element,
                                               __treadle_texel<T>::channels, is_linear);
}
template <class T>
__TREADLE_FUNCTION T __treadle_read_texel(const __treadle_texels& texels, int x, int y = 0, int z = 0) {
  T value;
  __builtin_memcpy(&value, texels.first + z * texels.slice_bytes + y * texels.row_bytes + x * sizeof(T),
                   sizeof(T));
  return value;
}

/// Between `low`, which NaN becomes, and `high`.
__TREADLE_FUNCTION float __treadle_clamped(float x, float low, float high) {
  x = x > low ? x : low;
  return x < high ? x : high;
}
__TREADLE_FUNCTION int __treadle_nearest(float x, int size) {
  return static_cast<int>(__treadle_clamped(x, 0.0f, static_cast<float>(size - 1)));
}
/// The two texels of a linear filter, and the 1/256 that the right one counts. Behind the last centre there is none.
struct __treadle_pair {
  int left, right, weight;
};
__TREADLE_FUNCTION __treadle_pair __treadle_neighbours(float x, int size) {
  x = __treadle_clamped(x, 0.5f, static_cast<float>(size) - 0.5f);
  const int whole = static_cast<int>(x);
  const int fixed = static_cast<int>((x - static_cast<float>(whole)) * 256.0f + 0.5f) - 128;
  const int left = whole + (fixed >> 8), weight = fixed & 255;
  return {left, left + (weight != 0), weight};
}
/// A sum and what a texel adds to it. One of weight 0 does not count, whatever it is.
__TREADLE_FUNCTION float __treadle_with(float sum, float weight, float texel) {
  return __fadd_rn(sum, __fmul_rn(weight, weight != 0.0f ? texel : 0.0f));
}
__TREADLE_FUNCTION float1 __treadle_with(float1 sum, float weight, float1 texel) {
  return {__treadle_with(sum.x, weight, texel.x)};
}
__TREADLE_FUNCTION float2 __treadle_with(float2 sum, float weight, float2 texel) {
  return {__treadle_with(sum.x, weight, texel.x), __treadle_with(sum.y, weight, texel.y)};
}
__TREADLE_FUNCTION float4 __treadle_with(float4 sum, float weight, float4 texel) {
  return {__treadle_with(sum.x, weight, texel.x), __treadle_with(sum.y, weight, texel.y),
          __treadle_with(sum.z, weight, texel.z), __treadle_with(sum.w, weight, texel.w)};
}

/// Linear filters: two texels of a row, two rows of a plane, two planes.
template <class T>
struct __treadle_filter {
  const __treadle_texels& texels;
  const __treadle_pair x, y, z;

  __device__ __forceinline__ T row(T sum, int left, int right, int y_index, int z_index) const {
    sum = __treadle_with(sum, static_cast<float>(left) * 0x1p-8f,
                         __treadle_read_texel<T>(texels, x.left, y_index, z_index));
    return __treadle_with(sum, static_cast<float>(right) * 0x1p-8f,
                          __treadle_read_texel<T>(texels, x.right, y_index, z_index));
  }
  __device__ __forceinline__ T line() const { return row(T{}, 256 - x.weight, x.weight, 0, 0); }
  __device__ __forceinline__ T plane(T sum, int weight, int z_index) const {
    const __treadle_corners corners = __treadle_corners_of(weight, x.weight, y.weight);
    sum = row(sum, corners.left_low, corners.right_low, y.left, z_index);
    return row(sum, corners.left_high, corners.right_high, y.right, z_index);
  }
  __device__ __forceinline__ T space() const {
    return plane(plane(T{}, 256 - z.weight, z.left), z.weight, z.right);
  }
};

template <class T>
__TREADLE_FUNCTION T tex1Dfetch(cudaTextureObject_t object, int index) {
  const __treadle_texture* texture = __treadle_texture_at(object);
  if (!__treadle_may_inline<T>(texture, __treadle_memory, 0))
    return __treadle_sample<T>(object, __treadle_fetch_index, 0, 0, 0, index);
  const bool inside = static_cast<unsigned>(index) < static_cast<unsigned>(texture->base.width);
  const T value = __treadle_read_texel<T>(texture->base, inside ? index : 0);
  return inside ? value : T{};
}

template <class T>
__TREADLE_FUNCTION T tex1D(cudaTextureObject_t object, float x) {
  const __treadle_texture* texture = __treadle_texture_at(object);
  const __treadle_texels& texels = texture->base;
  const float u = x * texture->scale_x;
  if constexpr (__treadle_texel<T>::element == __treadle_element_f32)
    if (__treadle_may_inline<T>(texture, __treadle_line, 1))
      return __treadle_filter<T>{texels, __treadle_neighbours(u, texels.width), {}, {}}.line();
  if (__treadle_may_inline<T>(texture, __treadle_line, 0))
    return __treadle_read_texel<T>(texels, __treadle_nearest(u, texels.width));
  return __treadle_sample<T>(object, __treadle_fetch_1d, x);
}

template <class T>
__TREADLE_FUNCTION T tex2D(cudaTextureObject_t object, float x, float y) {
  const __treadle_texture* texture = __treadle_texture_at(object);
  const __treadle_texels& texels = texture->base;
  const float u = x * texture->scale_x, v = y * texture->scale_y;
  if constexpr (__treadle_texel<T>::element == __treadle_element_f32)
    if (__treadle_may_inline<T>(texture, __treadle_plane, 1))
      return __treadle_filter<T>{
          texels, __treadle_neighbours(u, texels.width), __treadle_neighbours(v, texels.height), {}}
          .plane(T{}, 256, 0);
  if (__treadle_may_inline<T>(texture, __treadle_plane, 0))
    return __treadle_read_texel<T>(texels, __treadle_nearest(u, texels.width), __treadle_nearest(v, texels.height));
  return __treadle_sample<T>(object, __treadle_fetch_2d, x, y);
}

template <class T>
__TREADLE_FUNCTION T tex3D(cudaTextureObject_t object, float x, float y, float z) {
  const __treadle_texture* texture = __treadle_texture_at(object);
  const __treadle_texels& texels = texture->base;
  const float u = x * texture->scale_x, v = y * texture->scale_y, w = z * texture->scale_z;
  if constexpr (__treadle_texel<T>::element == __treadle_element_f32)
    if (__treadle_may_inline<T>(texture, __treadle_space, 1))
      return __treadle_filter<T>{texels, __treadle_neighbours(u, texels.width),
                                 __treadle_neighbours(v, texels.height),
                                 __treadle_neighbours(w, texels.depth)}
          .space();
  if (__treadle_may_inline<T>(texture, __treadle_space, 0))
    return __treadle_read_texel<T>(texels, __treadle_nearest(u, texels.width), __treadle_nearest(v, texels.height),
                                   __treadle_nearest(w, texels.depth));
  return __treadle_sample<T>(object, __treadle_fetch_3d, x, y, z);
}

#define __TREADLE_FETCH(name, parameters, ...)                                    \
  template <class T>                                                              \
  __TREADLE_FUNCTION T name parameters {                                          \
    return __treadle_sample<T>(object, __VA_ARGS__);                              \
  }
#define __TREADLE_UNPACK(...) __VA_ARGS__
__TREADLE_FETCH(tex1DLayered, (cudaTextureObject_t object, float x, int layer),
                __treadle_fetch_1d | __treadle_fetch_layered, x, 0, 0, layer)
__TREADLE_FETCH(tex2DLayered, (cudaTextureObject_t object, float x, float y, int layer),
                __treadle_fetch_2d | __treadle_fetch_layered, x, y, 0, layer)
__TREADLE_FETCH(texCubemap, (cudaTextureObject_t object, float x, float y, float z),
                __treadle_fetch_2d | __treadle_fetch_cubemap, x, y, z)
__TREADLE_FETCH(texCubemapLayered, (cudaTextureObject_t object, float x, float y, float z, int layer),
                __treadle_fetch_2d | __treadle_fetch_cubemap | __treadle_fetch_layered, x, y, z, layer)
__TREADLE_FETCH(tex2Dgather, (cudaTextureObject_t object, float x, float y, int component = 0),
                __treadle_fetch_2d | __treadle_fetch_gather | (component & 3) << 6, x, y)

// With the level of a mipmapped array.
__TREADLE_FETCH(tex1DLod, (cudaTextureObject_t object, float x, float level), __treadle_fetch_1d, x, 0, 0, 0,
                level)
__TREADLE_FETCH(tex2DLod, (cudaTextureObject_t object, float x, float y, float level), __treadle_fetch_2d, x, y,
                0, 0, level)
__TREADLE_FETCH(tex3DLod, (cudaTextureObject_t object, float x, float y, float z, float level),
                __treadle_fetch_3d, x, y, z, 0, level)
__TREADLE_FETCH(tex1DLayeredLod, (cudaTextureObject_t object, float x, int layer, float level),
                __treadle_fetch_1d | __treadle_fetch_layered, x, 0, 0, layer, level)
__TREADLE_FETCH(tex2DLayeredLod, (cudaTextureObject_t object, float x, float y, int layer, float level),
                __treadle_fetch_2d | __treadle_fetch_layered, x, y, 0, layer, level)
__TREADLE_FETCH(texCubemapLod, (cudaTextureObject_t object, float x, float y, float z, float level),
                __treadle_fetch_2d | __treadle_fetch_cubemap, x, y, z, 0, level)
__TREADLE_FETCH(texCubemapLayeredLod,
                (cudaTextureObject_t object, float x, float y, float z, int layer, float level),
                __treadle_fetch_2d | __treadle_fetch_cubemap | __treadle_fetch_layered, x, y, z, layer, level)

/// The level at which a step (x, y, z) is one texel long.
__TREADLE_FUNCTION float __treadle_level(cudaTextureObject_t object, float x, float y, float z) {
  const __treadle_texture* texture = __treadle_texture_at(object);
  x *= texture->scale_x;
  y *= texture->scale_y;
  z *= texture->scale_z;
  return 0.5f * log2f(x * x + y * y + z * z);
}
__TREADLE_FUNCTION float __treadle_level(cudaTextureObject_t object, float x, float y) {
  return __treadle_level(object, x, y, 0.0f);
}
/// The same of a step of the direction (x, y, z), as it moves on the face of a cubemap that the direction meets: a face
/// is 2 wide at the distance 1.
__TREADLE_FUNCTION float __treadle_cube_level(cudaTextureObject_t object, float x, float y, float z, float4 step) {
  if (fabsf(y) > fabsf(x) && fabsf(y) >= fabsf(z)) {
    const float other = x, other_step = step.x;
    x = y, step.x = step.y;
    y = other, step.y = other_step;
  } else if (fabsf(z) > fabsf(x)) {
    const float other = x, other_step = step.x;
    x = z, step.x = step.z;
    z = other, step.z = other_step;
  }
  const float to_texels = 0.5f * static_cast<float>(__treadle_texture_at(object)->base.width) / (x * x);
  const float u = (step.y * x - y * step.x) * to_texels, v = (step.z * x - z * step.x) * to_texels;
  return 0.5f * log2f(u * u + v * v);
}
__TREADLE_FUNCTION float __treadle_longer(float a, float b) { return a > b ? a : b; }

// With the steps from one fetch to its neighbours, which choose the level.
template <class T>
__TREADLE_FUNCTION T tex1DGrad(cudaTextureObject_t object, float x, float dx, float dy) {
  return tex1DLod<T>(object, x, __treadle_longer(__treadle_level(object, dx, 0), __treadle_level(object, dy, 0)));
}
template <class T>
__TREADLE_FUNCTION T tex1DLayeredGrad(cudaTextureObject_t object, float x, int layer, float dx, float dy) {
  return tex1DLayeredLod<T>(object, x, layer,
                            __treadle_longer(__treadle_level(object, dx, 0), __treadle_level(object, dy, 0)));
}
template <class T>
__TREADLE_FUNCTION T tex2DGrad(cudaTextureObject_t object, float x, float y, float2 dx, float2 dy) {
  return tex2DLod<T>(object, x, y,
                     __treadle_longer(__treadle_level(object, dx.x, dx.y), __treadle_level(object, dy.x, dy.y)));
}
template <class T>
__TREADLE_FUNCTION T tex2DLayeredGrad(cudaTextureObject_t object, float x, float y, int layer, float2 dx,
                                      float2 dy) {
  return tex2DLayeredLod<T>(
      object, x, y, layer,
      __treadle_longer(__treadle_level(object, dx.x, dx.y), __treadle_level(object, dy.x, dy.y)));
}
template <class T>
__TREADLE_FUNCTION T tex3DGrad(cudaTextureObject_t object, float x, float y, float z, float4 dx, float4 dy) {
  return tex3DLod<T>(
      object, x, y, z,
      __treadle_longer(__treadle_level(object, dx.x, dx.y, dx.z), __treadle_level(object, dy.x, dy.y, dy.z)));
}
template <class T>
__TREADLE_FUNCTION T texCubemapGrad(cudaTextureObject_t object, float x, float y, float z, float4 dx, float4 dy) {
  return texCubemapLod<T>(object, x, y, z,
                          __treadle_longer(__treadle_cube_level(object, x, y, z, dx),
                                           __treadle_cube_level(object, x, y, z, dy)));
}
// over 6 parameters because CUDA's has them.
template <class T>
__TREADLE_FUNCTION T texCubemapLayeredGrad(cudaTextureObject_t object, float x, float y, float z, int layer, float4 dx,
                                           float4 dy) {
  return texCubemapLayeredLod<T>(object, x, y, z, layer,
                                 __treadle_longer(__treadle_cube_level(object, x, y, z, dx),
                                                  __treadle_cube_level(object, x, y, z, dy)));
}

// The forms that write to an address.
#define __TREADLE_FETCH_TO(name, parameters, ...)                                        \
  template <class T>                                                                     \
  __TREADLE_FUNCTION void name(T* result, cudaTextureObject_t object, __TREADLE_UNPACK parameters) { \
    *result = name<T>(object, __VA_ARGS__);                                              \
  }
__TREADLE_FETCH_TO(tex1Dfetch, (int index), index)
__TREADLE_FETCH_TO(tex1D, (float x), x)
__TREADLE_FETCH_TO(tex2D, (float x, float y), x, y)
__TREADLE_FETCH_TO(tex3D, (float x, float y, float z), x, y, z)
__TREADLE_FETCH_TO(tex1DLayered, (float x, int layer), x, layer)
__TREADLE_FETCH_TO(tex2DLayered, (float x, float y, int layer), x, y, layer)
__TREADLE_FETCH_TO(texCubemap, (float x, float y, float z), x, y, z)
__TREADLE_FETCH_TO(texCubemapLayered, (float x, float y, float z, int layer), x, y, z, layer)
__TREADLE_FETCH_TO(tex2Dgather, (float x, float y, int component = 0), x, y, component)
__TREADLE_FETCH_TO(tex1DLod, (float x, float level), x, level)
__TREADLE_FETCH_TO(tex2DLod, (float x, float y, float level), x, y, level)
__TREADLE_FETCH_TO(tex3DLod, (float x, float y, float z, float level), x, y, z, level)
__TREADLE_FETCH_TO(tex1DLayeredLod, (float x, int layer, float level), x, layer, level)
__TREADLE_FETCH_TO(tex2DLayeredLod, (float x, float y, int layer, float level), x, y, layer, level)
__TREADLE_FETCH_TO(texCubemapLod, (float x, float y, float z, float level), x, y, z, level)
__TREADLE_FETCH_TO(texCubemapLayeredLod, (float x, float y, float z, int layer, float level), x, y, z, layer, level)
__TREADLE_FETCH_TO(tex1DGrad, (float x, float dx, float dy), x, dx, dy)
__TREADLE_FETCH_TO(tex1DLayeredGrad, (float x, int layer, float dx, float dy), x, layer, dx, dy)
__TREADLE_FETCH_TO(tex2DGrad, (float x, float y, float2 dx, float2 dy), x, y, dx, dy)
__TREADLE_FETCH_TO(tex2DLayeredGrad, (float x, float y, int layer, float2 dx, float2 dy), x, y, layer, dx, dy)
__TREADLE_FETCH_TO(tex3DGrad, (float x, float y, float z, float4 dx, float4 dy), x, y, z, dx, dy)
__TREADLE_FETCH_TO(texCubemapGrad, (float x, float y, float z, float4 dx, float4 dy), x, y, z, dx, dy)
__TREADLE_FETCH_TO(texCubemapLayeredGrad, (float x, float y, float z, int layer, float4 dx, float4 dy), x, y, z, layer,
                   dx, dy)
#undef __TREADLE_FETCH_TO
#undef __TREADLE_UNPACK
#undef __TREADLE_FETCH

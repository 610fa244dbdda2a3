// SPDX-License-Identifier: MIT
// Reading and writing through surface objects. x counts bytes.
#pragma once

#include "treadle/textures.h"

/// Where the access goes, or null if that is nowhere.
__TREADLE_FUNCTION unsigned char* __treadle_surface_place(cudaSurfaceObject_t object, int x, int y, int z,
                                                          int size, cudaSurfaceBoundaryMode mode) {
  const __treadle_texels& texels = __treadle_texture_at(object)->base;
  const int last = static_cast<int>(texels.row_bytes) - size;
  if (x < 0 || x > last || y < 0 || y >= texels.height || z < 0 || z >= texels.depth) {
    if (mode == cudaBoundaryModeTrap) __trap();
    if (mode == cudaBoundaryModeZero) return nullptr;
    x = x < 0 ? 0 : x > last ? last : x;
    y = y < 0 ? 0 : y >= texels.height ? texels.height - 1 : y;
    z = z < 0 ? 0 : z >= texels.depth ? texels.depth - 1 : z;
  }
  return texels.first + z * texels.slice_bytes + y * texels.row_bytes + x;
}

template <class T>
__TREADLE_FUNCTION T __treadle_surface_read(cudaSurfaceObject_t object, int x, int y, int z,
                                            cudaSurfaceBoundaryMode mode) {
  const unsigned char* place = __treadle_surface_place(object, x, y, z, sizeof(T), mode);
  T value = {};
  if (place != nullptr) __builtin_memcpy(&value, place, sizeof(T));
  return value;
}
template <class T>
__TREADLE_FUNCTION void __treadle_surface_write(const T& value, cudaSurfaceObject_t object, int x, int y, int z,
                                                cudaSurfaceBoundaryMode mode) {
  unsigned char* place = __treadle_surface_place(object, x, y, z, sizeof(T), mode);
  if (place != nullptr) __builtin_memcpy(place, &value, sizeof(T));
}

#define __TREADLE_UNPACK(...) __VA_ARGS__
#define __TREADLE_SURFACE(name, parameters, ...)                                                        \
  template <class T>                                                                                    \
  __TREADLE_FUNCTION T name##read(cudaSurfaceObject_t object, __TREADLE_UNPACK parameters,              \
                                  cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                \
    return __treadle_surface_read<T>(object, __VA_ARGS__, mode);                                        \
  }                                                                                                     \
  template <class T>                                                                                    \
  __TREADLE_FUNCTION void name##read(T* result, cudaSurfaceObject_t object, __TREADLE_UNPACK parameters, \
                                     cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {             \
    *result = __treadle_surface_read<T>(object, __VA_ARGS__, mode);                                     \
  }                                                                                                     \
  template <class T>                                                                                    \
  __TREADLE_FUNCTION void name##write(T value, cudaSurfaceObject_t object, __TREADLE_UNPACK parameters, \
                                      cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {            \
    __treadle_surface_write(value, object, __VA_ARGS__, mode);                                          \
  }
__TREADLE_SURFACE(surf1D, (int x), x, 0, 0)
__TREADLE_SURFACE(surf2D, (int x, int y), x, y, 0)
__TREADLE_SURFACE(surf3D, (int x, int y, int z), x, y, z)
__TREADLE_SURFACE(surf1DLayered, (int x, int layer), x, 0, layer)
__TREADLE_SURFACE(surf2DLayered, (int x, int y, int layer), x, y, layer)
__TREADLE_SURFACE(surfCubemap, (int x, int y, int face), x, y, face)
__TREADLE_SURFACE(surfCubemapLayered, (int x, int y, int layer_and_face), x, y, layer_and_face)
#undef __TREADLE_SURFACE
#undef __TREADLE_UNPACK

// SPDX-License-Identifier: MIT
// What names textures and surfaces in CUDA, and the texels they have.
#pragma once

#include "treadle/texture_object.h"

typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;

#define cudaTextureType1D 0x01
#define cudaTextureType2D 0x02
#define cudaTextureType3D 0x03
#define cudaTextureTypeCubemap 0x0C
#define cudaTextureType1DLayered 0xF1
#define cudaTextureType2DLayered 0xF2
#define cudaTextureTypeCubemapLayered 0xFC
#define cudaSurfaceType1D 0x01
#define cudaSurfaceType2D 0x02
#define cudaSurfaceType3D 0x03
#define cudaSurfaceTypeCubemap 0x0C
#define cudaSurfaceType1DLayered 0xF1
#define cudaSurfaceType2DLayered 0xF2
#define cudaSurfaceTypeCubemapLayered 0xFC

enum cudaTextureReadMode { cudaReadModeElementType = 0, cudaReadModeNormalizedFloat = 1 };
enum cudaTextureFilterMode { cudaFilterModePoint = 0, cudaFilterModeLinear = 1 };
enum cudaTextureAddressMode {
  cudaAddressModeWrap = 0,
  cudaAddressModeClamp = 1,
  cudaAddressModeMirror = 2,
  cudaAddressModeBorder = 3
};
enum cudaSurfaceBoundaryMode {
  cudaBoundaryModeZero = 0,
  cudaBoundaryModeClamp = 1,
  cudaBoundaryModeTrap = 2
};
enum cudaSurfaceFormatMode { cudaFormatModeForced = 0, cudaFormatModeAuto = 1 };
enum cudaChannelFormatKind {
  cudaChannelFormatKindSigned = 0,
  cudaChannelFormatKindUnsigned = 1,
  cudaChannelFormatKindFloat = 2,
  cudaChannelFormatKindNone = 3
};
struct cudaChannelFormatDesc {
  int x, y, z, w;
  enum cudaChannelFormatKind f;
};

/// Four channels of 32 bits: floats or integers.
typedef unsigned __treadle_words __attribute__((vector_size(16)));

/// Small integers are the low bits of a word.
template <class Channel>
__TREADLE_FUNCTION Channel __treadle_channel(unsigned word) {
  return static_cast<Channel>(word);
}
template <>
__TREADLE_FUNCTION float __treadle_channel<float>(unsigned word) {
  return __builtin_bit_cast(float, word);
}

/// The texel that a type is.
template <class T>
struct __treadle_texel;

#define __TREADLE_TEXEL(type, number, channel, ...)                                       \
  template <>                                                                             \
  struct __treadle_texel<type> {                                                          \
    enum { element = __treadle_element_##channel, channels = number };                     \
    __TREADLE_FUNCTION type of(__treadle_words words) { return type __VA_ARGS__; }        \
  };
#define __TREADLE_TEXELS(name, type, element)                                                    \
  __TREADLE_TEXEL(name##1, 1, element, {__treadle_channel<type>(words[0])})                      \
  __TREADLE_TEXEL(name##2, 2, element,                                                           \
                  {__treadle_channel<type>(words[0]), __treadle_channel<type>(words[1])})        \
  __TREADLE_TEXEL(name##4, 4, element,                                                           \
                  {__treadle_channel<type>(words[0]), __treadle_channel<type>(words[1]),         \
                   __treadle_channel<type>(words[2]), __treadle_channel<type>(words[3])})
#define __TREADLE_SCALAR_TEXEL(type, element) \
  __TREADLE_TEXEL(type, 1, element, (__treadle_channel<type>(words[0])))
__TREADLE_TEXELS(char, signed char, s8)
__TREADLE_TEXELS(uchar, unsigned char, u8)
__TREADLE_TEXELS(short, short, s16)
__TREADLE_TEXELS(ushort, unsigned short, u16)
__TREADLE_TEXELS(int, int, s32)
__TREADLE_TEXELS(uint, unsigned int, u32)
__TREADLE_TEXELS(float, float, f32)
__TREADLE_SCALAR_TEXEL(char, s8)
typedef signed char __treadle_schar;
typedef unsigned char __treadle_uchar;
typedef unsigned short __treadle_ushort;
typedef unsigned int __treadle_uint;
__TREADLE_SCALAR_TEXEL(__treadle_schar, s8)
__TREADLE_SCALAR_TEXEL(__treadle_uchar, u8)
__TREADLE_SCALAR_TEXEL(short, s16)
__TREADLE_SCALAR_TEXEL(__treadle_ushort, u16)
__TREADLE_SCALAR_TEXEL(int, s32)
__TREADLE_SCALAR_TEXEL(__treadle_uint, u32)
__TREADLE_SCALAR_TEXEL(float, f32)
#undef __TREADLE_SCALAR_TEXEL
#undef __TREADLE_TEXELS
#undef __TREADLE_TEXEL

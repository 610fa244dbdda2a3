// SPDX-License-Identifier: MIT
// What a texture or surface object of the CPU device points at. The run-time fills it in
// (src/cuda_cpu/runtime/texture.cpp) and samples by it; fetches of the common kinds are inlined into kernels.
#pragma once

extern "C++" {

/// The channels of a texel, in the order of CUresourceViewFormat.
enum __treadle_element {
  __treadle_element_u8,
  __treadle_element_s8,
  __treadle_element_u16,
  __treadle_element_s16,
  __treadle_element_u32,
  __treadle_element_s32,
  __treadle_element_f16,
  __treadle_element_f32
};
constexpr unsigned __treadle_element_bytes(unsigned element) {
  return element < 2 ? 1 : element < 4 || element == __treadle_element_f16 ? 2 : 4;
}

/// Texels lie row by row, slice by slice. Slices are layers, faces or the depth.
struct __treadle_texels {
  unsigned char* first;
  unsigned long row_bytes, slice_bytes;
  int width, height, depth;
};

struct __attribute__((aligned(64))) __treadle_texture {
  /// Says that a fetch may be inlined, and which: __treadle_texture_key(). 0: no fetch.
  unsigned key;
  /// From coordinates to texels: 1, or the sizes of level 0 if coordinates are normalised.
  float scale_x, scale_y, scale_z;
  __treadle_texels base;  ///< level 0
  const __treadle_texels* levels;
  int level_count;
  unsigned char element, channels;
  unsigned char reads_floats;  ///< 0: integers as they are; 1: floats, integers as [0, 1] or [-1, 1]
  unsigned char is_linear;     ///< filter
  unsigned char is_linear_between_levels;
  unsigned char is_normalized;  ///< coordinates
  unsigned char is_srgb;
  unsigned char address[3];   ///< CUaddress_mode: wrap, clamp, mirror, border
  unsigned char is_seamless;  ///< a cubemap whose linear filter reads across the edges of faces
  float border[4];
  float level_bias, least_level, most_level;
};

/// How texels are laid out, as far as an inlined fetch depends on it.
enum __treadle_texture_layout { __treadle_memory = 1, __treadle_line, __treadle_plane, __treadle_space };
/// Never 0. Coordinates are clamped, and texels are read as they are.
constexpr unsigned __treadle_texture_key(unsigned layout, unsigned element, unsigned channels,
                                         unsigned is_linear) {
  return layout | element << 4 | channels << 8 | is_linear << 12;
}

/// What the four texels of a plane count in a linear filter, in 1/256: whole numbers, rounded as an H200 was measured
/// to round them. `plane` of 256 are the plane's; x and y are 1/256 of the way to the next texel.
struct __treadle_corners {
  int left_low, right_low, left_high, right_high;
};
constexpr __attribute__((always_inline)) __treadle_corners __treadle_corners_of(int plane, int x, int y) {
  const int right = (plane * x + 128) >> 8, left = plane - right;
  const int left_low = (left * (256 - y) + 128) >> 8, right_high = (right * y + 128) >> 8;
  return {left_low, right - right_high, left - left_low, right_high};
}

/// What a fetch that is not inlined asks for, or-ed together.
enum __treadle_fetch {
  __treadle_fetch_1d = 1,  ///< dimensions: 1, 2 or 3
  __treadle_fetch_2d = 2,
  __treadle_fetch_3d = 3,
  __treadle_fetch_layered = 4,
  __treadle_fetch_cubemap = 8,
  __treadle_fetch_gather = 16,  ///< four texels of one channel, which is in bits 6 and 7
  __treadle_fetch_index = 32    ///< tex1Dfetch: the index is given as the layer
};

}

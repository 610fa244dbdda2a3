// SPDX-License-Identifier: MIT
// Texture fetches that are not inlined into kernels. Written from the appendix on texture fetching
// of CUDA's programming guide: a linear filter works between the centres of texels, and its weights
// have 8 bits behind the point. What the guide leaves open is as an H200 has it: how products of
// weights are rounded, the edge of a mirrored texel, the lowest signed integer, layers below 0, and
// that a border lies beside a texture of one dimension, too.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "cuda_cpu/runtime/texture.hpp"

#include <cuda.h>

namespace treadle::cuda_cpu {
namespace {

typedef float TexelFloats __attribute__((vector_size(16)));

template <class Value>
Value load_as(const unsigned char* from) {
  Value value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

float float_of_half(std::uint16_t half) {
  // The exponent's bias differs; denormal halves come out right by the product, and so do zeros.
  const std::uint32_t magnitude = (half & 0x7fffu) << 13, sign = (half & 0x8000u) << 16;
  if (magnitude >= 0x7c00u << 13) return __builtin_bit_cast(float, sign | magnitude | 0x7f800000u);
  const float value = __builtin_bit_cast(float, magnitude) * 0x1p112f;
  return __builtin_bit_cast(float, __builtin_bit_cast(std::uint32_t, value) | sign);
}

/// Of an 8-bit channel.
float linear_of_srgb(unsigned char channel) {
  static const auto table = [] {
    std::array<float, 256> values{};
    for (unsigned i = 0; i < values.size(); ++i) {
      const double c = i / 255.0;
      values[i] = static_cast<float>(c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4));
    }
    return values;
  }();
  return table[channel];
}

/// A channel as a float; integers from 0 to 1, or from -1 to 1. The lowest is below -1 until
/// Sampler::result.
float float_channel(const unsigned char* texel, unsigned element, unsigned channel) {
  switch (element) {
    case __treadle_element_u8:
      return static_cast<float>(texel[channel]) / 255.0f;
    case __treadle_element_s8:
      return static_cast<float>(load_as<signed char>(texel + channel)) / 127.0f;
    case __treadle_element_u16:
      return static_cast<float>(load_as<std::uint16_t>(texel + 2 * channel)) / 65535.0f;
    case __treadle_element_s16:
      return static_cast<float>(load_as<std::int16_t>(texel + 2 * channel)) / 32767.0f;
    case __treadle_element_f16:
      return float_of_half(load_as<std::uint16_t>(texel + 2 * channel));
    default:
      return load_as<float>(texel + 4 * channel);
  }
}

std::uint32_t integer_channel(const unsigned char* texel, unsigned element, unsigned channel) {
  switch (element) {
    case __treadle_element_u8:
      return texel[channel];
    case __treadle_element_s8:
      return static_cast<std::uint32_t>(load_as<signed char>(texel + channel));
    case __treadle_element_u16:
      return load_as<std::uint16_t>(texel + 2 * channel);
    case __treadle_element_s16:
      return static_cast<std::uint32_t>(load_as<std::int16_t>(texel + 2 * channel));
    default:
      return load_as<std::uint32_t>(texel + 4 * channel);
  }
}

/// Where a texel is; null: outside, where the border's colour is.
struct Texel {
  const unsigned char* at;
};

/// One texture, one level of it and one of its layers.
class Sampler {
 public:
  explicit Sampler(const __treadle_texture& texture)
      : texture_(texture),
        texel_bytes_(__treadle_element_bytes(texture.element) * texture.channels) {}

  TexelWords words(Texel texel) const {
    if (texture_.reads_floats != 0) return result(floats(texel));
    if (texel.at == nullptr) return border<TexelWords>();
    TexelWords words = {0, 0, 0, 1};
    for (unsigned i = 0; i < texture_.channels; ++i)
      words[i] = integer_channel(texel.at, texture_.element, i);
    return words;
  }

  TexelFloats floats(Texel texel) const {
    if (texel.at == nullptr) return border<TexelFloats>();
    TexelFloats floats = {0, 0, 0, 1};
    if (texture_.element == __treadle_element_f32) {
      // The most common ones, without a loop.
      if (texture_.channels == 4) return load_as<TexelFloats>(texel.at);
      floats[0] = load_as<float>(texel.at);
      if (texture_.channels == 2) floats[1] = load_as<float>(texel.at + 4);
      return floats;
    }
    if (texture_.is_srgb != 0) {
      for (unsigned i = 0; i < texture_.channels; ++i)
        floats[i] =
            i < 3 ? linear_of_srgb(texel.at[i]) : float_channel(texel.at, __treadle_element_u8, i);
      return floats;
    }
    for (unsigned i = 0; i < texture_.channels; ++i)
      floats[i] = float_channel(texel.at, texture_.element, i);
    return floats;
  }

  /// Of a texel, or of a filter's sum.
  TexelWords result(TexelFloats floats) const {
    if (texture_.element == __treadle_element_s8 || texture_.element == __treadle_element_s16)
      for (unsigned i = 0; i < texture_.channels; ++i) floats[i] = std::max(floats[i], -1.0f);
    return __builtin_bit_cast(TexelWords, floats);
  }

  Texel texel(const __treadle_texels& in, const int index[3]) const {
    if ((index[0] | index[1] | index[2]) < 0) return {nullptr};
    return {in.first + static_cast<std::size_t>(index[2]) * in.slice_bytes +
            static_cast<std::size_t>(index[1]) * in.row_bytes +
            static_cast<std::size_t>(index[0]) * texel_bytes_};
  }

 private:
  template <class Words>
  Words border() const {
    return load_as<Words>(reinterpret_cast<const unsigned char*>(texture_.border));
  }

  const __treadle_texture& texture_;
  const std::size_t texel_bytes_;
};

/// The largest integer that is not greater, of a number that fits.
int floor_of(float x) {
  const int truncated = static_cast<int>(x);
  return truncated - (static_cast<float>(truncated) > x ? 1 : 0);
}

/// The part behind the point, from 0 to 1; 0 of numbers that have none.
float fraction_of(float x) {
  if (!(std::fabs(x) < 0x1p23f)) return 0.0f;
  return x - static_cast<float>(floor_of(x));
}

/// A coordinate along one axis of a level.
struct Axis {
  unsigned mode = CU_TR_ADDRESS_MODE_CLAMP;
  int size = 1;
  bool is_reversed = false;  ///< each second time of a mirrored texture
  float position = 0;        ///< in texels; NaN and what is far out are brought near the edge

  /// What is meant by an index that may lie outside; -1: the border.
  int folded(int i) const {
    if (is_reversed) i = size - 1 - i;
    if (mode == CU_TR_ADDRESS_MODE_BORDER) return i < 0 || i >= size ? -1 : i;
    if (mode == CU_TR_ADDRESS_MODE_WRAP && i < 0) i += size;
    if (mode == CU_TR_ADDRESS_MODE_WRAP && i >= size) i -= size;
    return std::clamp(i, 0, size - 1);
  }
  int nearest() const { return folded(floor_of(position)); }
  /// The texel left of the position, and the weight of the one behind it in 1/256.
  int left(int& weight) const {
    const int whole = floor_of(position);
    const int fixed = floor_of((position - static_cast<float>(whole)) * 256.0f + 0.5f) - 128;
    weight = fixed & 255;
    return whole + (fixed >> 8);
  }
};

/// The place of a fetch in one level.
struct LevelPlace {
  const __treadle_texels* level;
  unsigned dimensions;
  int slice;  ///< the layer or face
  std::array<Axis, 3> axes = {};
};

TexelWords fetch_nearest(const Sampler& sampler, const LevelPlace& place) {
  int index[3] = {0, 0, place.slice};
  for (unsigned i = 0; i < place.dimensions; ++i) index[i] = place.axes[i].nearest();
  return sampler.words(sampler.texel(*place.level, index));
}

/// The mean of 2, 4 or 8 texels. One of weight 0 does not count, whatever it is.
TexelFloats fetch_linear(const Sampler& sampler, const LevelPlace& place) {
  int ends[3][2] = {{0, 0}, {0, 0}, {place.slice, place.slice}};
  int weights[3] = {};
  for (unsigned i = 0; i < place.dimensions; ++i) {
    Axis axis = place.axes[i];
    // Behind the last centre a clamped texture has no second texel.
    if (axis.mode == CU_TR_ADDRESS_MODE_CLAMP)
      axis.position = std::clamp(axis.position, 0.5f, static_cast<float>(axis.size) - 0.5f);
    const int left = axis.left(weights[i]);
    ends[i][0] = axis.folded(left);
    ends[i][1] = axis.folded(left + 1);
  }
  TexelFloats sum = {};
  for (unsigned z = 0; z < (place.dimensions == 3 ? 2 : 1); ++z) {
    const int plane = z == 0 ? 256 - weights[2] : weights[2];
    const __treadle_corners corners = __treadle_corners_of(plane, weights[0], weights[1]);
    const int counts[] = {corners.left_low, corners.right_low, corners.left_high,
                          corners.right_high};
    for (unsigned corner = 0; corner < 4; ++corner) {
      if (counts[corner] == 0) continue;
      const int index[3] = {ends[0][corner & 1], ends[1][corner >> 1], ends[2][z]};
      sum += static_cast<float>(counts[corner]) * 0x1p-8f *
             sampler.floats(sampler.texel(*place.level, index));
    }
  }
  return sum;
}

/// One channel of the four texels that a linear filter would use, counter-clockwise from below.
TexelWords gather(const Sampler& sampler, const LevelPlace& place, unsigned channel) {
  constexpr int steps[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
  int weight = 0;
  const int left[2] = {place.axes[0].left(weight), place.axes[1].left(weight)};
  TexelWords words = {};
  for (unsigned i = 0; i < 4; ++i) {
    const int index[3] = {place.axes[0].folded(left[0] + steps[i][0]),
                          place.axes[1].folded(left[1] + steps[i][1]), place.slice};
    words[i] = sampler.words(sampler.texel(*place.level, index))[channel];
  }
  return words;
}

/// From a direction to a face of the cube and coordinates from 0 to 1 on it.
int face_of(float& x, float& y, float z) {
  const float a = std::fabs(x), b = std::fabs(y), c = std::fabs(z);
  float s = 0, t = -y, length = 0;
  int face = 0;
  if (a >= b && a >= c) {
    face = x < 0 ? 1 : 0;
    s = x < 0 ? z : -z;
    length = a;
  } else if (b >= c) {
    face = y < 0 ? 3 : 2;
    s = x;
    t = y < 0 ? -z : z;
    length = b;
  } else {
    face = z < 0 ? 5 : 4;
    s = z < 0 ? -x : x;
    length = c;
  }
  x = (s / length + 1.0f) * 0.5f;
  y = (t / length + 1.0f) * 0.5f;
  return face;
}

/// A texel of a cube's face; one that lies behind an edge of it is one of the next face.
Texel cube_texel(const Sampler& sampler, const LevelPlace& place, int column, int row) {
  const int size = place.axes[0].size, face = place.slice % 6;
  const auto is_inside = [size](int i) { return i >= 0 && i < size; };
  int index[3] = {column, row, place.slice};
  if (!is_inside(column) || !is_inside(row)) {
    // The centre of the texel, on a plane that is bent by a right angle at the edge.
    const auto extent = static_cast<float>(size);
    float s = (2.0f * static_cast<float>(column) + 1.0f) / extent - 1.0f;
    float t = (2.0f * static_cast<float>(row) + 1.0f) / extent - 1.0f;
    float& over = is_inside(column) ? t : s;
    const float ahead = 2.0f - std::fabs(over);
    over = std::copysign(1.0f, over);
    const float directions[6][3] = {{ahead, -t, -s}, {-ahead, -t, s}, {s, ahead, t},
                                    {s, -ahead, -t}, {s, -t, ahead},  {-s, -t, -ahead}};
    float x = directions[face][0], y = directions[face][1];
    index[2] += face_of(x, y, directions[face][2]) - face;
    index[0] = std::clamp(floor_of(x * extent), 0, size - 1);
    index[1] = std::clamp(floor_of(y * extent), 0, size - 1);
  }
  return sampler.texel(*place.level, index);
}

/// The mean of 4 texels across the edges of a cube's faces. At a corner there are three: the mean
/// of them stands for the fourth.
TexelFloats fetch_seamless(const Sampler& sampler, const LevelPlace& place) {
  const int size = place.axes[0].size;
  int weights[2] = {};
  const int left[2] = {place.axes[0].left(weights[0]), place.axes[1].left(weights[1])};
  TexelFloats sum = {}, present = {};
  float absent = 0;
  for (int corner = 0; corner < 4; ++corner) {
    const int x = left[0] + (corner & 1), y = left[1] + (corner >> 1);
    const float weight = static_cast<float>(((corner & 1) != 0 ? weights[0] : 256 - weights[0]) *
                                            ((corner >> 1) != 0 ? weights[1] : 256 - weights[1])) *
                         0x1p-16f;
    if ((x < 0 || x >= size) && (y < 0 || y >= size)) {
      absent = weight;
      continue;
    }
    const TexelFloats texel = sampler.floats(cube_texel(sampler, place, x, y));
    present += texel;
    if (weight != 0.0f) sum += weight * texel;
  }
  return absent == 0.0f ? sum : sum + absent / 3.0f * present;
}

/// What a fetch asks for, apart from the level.
struct Fetch {
  const __treadle_texture& texture;
  unsigned kind;  ///< __treadle_fetch
  float x, y, z;
  int slice;

  LevelPlace in(int level) const {
    LevelPlace place{.level = &texture.levels[level], .dimensions = kind & 3u, .slice = slice};
    const bool is_normalized = texture.is_normalized != 0 || (kind & __treadle_fetch_cubemap) != 0;
    const int sizes[] = {place.level->width, place.level->height, place.level->depth};
    const int largest[] = {texture.base.width, texture.base.height, texture.base.depth};
    const float coordinates[] = {x, y, z};
    for (unsigned i = 0; i < place.dimensions; ++i) {
      Axis& axis = place.axes[i];
      axis.mode = texture.address[i];
      axis.size = sizes[i];
      const auto extent = static_cast<float>(sizes[i]);
      float u = coordinates[i];
      if (axis.mode == CU_TR_ADDRESS_MODE_WRAP) u = fraction_of(u);
      if (axis.mode == CU_TR_ADDRESS_MODE_MIRROR) {
        const float twice = 2.0f * fraction_of(0.5f * u);
        axis.is_reversed = twice >= 1.0f;
        u = axis.is_reversed ? twice - 1.0f : twice;
      }
      if (is_normalized)
        u *= extent;
      else if (level != 0)
        u *= extent / static_cast<float>(largest[i]);
      axis.position = u > -1.0f ? (u < extent + 1.0f ? u : extent + 1.0f) : -1.0f;
    }
    const bool is_line = (kind & 3u) == 1 && (kind & __treadle_fetch_layered) == 0;
    if (is_line && texture.is_linear != 0 && texture.address[1] == CU_TR_ADDRESS_MODE_BORDER) {
      // A row at y = 0, half of which is the border's.
      place.dimensions = 2;
      place.axes[1].mode = CU_TR_ADDRESS_MODE_BORDER;
    }
    return place;
  }
};

TexelWords sample_level(const Sampler& sampler, const Fetch& fetch, int level) {
  const LevelPlace place = fetch.in(level);
  if ((fetch.kind & __treadle_fetch_gather) != 0)
    return gather(sampler, place, fetch.kind >> 6 & 3);
  if (fetch.texture.is_linear == 0) return fetch_nearest(sampler, place);
  if ((fetch.kind & __treadle_fetch_cubemap) != 0 && fetch.texture.is_seamless != 0)
    return sampler.result(fetch_seamless(sampler, place));
  return sampler.result(fetch_linear(sampler, place));
}

TexelWords sample_levels(const Sampler& sampler, const Fetch& fetch, float level) {
  const __treadle_texture& texture = fetch.texture;
  const auto last = static_cast<float>(texture.level_count - 1);
  level = std::max(level + texture.level_bias, texture.least_level);
  level = std::min({level, std::max(texture.most_level, texture.least_level), last});
  level = level > 0.0f ? level : 0.0f;
  if (texture.is_linear_between_levels == 0 || texture.reads_floats == 0)
    return sample_level(sampler, fetch, static_cast<int>(level + 0.5f));
  const int fixed = static_cast<int>(level * 256.0f + 0.5f);
  const int lower = fixed >> 8, weight = fixed & 255;
  const TexelWords words = sample_level(sampler, fetch, lower);
  if (weight == 0) return words;
  const auto below = __builtin_bit_cast(TexelFloats, words);
  const auto above = __builtin_bit_cast(TexelFloats, sample_level(sampler, fetch, lower + 1));
  const float share = static_cast<float>(weight) * 0x1p-8f;
  return __builtin_bit_cast(TexelWords, (1.0f - share) * below + share * above);
}

}  // namespace

// over 6 parameters because they travel in registers
TexelWords sample_texture(const __treadle_texture* texture, unsigned kind, float x, float y,
                          float z, int layer, float level) {
  const Sampler sampler(*texture);
  const __treadle_texels& base = texture->base;
  if ((kind & __treadle_fetch_index) != 0) {
    if (layer < 0 || layer >= base.width) return TexelWords{};
    const int index[3] = {layer, 0, 0};
    return sampler.words(sampler.texel(base, index));
  }
  Fetch fetch{*texture, kind, x, y, z, 0};
  const bool layered = (kind & __treadle_fetch_layered) != 0;
  const auto clamped = [layer](int count) {
    return static_cast<int>(
        std::min(static_cast<unsigned>(layer), static_cast<unsigned>(count) - 1));
  };
  if ((kind & __treadle_fetch_cubemap) != 0) {
    const int face = face_of(fetch.x, fetch.y, z);
    const int cubes = std::max(base.depth / 6, 1);
    fetch.slice = (layered ? clamped(cubes) * 6 : 0) + face;
  } else if (layered) {
    fetch.slice = clamped(base.depth);
  }
  if (texture->level_count > 1) return sample_levels(sampler, fetch, level);
  return sample_level(sampler, fetch, 0);
}

}  // namespace treadle::cuda_cpu

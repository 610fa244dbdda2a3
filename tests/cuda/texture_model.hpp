// SPDX-License-Identifier: MIT
// What a texture fetch gives, written from the appendix on texture fetching of CUDA's programming
// guide and, where it leaves something open, from what an H200 gave; in double precision. And how
// the tests make arrays and texture objects.
#pragma once

#include <cuda.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "treadle/cuda/context.hpp"
#include "treadle/cuda/table.hpp"

namespace treadle::cuda::test {

/// A number of a text of a test failing is of no use: the call is said.
#define ASSERT_DRIVER(call) ASSERT_EQ(static_cast<int>(call), 0) << #call
#define EXPECT_DRIVER(call) EXPECT_EQ(static_cast<int>(call), 0) << #call

struct Format {
  CUarray_format format;
  unsigned bytes;  ///< of a channel
  const char* type;
  bool is_float = false;
};
inline constexpr Format every_format[] = {
    {CU_AD_FORMAT_UNSIGNED_INT8, 1, "uchar"},   {CU_AD_FORMAT_SIGNED_INT8, 1, "char"},
    {CU_AD_FORMAT_UNSIGNED_INT16, 2, "ushort"}, {CU_AD_FORMAT_SIGNED_INT16, 2, "short"},
    {CU_AD_FORMAT_UNSIGNED_INT32, 4, "uint"},   {CU_AD_FORMAT_SIGNED_INT32, 4, "int"},
    {CU_AD_FORMAT_HALF, 2, "half", true},       {CU_AD_FORMAT_FLOAT, 4, "float", true}};

enum class Shape { line, plane, space, line_layers, plane_layers, cubemap, cubemap_layers };
inline constexpr Shape every_shape[] = {Shape::line,          Shape::plane,        Shape::space,
                                        Shape::line_layers,   Shape::plane_layers, Shape::cubemap,
                                        Shape::cubemap_layers};
inline unsigned dimensions(Shape shape) {
  if (shape == Shape::space) return 3;
  return shape == Shape::line || shape == Shape::line_layers ? 1 : 2;
}
inline bool is_cube(Shape shape) { return shape >= Shape::cubemap; }

/// Small powers of two, so that normalised coordinates are exact.
inline CUDA_ARRAY3D_DESCRIPTOR descriptor(Shape shape, const Format& format, unsigned channels) {
  switch (shape) {
    case Shape::line:
      return {8, 0, 0, format.format, channels, 0};
    case Shape::plane:
      return {8, 4, 0, format.format, channels, 0};
    case Shape::space:
      return {8, 4, 2, format.format, channels, 0};
    case Shape::line_layers:
      return {8, 0, 3, format.format, channels, CUDA_ARRAY3D_LAYERED};
    case Shape::plane_layers:
      return {8, 4, 3, format.format, channels, CUDA_ARRAY3D_LAYERED};
    case Shape::cubemap:
      return {4, 4, 6, format.format, channels, CUDA_ARRAY3D_CUBEMAP};
    default:
      return {4, 4, 12, format.format, channels, CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_LAYERED};
  }
}

/// The texels of a test, as numbers and as bytes.
struct Texels {
  Format format;
  unsigned channels;
  int width, height, depth;
  std::vector<double> values;  ///< as stored: integers, or floats

  Texels(const CUDA_ARRAY3D_DESCRIPTOR& d, const Format& of)
      : format(of),
        channels(d.NumChannels),
        width(static_cast<int>(d.Width)),
        height(std::max(static_cast<int>(d.Height), 1)),
        depth(std::max(static_cast<int>(d.Depth), 1)) {
    const auto count = static_cast<std::size_t>(width * height * depth) * channels;
    for (std::size_t i = 0; i < count; ++i) values.push_back(pattern(i));
  }
  /// Integers from all of their range; floats whose weighted means are exact.
  double pattern(std::size_t i) const {
    if (format.format == CU_AD_FORMAT_HALF) return static_cast<double>(i * 5 % 8);
    if (format.is_float) return static_cast<double>(i * 37 % 199);
    const double range = std::ldexp(1.0, 8 * static_cast<int>(format.bytes));
    const double value = std::fmod(static_cast<double>(i) * 0.3819660112501051 * range, range);
    return std::floor(value) - (is_signed() ? range / 2 : 0);
  }
  bool is_signed() const {
    return format.format >= CU_AD_FORMAT_SIGNED_INT8 && format.format <= CU_AD_FORMAT_SIGNED_INT32;
  }

  std::vector<std::byte> bytes() const {
    std::vector<std::byte> result(values.size() * format.bytes);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (format.format == CU_AD_FORMAT_FLOAT) {
        const auto value = static_cast<float>(values[i]);
        std::memcpy(&result[4 * i], &value, 4);
      } else {
        const auto value = format.is_float ? half(values[i]) : static_cast<long long>(values[i]);
        std::memcpy(&result[format.bytes * i], &value, format.bytes);
      }
    }
    return result;
  }
  /// Of small integers.
  static long long half(double value) {
    if (value == 0) return 0;
    const int exponent = std::ilogb(value);
    return (exponent + 15) << 10 | static_cast<long long>(std::ldexp(value, 10 - exponent)) % 1024;
  }
  /// As it is stored, or from 0 or -1 to 1; outside of the array the border.
  double value(int x, int y, int z, unsigned channel, bool is_normalized, double border) const {
    if (x < 0 || y < 0 || z < 0) return border;
    const auto texel = static_cast<std::size_t>((z * height + y) * width + x);
    const double stored = values[texel * channels + channel];
    if (!is_normalized || format.is_float) return stored;
    const int bits = 8 * static_cast<int>(format.bytes) - (is_signed() ? 1 : 0);
    return stored / (std::ldexp(1.0, bits) - 1);  // the lowest is below -1: a filter's sum is not
  }
};

/// One texel along one axis, and what it counts.
struct Part {
  int index;  ///< -1: outside
  double weight;
};

/// The texels that a coordinate means.
inline std::vector<Part> parts(double x, int size, CUaddress_mode mode, bool is_normalized,
                               bool is_linear) {
  bool is_odd = false;
  if (is_normalized) {
    if (mode == CU_TR_ADDRESS_MODE_MIRROR) is_odd = std::fmod(std::fabs(std::floor(x)), 2.0) == 1.0;
    if (mode == CU_TR_ADDRESS_MODE_WRAP || mode == CU_TR_ADDRESS_MODE_MIRROR) x -= std::floor(x);
    x *= size;
  }
  const auto inside = [&](double index) {
    auto i = static_cast<int>(std::clamp(index, -10000.0, 10000.0));
    if (is_odd) i = size - 1 - i;
    switch (mode) {
      case CU_TR_ADDRESS_MODE_BORDER:
        return i < 0 || i >= size ? -1 : i;
      case CU_TR_ADDRESS_MODE_WRAP:
        return (i % size + size) % size;
      default:
        return std::clamp(i, 0, size - 1);
    }
  };
  if (!is_linear) return {{inside(std::floor(x)), 1.0}};
  // Behind the last centre there is no second texel.
  if (mode == CU_TR_ADDRESS_MODE_CLAMP) x = std::clamp(x, 0.5, size - 0.5);
  const double left = std::floor(x - 0.5);
  const double weight = std::floor((x - 0.5 - left) * 256 + 0.5) / 256;
  return {{inside(left), 1 - weight}, {inside(left + 1), weight}};
}

/// What a column of texels counts of a plane: the right one is rounded to 1/256, the left one is
/// the rest.
inline double rounded_share(double plane, const Part& x, const std::vector<Part>& columns) {
  const double right = std::floor(plane * columns.back().weight * 256 + 0.5) / 256;
  if (columns.size() == 1) return plane;
  return &x == &columns.back() ? right : plane - right;
}

/// How a texture is read.
struct Settings {
  CUaddress_mode address = CU_TR_ADDRESS_MODE_CLAMP;
  CUfilter_mode filter = CU_TR_FILTER_MODE_POINT;
  unsigned flags = 0;
  float border = 0;

  bool is_normalized() const { return (flags & CU_TRSF_NORMALIZED_COORDINATES) != 0; }
  bool is_linear() const { return filter == CU_TR_FILTER_MODE_LINEAR; }
  bool reads_integers() const { return (flags & CU_TRSF_READ_AS_INTEGER) != 0; }
  CUDA_TEXTURE_DESC description() const {
    CUDA_TEXTURE_DESC description{};
    std::fill_n(description.addressMode, 3, address);
    description.filterMode = filter;
    description.flags = flags;
    std::fill_n(description.borderColor, 4, border);
    return description;
  }
};

/// A fetch in the units of texels; of a cubemap on one face.
struct Place {
  double x, y, z;
  int layer = 0;  ///< the layer, or six times that and the face
};

inline double expected(const Texels& texels, Shape shape, const Settings& settings,
                       const Place& place, unsigned channel) {
  const auto along = [&](double coordinate, int size) {
    const bool is_normalized = settings.is_normalized() && !is_cube(shape);
    return parts(is_normalized ? coordinate / size : coordinate, size, settings.address,
                 is_normalized, settings.is_linear());
  };
  // A line is a row of a plane at y = 0.
  const bool is_beside_border =
      shape == Shape::line && settings.is_linear() && settings.address == CU_TR_ADDRESS_MODE_BORDER;
  const std::vector<Part> one = {{0, 1.0}};
  const auto xs = along(place.x, texels.width);
  const auto ys = dimensions(shape) > 1 ? along(place.y, texels.height)
                  : is_beside_border    ? std::vector<Part>{{-1, 0.5}, {0, 0.5}}
                                        : one;
  const bool is_layer = place.layer >= 0 && place.layer < texels.depth;
  const auto zs = dimensions(shape) > 2
                      ? along(place.z, texels.depth)
                      : std::vector<Part>{{is_layer ? place.layer : texels.depth - 1, 1.0}};
  double sum = 0;
  for (const Part& z : zs)
    for (const Part& x : xs) {
      const double column = rounded_share(z.weight, x, xs);
      for (const Part& y : ys) {
        // The first of the left column is rounded, and the last of the right one.
        const Part& rounded = &x == &xs.front() ? ys.front() : ys.back();
        const double share = std::floor(column * rounded.weight * 256 + 0.5) / 256;
        sum += (ys.size() == 1   ? column
                : &y == &rounded ? share
                                 : column - share) *
               texels.value(x.index, y.index, z.index, channel, !settings.reads_integers(),
                            settings.border);
      }
    }
  const bool is_fraction = !settings.reads_integers() && !texels.format.is_float;
  return is_fraction ? std::max(sum, -1.0) : sum;
}

/// From a place on a face of a cube to the direction that meets it.
inline std::array<float, 3> direction(const Place& place, int size) {
  const auto s = static_cast<float>(2 * place.x / size - 1);
  const auto t = static_cast<float>(2 * place.y / size - 1);
  switch (place.layer % 6) {
    case 0:
      return {1, -t, -s};
    case 1:
      return {-1, -t, s};
    case 2:
      return {s, 1, t};
    case 3:
      return {s, -1, -t};
    case 4:
      return {s, -t, 1};
    default:
      return {-s, -t, -1};
  }
}

/// An array of the driver's, filled, that goes with its scope.
class FilledArray {
 public:
  FilledArray(const Table& driver, const CUDA_ARRAY3D_DESCRIPTOR& described,
              const std::vector<std::byte>& bytes)
      : driver_(driver) {
    CUDA_ARRAY3D_DESCRIPTOR copied = described;
    EXPECT_DRIVER(driver.cuArray3DCreate(&array_, &copied));
    CUDA_MEMCPY3D copy{};
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = bytes.data();
    copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.dstArray = array_;
    copy.Height = std::max<std::size_t>(described.Height, 1);
    copy.Depth = std::max<std::size_t>(described.Depth, 1);
    copy.WidthInBytes = bytes.size() / copy.Height / copy.Depth;
    copy.srcPitch = copy.WidthInBytes;
    copy.srcHeight = copy.Height;
    EXPECT_DRIVER(driver.cuMemcpy3D(&copy));
  }
  FilledArray(const FilledArray&) = delete;
  FilledArray& operator=(const FilledArray&) = delete;
  ~FilledArray() { driver_.cuArrayDestroy(array_); }
  CUarray raw() const { return array_; }

 private:
  const Table& driver_;
  CUarray array_ = nullptr;
};

inline CUDA_RESOURCE_DESC resource_of(CUarray array) {
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_ARRAY;
  resource.res.array.hArray = array;
  return resource;
}

class TextureObject {
 public:
  TextureObject(const Table& driver, const CUDA_RESOURCE_DESC& resource,
                const CUDA_TEXTURE_DESC& description)
      : driver_(driver) {
    EXPECT_DRIVER(driver.cuTexObjectCreate(&object_, &resource, &description, nullptr));
  }
  TextureObject(const TextureObject&) = delete;
  TextureObject& operator=(const TextureObject&) = delete;
  ~TextureObject() { driver_.cuTexObjectDestroy(object_); }
  CUtexObject raw() const { return object_; }

 private:
  const Table& driver_;
  CUtexObject object_ = 0;
};

}  // namespace treadle::cuda::test

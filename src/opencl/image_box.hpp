// SPDX-License-Identifier: MIT
// Boxes of pixels, and where they lie in memory of the host.
#pragma once

#include <array>
#include <cstring>

#include "treadle/opencl/image_transfer.hpp"
#include "treadle/opencl/table.hpp"

namespace treadle::opencl {

using Extent = std::array<std::size_t, 3>;

/// Columns, rows and slices, as commands count them.
inline Extent extent_of(const ImageDescriptor& image) {
  using enum MemObjectType;
  switch (image.type) {
    case image2d:
      return {image.width, image.height, 1};
    case image3d:
      return {image.width, image.height, image.depth};
    case image1d_array:
      return {image.width, image.array_size, 1};
    case image2d_array:
      return {image.width, image.height, image.array_size};
    default:
      return {image.width, 1, 1};
  }
}

/// Pitches with nothing left to be guessed. Of an array of 1-D images the standard calls the
/// distance between images the slice's; here it is the row's, too.
inline HostPitches place_pitches(MemObjectType type, const Extent& size, const HostPitches& given,
                                 std::size_t pixel_bytes) {
  HostPitches pitches = given;
  if (pitches.row == 0) pitches.row = size[0] * pixel_bytes;
  if (type == MemObjectType::image1d_array) {
    if (given.slice != 0) pitches.row = given.slice;
    pitches.slice = pitches.row;
    return pitches;
  }
  if (pitches.slice == 0) pitches.slice = pitches.row * size[1];
  return pitches;
}

/// Bytes from the first to the last pixel of a box.
inline std::size_t box_bytes(const Extent& size, const HostPitches& pitches,
                             std::size_t pixel_bytes) {
  return (size[2] - 1) * pitches.slice + (size[1] - 1) * pitches.row + size[0] * pixel_bytes;
}

/// The structure that an answer of bytes is.
template <class T>
T value_of(const Bytes& bytes) {
  T value{};
  std::memcpy(&value, bytes.data(), std::min(bytes.size(), sizeof value));
  return value;
}

}  // namespace treadle::opencl

// SPDX-License-Identifier: MIT
// Commands on images: read, write, copy, fill and map. All start after everything before them in an
// in-order queue and after `order.after`. Regions and host ranges are checked before the platform
// is asked: DeviceError CL_INVALID_VALUE for pixels that the image does not have, InvalidArgument
// for a host range that is too short.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <variant>

#include "treadle/opencl/image.hpp"
#include "treadle/opencl/transfer.hpp"

namespace treadle::opencl {

/// How far rows and slices of pixels are apart in memory of the host.
struct HostPitches {
  std::size_t row = 0;    ///< bytes; 0: rows are adjacent
  std::size_t slice = 0;  ///< bytes; 0: slices are adjacent
};

/// Copies pixels to `to`. Without blocking, `from` must live until the event is done.
Event write_image(const Queue& queue, const Image& to, ConstHostRange from,
                  const ImageRegion& region = {}, const HostPitches& pitches = {},
                  const Order& order = {}, Blocking blocking = Blocking::yes);
/// Fills `to` with pixels of `from`; otherwise like write_image.
Event read_image(const Queue& queue, const Image& from, HostRange to,
                 const ImageRegion& region = {}, const HostPitches& pitches = {},
                 const Order& order = {}, Blocking blocking = Blocking::yes);

/// Copies `region` of `from` to where `to_origin` is in `to`, an image of the same format; throws
/// DeviceError CL_IMAGE_FORMAT_MISMATCH for another, and CL_MEM_COPY_OVERLAP for regions of one
/// image that overlap.
Event copy_image(const Queue& queue, const Image& from, const Image& to,
                 const ImageRegion& region = {}, const std::array<std::size_t, 3>& to_origin = {},
                 const Order& order = {});
/// Copies pixels to a buffer, without gaps, from `to_offset` on.
Event copy_image_to_buffer(const Queue& queue, const Image& from, const MemoryObject& to,
                           const ImageRegion& region = {}, std::size_t to_offset = 0,
                           const Order& order = {});
/// Copies pixels that lie in a buffer without gaps from `from_offset` on.
Event copy_buffer_to_image(const Queue& queue, const MemoryObject& from, const Image& to,
                           const ImageRegion& region = {}, std::size_t from_offset = 0,
                           const Order& order = {});

/// A colour for fill_image: floats for channels of floats and of normalised numbers, integers for
/// integer channels. Always four, in the order red, green, blue, alpha.
using PixelColor =
    std::variant<std::array<float, 4>, std::array<std::int32_t, 4>, std::array<std::uint32_t, 4>>;
/// Gives every pixel of the region a colour. Throws InvalidArgument for a colour of another kind
/// than the image's channels are.
Event fill_image(const Queue& queue, const Image& to, const PixelColor& color,
                 const ImageRegion& region = {}, const Order& order = {});
/// Which of PixelColor's alternatives the channels of a format take: 0 to 2.
std::size_t color_alternative(const ImageFormat& format) noexcept;

/// Pixels that the host may use. Unmapped by the destructor, which does not wait.
class ImageMapping : public Mapping {
 public:
  /// Bytes from one row of the region to the next.
  std::size_t row_pitch() const noexcept { return row_pitch_; }
  /// Bytes from one slice to the next; 0 of an image that has one.
  std::size_t slice_pitch() const noexcept { return slice_pitch_; }

 private:
  friend ImageMapping map_image(const Queue&, const Image&, MapFlags, const ImageRegion&,
                                const Order&, Blocking);
  using Mapping::Mapping;
  std::size_t row_pitch_ = 0, slice_pitch_ = 0;
};
/// Makes pixels readable (MapFlags::read) or writable (write, or write_invalidate_region) for the
/// host.
ImageMapping map_image(const Queue& queue, const Image& image, MapFlags flags,
                       const ImageRegion& region = {}, const Order& order = {},
                       Blocking blocking = Blocking::yes);

}  // namespace treadle::opencl

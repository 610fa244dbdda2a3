// SPDX-License-Identifier: MIT
// Images: memory that kernels read through samplers, of one to three dimensions, single or in
// arrays. image_transfer.hpp has the commands that copy, fill and map them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "treadle/opencl/kernel.hpp"
#include "treadle/opencl/memory.hpp"

namespace treadle::opencl {

/// How a pixel is stored: which channels, in which order, of which type.
struct ImageFormat {
  ChannelOrder order = ChannelOrder::rgba;     ///< which channels there are, in memory's order
  ChannelType type = ChannelType::unorm_int8;  ///< of each channel, or of the packed pixel

  /// 1 to 4. Throws InvalidArgument for an order that the standard does not know.
  unsigned channel_count() const;
  /// Bytes of one channel; of the whole pixel where its channels are packed. Throws
  /// InvalidArgument for a type that the standard does not know.
  std::size_t channel_bytes() const;
  /// Bytes from one pixel to the next. Throws as the two above.
  std::size_t pixel_bytes() const;
  /// "RGBA, UNORM_INT8"; numbers for what has no name.
  std::string text() const;
  bool operator==(const ImageFormat&) const = default;
};

/// What an image is made as. Sizes that the type does not have stay 0.
struct ImageDescriptor {
  MemObjectType type = MemObjectType::image2d;   ///< image1d to image3d, the arrays, image1d_buffer
  std::size_t width = 0, height = 0, depth = 0;  ///< pixels
  std::size_t array_size = 0;                    ///< images of an array
  std::size_t row_pitch = 0, slice_pitch = 0;    ///< bytes, of the host's memory; 0: no gaps
  unsigned mip_levels = 0, samples = 0;          ///< 0 without extensions
  std::optional<MemoryObject> memory = {};       ///< of image1d_buffer, or a 2-D image in a buffer

  /// A single image of one to three dimensions, or with `array_size` an array of images of one or
  /// two. Throws InvalidArgument for others.
  static ImageDescriptor of(std::span<const std::size_t> sizes, std::size_t array_size = 0);
};

/// Which pixels a command touches: columns, rows, slices. The images of an array are rows of one
/// of 1-D images, and slices of one of 2-D images.
struct ImageRegion {
  std::array<std::size_t, 3> origin = {};  ///< the first pixel
  std::array<std::size_t, 3> size = {};    ///< pixels; all 0: from the origin to the end
};

/// Pixels of a context. Copies are the same image. Any thread.
class Image : public MemoryObject, public Queries<Image, ImageInfo> {
 public:
  Image() = default;
  /// `host` is copied with MemFlags::copy_host_ptr; with MemFlags::use_host_ptr it is the memory
  /// itself and must live as long. Throws, before the platform is asked, DeviceError
  /// CL_IMAGE_FORMAT_NOT_SUPPORTED for formats and CL_INVALID_IMAGE_SIZE for sizes that the
  /// context's devices do not have, CL_INVALID_IMAGE_DESCRIPTOR for pitches and memory that do not
  /// fit the sizes, CL_INVALID_OPERATION where no device has images; InvalidArgument for a host
  /// range that is too short. OutOfMemory.
  Image(const Context& context, const ImageFormat& format, const ImageDescriptor& descriptor,
        MemFlags flags = MemFlags::read_write, std::span<std::byte> host = {});
  /// The same with pairs of name and value as clCreateImageWithProperties takes them; the 0 at the
  /// end is added. Needs OpenCL 3.0.
  static Image with_properties(const Context& context, std::span<const std::uint64_t> properties,
                               const ImageFormat& format, const ImageDescriptor& descriptor,
                               MemFlags flags = MemFlags::read_write,
                               std::span<std::byte> host = {});
  /// Wraps an image of another library.
  Image(std::shared_ptr<const Table> table, RawMemory raw, Ownership ownership);

  using MemoryObject::info;
  using Queries<MemoryObject, MemInfo>::get;
  using Queries<Image, ImageInfo>::get;
  /// Throws DeviceError CL_INVALID_VALUE for parameters the platform does not know.
  InfoValue info(ImageInfo parameter) const;
  /// As it was made.
  const ImageFormat& format() const noexcept { return format_; }
  /// image1d to image3d, image1d_array, image2d_array or image1d_buffer.
  MemObjectType type() const noexcept { return type_; }
  /// Columns, rows and slices as commands count them; 1 where the type has none.
  const std::array<std::size_t, 3>& extent() const noexcept { return extent_; }

 private:
  Image(const Context& context, Handle<RawMemory> handle, const ImageFormat& format,
        const ImageDescriptor& descriptor);

  ImageFormat format_;
  MemObjectType type_ = MemObjectType::image2d;
  std::array<std::size_t, 3> extent_ = {};
};

/// The formats that images of `type` with these flags may have in a context. Empty where no device
/// has images.
std::vector<ImageFormat> supported_image_formats(const Context& context,
                                                 MemFlags flags = MemFlags::read_write,
                                                 MemObjectType type = MemObjectType::image2d);

/// The image. Throws InvalidState if it was released.
template <>
struct KernelArgument<Image> {
  static ArgumentView of(const Image& image) {
    return argument_of(image, ArgumentView::Kind::image);
  }
};

}  // namespace treadle::opencl

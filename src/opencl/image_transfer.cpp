// SPDX-License-Identifier: MIT
#include "treadle/opencl/image_transfer.hpp"

#include <algorithm>
#include <string>

#include "opencl/image_box.hpp"
#include "opencl/ordering.hpp"
#include "treadle/opencl/allocation.hpp"

namespace treadle::opencl {
namespace {

cl_bool blocking_bit(Blocking blocking) { return blocking == Blocking::yes ? CL_TRUE : CL_FALSE; }

std::string triple(const Extent& values) {
  std::string text;
  for (const std::size_t value : values)
    text += (text.empty() ? "(" : ", ") + std::to_string(value);
  return text + ")";
}

/// The region with its sizes, which the image has.
ImageRegion checked_region(const Image& image, const ImageRegion& given, const char* call) {
  ImageRegion region = given;
  const Extent& extent = image.extent();
  const bool is_rest = std::ranges::count(region.size, std::size_t{0}) == 3;
  for (std::size_t i = 0; i < 3; ++i) {
    if (is_rest && region.origin[i] < extent[i]) region.size[i] = extent[i] - region.origin[i];
    if (region.size[i] > 0 && region.origin[i] < extent[i] &&
        region.size[i] <= extent[i] - region.origin[i])
      continue;
    raise(image.table(), CL_INVALID_VALUE, call,
          "a region of " + triple(region.size) + " pixels from " + triple(region.origin) +
              " on is not in an image of " + triple(extent),
          "count columns, rows and slices, each size from 1; images of an array are slices, of 1-D "
          "images rows");
  }
  return region;
}

/// Where the region lies in the host's memory, which is large enough.
HostPitches checked_pitches(const Image& image, const ImageRegion& region, const HostPitches& given,
                            std::size_t host_bytes) {
  const std::size_t pixel = image.format().pixel_bytes();
  const HostPitches pitches = place_pitches(image.type(), region.size, given, pixel);
  const bool is_layered = image.type() == MemObjectType::image1d_array;
  if (pitches.row < region.size[0] * pixel ||
      (!is_layered && pitches.slice < pitches.row * region.size[1]))
    throw InvalidArgument("pitches of " + std::to_string(pitches.row) + " and " +
                              std::to_string(pitches.slice) + " bytes are less than a row of " +
                              std::to_string(region.size[0] * pixel) + " bytes and a slice of " +
                              std::to_string(region.size[1]) + " rows",
                          "pass 0 for memory without gaps");
  if (const std::size_t needed = box_bytes(region.size, pitches, pixel); needed > host_bytes)
    throw InvalidArgument(triple(region.size) + " pixels of " + image.format().text() + " need " +
                              std::to_string(needed) + " bytes of the host, which has " +
                              std::to_string(host_bytes),
                          "check the array's dtype and shape, region and pitches");
  return pitches;
}

/// What the platform is to be told: it takes a slice's pitch of images with slices only.
std::size_t slice_argument(const Image& image, const HostPitches& pitches) {
  using enum MemObjectType;
  const bool has_slices =
      image.type() == image3d || image.type() == image2d_array || image.type() == image1d_array;
  return has_slices ? pitches.slice : 0;
}

void check_buffer_fits(const Image& image, const ImageRegion& region, const MemoryObject& buffer,
                       std::size_t offset, const char* call) {
  const std::size_t bytes =
      region.size[0] * region.size[1] * region.size[2] * image.format().pixel_bytes();
  if (offset <= buffer.size_bytes() && bytes <= buffer.size_bytes() - offset) return;
  raise(image.table(), CL_INVALID_VALUE, call,
        triple(region.size) + " pixels are " + std::to_string(bytes) + " bytes, which from byte " +
            std::to_string(offset) + " on do not fit a buffer of " +
            std::to_string(buffer.size_bytes()));
}

bool overlap(const ImageRegion& from, const Extent& to) {
  for (std::size_t i = 0; i < 3; ++i)
    if (from.origin[i] + from.size[i] <= to[i] || to[i] + from.size[i] <= from.origin[i])
      return false;
  return true;
}

std::string describe_image(const Image& image, const ImageRegion& region) {
  return triple(region.size) + " pixels from " + triple(region.origin) + " on of an image of " +
         triple(image.extent()) + ", " + image.format().text();
}

constexpr const char* kind_names[] = {"floats", "signed integers", "unsigned integers"};

}  // namespace

// over 6 parameters because they are the entry point's
Event write_image(const Queue& queue, const Image& to, ConstHostRange from,
                  const ImageRegion& region, const HostPitches& pitches, const Order& order,
                  Blocking blocking) {
  constexpr const char* call = "clEnqueueWriteImage";
  const ImageRegion box = checked_region(to, region, call);
  const HostPitches place = checked_pitches(to, box, pitches, from.bytes().size());
  const Table& cl = queue.table();
  Ordering o(order);
  check_allocated(
      cl, call,
      [&] {
        return cl.clEnqueueWriteImage(queue.raw(), to.raw(), blocking_bit(blocking),
                                      box.origin.data(), box.size.data(), place.row,
                                      slice_argument(to, place), from.bytes().data(), o.count(),
                                      o.list(), o.event());
      },
      [&] { return describe_image(to, box); });
  return o.take(queue);
}

// over 6 parameters because they are the entry point's
Event read_image(const Queue& queue, const Image& from, HostRange to, const ImageRegion& region,
                 const HostPitches& pitches, const Order& order, Blocking blocking) {
  constexpr const char* call = "clEnqueueReadImage";
  const ImageRegion box = checked_region(from, region, call);
  const HostPitches place = checked_pitches(from, box, pitches, to.bytes().size());
  const Table& cl = queue.table();
  Ordering o(order);
  check_allocated(
      cl, call,
      [&] {
        return cl.clEnqueueReadImage(queue.raw(), from.raw(), blocking_bit(blocking),
                                     box.origin.data(), box.size.data(), place.row,
                                     slice_argument(from, place), to.bytes().data(), o.count(),
                                     o.list(), o.event());
      },
      [&] { return describe_image(from, box); });
  return o.take(queue);
}

Event copy_image(const Queue& queue, const Image& from, const Image& to, const ImageRegion& region,
                 const Extent& to_origin, const Order& order) {
  constexpr const char* call = "clEnqueueCopyImage";
  const Table& cl = queue.table();
  const ImageRegion box = checked_region(from, region, call);
  checked_region(to, {to_origin, box.size}, call);
  if (from.format() != to.format())
    raise(cl, CL_IMAGE_FORMAT_MISMATCH, call,
          "from " + from.format().text() + " to " + to.format().text(),
          "copy by a kernel that reads one and writes the other");
  if (from == to && overlap(box, to_origin))
    raise(cl, CL_MEM_COPY_OVERLAP, call, describe_image(from, box) + " to " + triple(to_origin));
  Ordering o(order);
  check_allocated(
      cl, call,
      [&] {
        return cl.clEnqueueCopyImage(queue.raw(), from.raw(), to.raw(), box.origin.data(),
                                     to_origin.data(), box.size.data(), o.count(), o.list(),
                                     o.event());
      },
      [&] { return describe_image(from, box); });
  return o.take(queue);
}

Event copy_image_to_buffer(const Queue& queue, const Image& from, const MemoryObject& to,
                           const ImageRegion& region, std::size_t to_offset, const Order& order) {
  constexpr const char* call = "clEnqueueCopyImageToBuffer";
  const ImageRegion box = checked_region(from, region, call);
  check_buffer_fits(from, box, to, to_offset, call);
  const Table& cl = queue.table();
  Ordering o(order);
  check_allocated(
      cl, call,
      [&] {
        return cl.clEnqueueCopyImageToBuffer(queue.raw(), from.raw(), to.raw(), box.origin.data(),
                                             box.size.data(), to_offset, o.count(), o.list(),
                                             o.event());
      },
      [&] { return describe_image(from, box); });
  return o.take(queue);
}

Event copy_buffer_to_image(const Queue& queue, const MemoryObject& from, const Image& to,
                           const ImageRegion& region, std::size_t from_offset, const Order& order) {
  constexpr const char* call = "clEnqueueCopyBufferToImage";
  const ImageRegion box = checked_region(to, region, call);
  check_buffer_fits(to, box, from, from_offset, call);
  const Table& cl = queue.table();
  Ordering o(order);
  check_allocated(
      cl, call,
      [&] {
        return cl.clEnqueueCopyBufferToImage(queue.raw(), from.raw(), to.raw(), from_offset,
                                             box.origin.data(), box.size.data(), o.count(),
                                             o.list(), o.event());
      },
      [&] { return describe_image(to, box); });
  return o.take(queue);
}

Event fill_image(const Queue& queue, const Image& to, const PixelColor& color,
                 const ImageRegion& region, const Order& order) {
  constexpr const char* call = "clEnqueueFillImage";
  const ImageRegion box = checked_region(to, region, call);
  const std::size_t wanted = color_alternative(to.format());
  if (color.index() != wanted)
    throw InvalidArgument(std::string("a colour of ") + kind_names[color.index()] +
                              " for an image of " + to.format().text(),
                          std::string("give four ") + kind_names[wanted]);
  const void* const data =
      std::visit([](const auto& four) -> const void* { return four.data(); }, color);
  const Table& cl = queue.table();
  Ordering o(order);
  check_allocated(
      cl, call,
      [&] {
        return cl.clEnqueueFillImage(queue.raw(), to.raw(), data, box.origin.data(),
                                     box.size.data(), o.count(), o.list(), o.event());
      },
      [&] { return describe_image(to, box); });
  return o.take(queue);
}

ImageMapping map_image(const Queue& queue, const Image& image, MapFlags flags,
                       const ImageRegion& region, const Order& order, Blocking blocking) {
  constexpr const char* call = "clEnqueueMapImage";
  const ImageRegion box = checked_region(image, region, call);
  // Made first: if copying queue or memory fails, nothing is mapped yet.
  ImageMapping mapping(queue, image, 0);
  const Table& cl = queue.table();
  Ordering o(order);
  cl_int code = CL_SUCCESS;
  void* data = nullptr;
  check_allocated(
      cl, call,
      [&] {
        data = cl.clEnqueueMapImage(queue.raw(), image.raw(), blocking_bit(blocking),
                                    static_cast<cl_map_flags>(flags), box.origin.data(),
                                    box.size.data(), &mapping.row_pitch_, &mapping.slice_pitch_,
                                    o.count(), o.list(), o.event(), &code);
        return code;
      },
      [&] { return describe_image(image, box); });
  const std::size_t pixel = image.format().pixel_bytes();
  const HostPitches pitches{mapping.row_pitch_, mapping.slice_pitch_};
  mapping.data_ = data;
  mapping.size_bytes_ =
      box_bytes(box.size, place_pitches(image.type(), box.size, pitches, pixel), pixel);
  mapping.event_ = o.take(queue);
  return mapping;
}

}  // namespace treadle::opencl

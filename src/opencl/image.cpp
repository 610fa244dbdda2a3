// SPDX-License-Identifier: MIT
#include "treadle/opencl/image.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "opencl/image_box.hpp"
#include "opencl/limits.hpp"
#include "opencl/query.hpp"
#include "treadle/opencl/allocation.hpp"

namespace treadle::opencl {
namespace {

constexpr const char* create_call = "clCreateImage";

[[noreturn]] void refuse_image(const Context& context, int code, const std::string& why) {
  raise(context.table(), code, create_call, why);
}

/// One size of a type: its name, its value, and what is the largest.
struct Side {
  const char* name;
  std::size_t size;
  std::uint64_t limit;
};

std::vector<Side> sides_of(const Context& context, const ImageDescriptor& image) {
  using enum DeviceInfo;
  using enum MemObjectType;
  const Side array{"array_size", image.array_size, largest<image_max_array_size>(context)};
  const auto flat = [&] {
    return std::vector<Side>{{"width", image.width, largest<image2d_max_width>(context)},
                             {"height", image.height, largest<image2d_max_height>(context)}};
  };
  switch (image.type) {
    case image1d:
      return {{"width", image.width, largest<image2d_max_width>(context)}};
    case image1d_array:
      return {{"width", image.width, largest<image2d_max_width>(context)}, array};
    case image1d_buffer:
      return {{"width", image.width, largest<image_max_buffer_size>(context)}};
    case image2d:
      return flat();
    case image2d_array: {
      std::vector<Side> sides = flat();
      sides.push_back(array);
      return sides;
    }
    case image3d:
      return {{"width", image.width, largest<image3d_max_width>(context)},
              {"height", image.height, largest<image3d_max_height>(context)},
              {"depth", image.depth, largest<image3d_max_depth>(context)}};
    default:
      refuse_image(
          context, CL_INVALID_IMAGE_DESCRIPTOR,
          "memory of type " + std::to_string(static_cast<int>(image.type)) + " is no image");
  }
}

void check_sizes(const Context& context, const ImageDescriptor& image) {
  for (const Side& side : sides_of(context, image)) {
    if (side.size >= 1 && side.size <= side.limit) continue;
    const bool is_array = side.name == std::string_view("array_size");
    refuse_image(context, is_array ? CL_INVALID_IMAGE_DESCRIPTOR : CL_INVALID_IMAGE_SIZE,
                 std::string("the ") + side.name + " is " + std::to_string(side.size) +
                     "; there it is 1 to " + std::to_string(side.limit));
  }
}

MemFlags access_of(MemFlags flags) {
  const auto bits = static_cast<std::uint64_t>(flags);
  const auto access = bits & (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY);
  return access == 0 ? MemFlags::read_write : static_cast<MemFlags>(access);
}

void check_format(const Context& context, const ImageFormat& format, const ImageDescriptor& image,
                  MemFlags flags) {
  const std::vector<ImageFormat> known =
      supported_image_formats(context, access_of(flags), image.type);
  if (std::ranges::find(known, format) != known.end()) return;
  std::string text = "format " + format.text() + " is none of the " + std::to_string(known.size()) +
                     " that the context has for such images";
  std::string hint = "supported_image_formats() lists them";
  for (const ImageFormat& other : known)  // RGBA is where most programs end
    if (other.type == format.type && other.channel_count() == 4) hint = other.text();
  raise(context.table(), CL_IMAGE_FORMAT_NOT_SUPPORTED, create_call, text, hint);
}

/// Pitches of the host's memory, or of a buffer's.
void check_pitches(const Context& context, const ImageDescriptor& image,
                   const std::array<std::size_t, 3>& extent, std::size_t pixel_bytes) {
  const std::size_t row = image.row_pitch, slice = image.slice_pitch;
  if (row != 0 && (row < extent[0] * pixel_bytes || row % pixel_bytes != 0))
    refuse_image(context, CL_INVALID_IMAGE_DESCRIPTOR,
                 "row_pitch is " + std::to_string(row) + "; rows have " +
                     std::to_string(extent[0] * pixel_bytes) +
                     " bytes or more, in whole pixels of " + std::to_string(pixel_bytes));
  const std::size_t rows = image.type == MemObjectType::image1d_array ? 1 : extent[1];
  const std::size_t least = (row != 0 ? row : extent[0] * pixel_bytes) * rows;
  if (slice != 0 && slice < least)
    refuse_image(context, CL_INVALID_IMAGE_DESCRIPTOR,
                 "slice_pitch is " + std::to_string(slice) + "; slices have " +
                     std::to_string(least) + " bytes or more");
}

void check_memory(const Context& context, const ImageDescriptor& image, std::size_t needed_bytes) {
  const bool needs = image.type == MemObjectType::image1d_buffer;
  if (!image.memory || !*image.memory) {
    if (!needs) return;
    refuse_image(context, CL_INVALID_IMAGE_DESCRIPTOR,
                 "an image of type IMAGE1D_BUFFER needs the buffer whose pixels it has");
  }
  if (!needs && image.type != MemObjectType::image2d)
    refuse_image(context, CL_INVALID_IMAGE_DESCRIPTOR,
                 "only images of types IMAGE1D_BUFFER and IMAGE2D share memory with others");
  if (image.memory->size_bytes() < needed_bytes)
    refuse_image(context, CL_INVALID_IMAGE_DESCRIPTOR,
                 "the image needs " + std::to_string(needed_bytes) + " bytes, its memory has " +
                     std::to_string(image.memory->size_bytes()));
}

void check_host(MemFlags flags, std::span<std::byte> host, std::size_t needed_bytes) {
  const bool uses = has(flags, MemFlags::use_host_ptr) || has(flags, MemFlags::copy_host_ptr);
  if (!uses || host.data() == nullptr || host.size() >= needed_bytes) return;
  throw InvalidArgument("the image needs " + std::to_string(needed_bytes) +
                            " bytes, the host range has " + std::to_string(host.size()),
                        "check sizes, format and pitches");
}

cl_image_desc to_cl(const ImageDescriptor& image, bool with_pitches) {
  cl_image_desc desc{};
  desc.image_type = static_cast<cl_mem_object_type>(image.type);
  desc.image_width = image.width;
  desc.image_height = image.height;
  desc.image_depth = image.depth;
  desc.image_array_size = image.array_size;
  desc.image_row_pitch = with_pitches ? image.row_pitch : 0;
  desc.image_slice_pitch = with_pitches ? image.slice_pitch : 0;
  desc.num_mip_levels = image.mip_levels;
  desc.num_samples = image.samples;
  if (image.memory && *image.memory) desc.mem_object = image.memory->raw();
  return desc;
}

/// Before OpenCL 1.2 there are images of two and three dimensions, each with a call of its own.
RawMemory create_old(const Context& context, const cl_image_format& format,
                     const cl_image_desc& image, MemFlags flags, void* host) {
  const Table& cl = context.table();
  const auto bits = static_cast<cl_mem_flags>(flags);
  cl_int code = CL_SUCCESS;
  RawMemory raw = nullptr;
  if (image.image_type == CL_MEM_OBJECT_IMAGE3D) {
    check_allocated(cl, "clCreateImage3D", [&] {
      raw = cl.clCreateImage3D(context.raw(), bits, &format, image.image_width, image.image_height,
                               image.image_depth, image.image_row_pitch, image.image_slice_pitch,
                               host, &code);
      return code;
    });
  } else if (image.image_type == CL_MEM_OBJECT_IMAGE2D && image.mem_object == nullptr) {
    check_allocated(cl, "clCreateImage2D", [&] {
      raw = cl.clCreateImage2D(context.raw(), bits, &format, image.image_width, image.image_height,
                               image.image_row_pitch, host, &code);
      return code;
    });
  } else {
    raise(cl, absent_entry_point, create_call);
  }
  return raw;
}

/// Pairs of name and value; none: the plain call.
using Properties = std::optional<std::span<const std::uint64_t>>;

// over 6 parameters because they are those of the calls
Handle<RawMemory> create_image(const Context& context, const Properties& properties,
                               const ImageFormat& format, const ImageDescriptor& image,
                               MemFlags flags, std::span<std::byte> host) {
  const Table& cl = context.table();
  if (largest<DeviceInfo::image_support>(context) == 0)
    refuse_image(context, CL_INVALID_OPERATION,
                 context.devices().front().name() + " has no images; use a buffer");
  check_sizes(context, image);
  check_format(context, format, image, flags);
  const auto extent = extent_of(image);
  check_pitches(context, image, extent, format.pixel_bytes());
  const std::size_t needed = box_bytes(
      extent,
      place_pitches(image.type, extent, {image.row_pitch, image.slice_pitch}, format.pixel_bytes()),
      format.pixel_bytes());
  check_memory(context, image, needed);
  check_host(flags, host, needed);
  const cl_image_format pixel{static_cast<cl_channel_order>(format.order),
                              static_cast<cl_channel_type>(format.type)};
  const bool with_pitches = host.data() != nullptr || (image.memory && *image.memory);
  const cl_image_desc desc = to_cl(image, with_pitches);
  if (!properties && !is_present(cl.clCreateImage))
    return {context.shared_table(), create_old(context, pixel, desc, flags, host.data()),
            Ownership::adopt};
  cl_int code = CL_SUCCESS;
  RawMemory raw = nullptr;
  std::vector<cl_mem_properties> list;
  if (properties) {
    list.assign(properties->begin(), properties->end());
    list.push_back(0);
  }
  const char* const call = properties ? "clCreateImageWithProperties" : create_call;
  const auto bits = static_cast<cl_mem_flags>(flags);
  check_allocated(
      cl, call,
      [&] {
        raw = properties ? cl.clCreateImageWithProperties(context.raw(), list.data(), bits, &pixel,
                                                          &desc, host.data(), &code)
                         : cl.clCreateImage(context.raw(), bits, &pixel, &desc, host.data(), &code);
        return code;
      },
      [&] {
        return "an image of " + std::to_string(extent[0]) + " x " + std::to_string(extent[1]) +
               " x " + std::to_string(extent[2]) + " pixels, " + format.text();
      });
  return {context.shared_table(), raw, Ownership::adopt};
}

}  // namespace

ImageDescriptor ImageDescriptor::of(std::span<const std::size_t> sizes, std::size_t array_size) {
  using enum MemObjectType;
  if (sizes.empty() || sizes.size() > 3 || (sizes.size() == 3 && array_size != 0))
    throw InvalidArgument(
        "an image has 1 to 3 sizes, one of an array 1 or 2, not " + std::to_string(sizes.size()),
        "ImageDescriptor::of({{width, height}}, array_size)");
  ImageDescriptor image;
  image.width = sizes[0];
  if (sizes.size() > 1) image.height = sizes[1];
  if (sizes.size() > 2) image.depth = sizes[2];
  image.array_size = array_size;
  const bool is_array = array_size != 0;
  image.type = sizes.size() == 1   ? (is_array ? image1d_array : image1d)
               : sizes.size() == 2 ? (is_array ? image2d_array : image2d)
                                   : image3d;
  return image;
}

Image::Image(const Context& context, const ImageFormat& format, const ImageDescriptor& descriptor,
             MemFlags flags, std::span<std::byte> host)
    : Image(context, create_image(context, std::nullopt, format, descriptor, flags, host), format,
            descriptor) {}

Image::Image(const Context& context, Handle<RawMemory> handle, const ImageFormat& format,
             const ImageDescriptor& descriptor)
    : MemoryObject(context, std::move(handle)),
      format_(format),
      type_(descriptor.type),
      extent_(extent_of(descriptor)) {}

// over 6 parameters because they are those of the call
Image Image::with_properties(const Context& context, std::span<const std::uint64_t> properties,
                             const ImageFormat& format, const ImageDescriptor& descriptor,
                             MemFlags flags, std::span<std::byte> host) {
  return {context, create_image(context, properties, format, descriptor, flags, host), format,
          descriptor};
}

Image::Image(std::shared_ptr<const Table> table, RawMemory raw, Ownership ownership)
    : MemoryObject(std::move(table), raw, ownership) {
  type_ = static_cast<MemObjectType>(get<MemInfo::type>());
  const Bytes bytes = get<ImageInfo::format>();
  const auto pixel = value_of<cl_image_format>(bytes);
  format_ = {static_cast<ChannelOrder>(pixel.image_channel_order),
             static_cast<ChannelType>(pixel.image_channel_data_type)};
  ImageDescriptor image;
  image.type = type_;
  image.width = get<ImageInfo::width>();
  image.height = get<ImageInfo::height>();
  image.depth = get<ImageInfo::depth>();
  if (is_present(this->table().clCreateImage)) image.array_size = get<ImageInfo::array_size>();
  extent_ = extent_of(image);
}

InfoValue Image::info(ImageInfo parameter) const {
  return query_object(table(), "clGetImageInfo", table().clGetImageInfo, raw(), parameter);
}

std::vector<ImageFormat> supported_image_formats(const Context& context, MemFlags flags,
                                                 MemObjectType type) {
  const Table& cl = context.table();
  constexpr const char* call = "clGetSupportedImageFormats";
  const auto ask = [&](cl_uint room, cl_image_format* formats, cl_uint* count) {
    return cl.clGetSupportedImageFormats(context.raw(), static_cast<cl_mem_flags>(flags),
                                         static_cast<cl_mem_object_type>(type), room, formats,
                                         count);
  };
  cl_uint count = 0;
  check(cl, ask(0, nullptr, &count), call);
  std::vector<cl_image_format> raws(count);
  if (count > 0) check(cl, ask(count, raws.data(), nullptr), call);
  std::vector<ImageFormat> formats;
  for (const cl_image_format& raw : raws)
    formats.push_back({static_cast<ChannelOrder>(raw.image_channel_order),
                       static_cast<ChannelType>(raw.image_channel_data_type)});
  return formats;
}

}  // namespace treadle::opencl

// SPDX-License-Identifier: MIT
#include "treadle/cuda/texture.hpp"

#include <string>
#include <utility>

#include "cuda/argument_check.hpp"
#include "cuda/cleanup.hpp"
#include "cuda/texture_view.hpp"

namespace treadle::cuda {
namespace {

[[noreturn]] void refuse_texture(std::string what, std::string hint) {
  throw InvalidArgument("texture: " + std::move(what), std::move(hint));
}

bool holds_integers(ArrayFormat format) {
  return format != ArrayFormat::half && format != ArrayFormat::float32;
}

/// Refuses what does not go with the elements' format.
void check_settings(const TextureSettings& settings, ArrayFormat format, bool is_filtered) {
  const bool integers = holds_integers(format);
  if (settings.normalized_values && integers && format_bytes(format) == 4)
    refuse_texture("normalized_values is set, and the elements are integers of 32 bits",
                   "take integers of 8 or 16 bits, or floats");
  if (is_filtered && settings.filter == FilterMode::linear && integers &&
      !settings.normalized_values)
    refuse_texture("filter is linear, and the elements are read as integers",
                   "set normalized_values, or filter to point");
  if (settings.max_anisotropy > 16)
    refuse_texture("max_anisotropy is " + std::to_string(settings.max_anisotropy) +
                       ", and at most 16 is possible",
                   "set it to 16");
  for (const AddressMode mode : settings.address_modes)
    if (static_cast<int>(mode) < 0 || static_cast<int>(mode) > 3)
      refuse_texture("an address mode is " + std::to_string(static_cast<int>(mode)) +
                         ", and 0 to 3 was expected",
                     "take one of AddressMode");
}

void refuse_unaligned(const Device& device, const char* what, unsigned long long value,
                      DeviceAttribute attribute) {
  const auto alignment = static_cast<unsigned long long>(device.attribute(attribute));
  if (alignment != 0 && value % alignment != 0)
    refuse_texture(std::string(what) + " is " + std::to_string(value) + ", and a multiple of " +
                       std::to_string(alignment) + " was expected",
                   "take memory of DeviceMemory, or of DeviceMemory::pitched for rows");
}

void check_memory(const Context& context, const TextureMemory& memory) {
  const ArrayShape& shape = memory.shape;
  refuse_negative("texture", "width", shape.width);
  refuse_negative("texture", "height", shape.height);
  refuse_null("texture", "address", memory.address, 1);
  if (shape.width == 0) refuse_texture("its memory has no elements", "set a width");
  if (shape.depth != 0)
    refuse_texture("depth is " + std::to_string(shape.depth) + ", and memory has rows at most",
                   "copy the slices into an Array");
  const Device device = context.device();
  refuse_unaligned(device, "address", memory.address, DeviceAttribute::texture_alignment);
  if (shape.height == 0) return;
  refuse_negative("texture", "pitch_bytes", memory.pitch_bytes);
  if (memory.pitch_bytes < shape.row_bytes())
    refuse_texture("pitch_bytes is " + std::to_string(memory.pitch_bytes) + ", and its rows have " +
                       std::to_string(shape.row_bytes()) + " bytes",
                   "set the bytes from one row to the next");
  refuse_unaligned(device, "pitch_bytes", memory.pitch_bytes,
                   DeviceAttribute::texture_pitch_alignment);
}

/// A visitor of what a texture can be made of: checks it, and describes it for the driver.
struct Describe {
  const Context& context;
  const TextureSettings& settings;
  const TextureView& view;
  CUDA_RESOURCE_DESC raw{};
  CUDA_RESOURCE_VIEW_DESC raw_view{};

  ArrayFormat operator()(const Array& array) {
    raw.resType = CU_RESOURCE_TYPE_ARRAY;
    raw.res.array.hArray = array.raw();
    return viewed(array.shape(), 1);
  }
  ArrayFormat operator()(const MipmappedArray& array) {
    raw.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
    raw.res.mipmap.hMipmappedArray = array.raw();
    return viewed(array.shape(), array.levels());
  }
  ArrayFormat operator()(const TextureMemory& memory) {
    const ArrayShape& shape = memory.shape;
    const auto format = static_cast<CUarray_format>(shape.format);
    check_memory(context, memory);
    check_settings(settings, shape.format, shape.height != 0);
    if (shape.height == 0) {
      raw.resType = CU_RESOURCE_TYPE_LINEAR;
      raw.res.linear = {memory.address, format, shape.channels, shape.row_bytes()};
    } else {
      raw.resType = CU_RESOURCE_TYPE_PITCH2D;
      raw.res.pitch2D = {memory.address, format,       shape.channels,
                         shape.width,    shape.height, memory.pitch_bytes};
    }
    return shape.format;
  }

 private:
  ArrayFormat viewed(const ArrayShape& shape, unsigned levels) {
    const ArrayFormat format =
        view == TextureView{} ? shape.format : describe_view(view, shape, levels, raw_view);
    check_settings(settings, format, true);
    if (view.blocks != BlockFormat::none && context.driver().provider() == Provider::cpu)
      throw NotSupported("texture: the CPU device reads no compressed blocks",
                         "copy what they stand for into an array of numbers");
    return format;
  }
};

CUDA_TEXTURE_DESC raw_settings(const TextureSettings& settings, ArrayFormat format,
                               bool has_levels) {
  CUDA_TEXTURE_DESC raw{};
  for (std::size_t i = 0; i < 3; ++i)
    raw.addressMode[i] = static_cast<CUaddress_mode>(settings.address_modes[i]);
  raw.filterMode = static_cast<CUfilter_mode>(settings.filter);
  if (holds_integers(format) && !settings.normalized_values) raw.flags |= CU_TRSF_READ_AS_INTEGER;
  if (settings.normalized_coordinates) raw.flags |= CU_TRSF_NORMALIZED_COORDINATES;
  if (settings.srgb) raw.flags |= CU_TRSF_SRGB;
  if (settings.seamless_cubemap) raw.flags |= CU_TRSF_SEAMLESS_CUBEMAP;
  if (!settings.trilinear_optimization) raw.flags |= CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION;
  raw.maxAnisotropy = settings.max_anisotropy;
  if (has_levels) {
    raw.mipmapFilterMode = static_cast<CUfilter_mode>(settings.mipmap_filter);
    raw.mipmapLevelBias = settings.mipmap_bias;
    raw.minMipmapLevelClamp = settings.min_mipmap_level;
    raw.maxMipmapLevelClamp = settings.max_mipmap_level;
  }
  for (std::size_t i = 0; i < 4; ++i) raw.borderColor[i] = settings.border[i];
  return raw;
}

/// Whether what it reads ends with this handle.
struct EndsWith {
  bool operator()(const TextureMemory&) const noexcept { return false; }
  template <class Array>
  bool operator()(const Array& array) const noexcept {
    return array.is_last();
  }
};
/// What raw() throws if its array is gone.
struct RefuseFreed {
  void operator()(const Array& array) const { static_cast<void>(array.raw()); }
  void operator()(const MipmappedArray& array) const { static_cast<void>(array.raw()); }
  void operator()(const TextureMemory&) const {}
};

}  // namespace

void destroy_texture(const Context& context, RawTexture raw) noexcept {
  clean_up(context, "a texture", "cuTexObjectDestroy", &Table::cuTexObjectDestroy, raw);
}
void destroy_surface(const Context& context, RawSurface raw) noexcept {
  clean_up(context, "a surface", "cuSurfObjectDestroy", &Table::cuSurfObjectDestroy, raw);
}

bool Texture::is_last() const noexcept { return std::visit(EndsWith{}, source_); }

Texture::Texture(const Context& context, Source source, const TextureSettings& settings,
                 const TextureView& view)
    : source_(std::move(source)), settings_(settings), view_(view) {
  Describe describe{context, settings_, view_};
  const ArrayFormat format = std::visit(describe, source_);
  const bool has_levels = std::holds_alternative<MipmappedArray>(source_);
  const CUDA_TEXTURE_DESC raw = raw_settings(settings_, format, has_levels);
  const Activation active(context);
  RawTexture object = 0;
  check(active.table(),
        active.table().cuTexObjectCreate(&object, &describe.raw, &raw,
                                         view_ == TextureView{} ? nullptr : &describe.raw_view),
        "cuTexObjectCreate");
  handle_ = {context, object};
}

Texture::Texture(const Array& array, const TextureSettings& settings, const TextureView& view)
    : Texture((static_cast<void>(array.raw()), array.context()), Source(array), settings, view) {}
Texture::Texture(const MipmappedArray& array, const TextureSettings& settings,
                 const TextureView& view)
    : Texture((static_cast<void>(array.raw()), array.context()), Source(array), settings, view) {}
Texture::Texture(const TextureMemory& memory, const TextureSettings& settings)
    : Texture(Context::current(), memory, settings) {}
Texture::Texture(const Context& context, const TextureMemory& memory,
                 const TextureSettings& settings)
    : Texture(context, Source(memory), settings, TextureView{}) {}

RawTexture Texture::raw() const {
  if (!handle_) throw InvalidState("the texture was moved from", "use the one it went to");
  std::visit(RefuseFreed{}, source_);
  return handle_.raw();
}

const void* LaunchArgument<Texture>::data(const Texture& texture) {
  static_cast<void>(texture.raw());
  return texture.handle_.raw_address();
}

Surface::Surface(const Array& array) : array_(array) {
  CUDA_RESOURCE_DESC raw{};
  raw.resType = CU_RESOURCE_TYPE_ARRAY;
  raw.res.array.hArray = array.raw();
  if (!has_flags(array.shape().flags, ArrayFlags::surface_load_store))
    throw InvalidArgument("surface: the array has flags " +
                              std::to_string(static_cast<unsigned>(array.shape().flags)) +
                              ", and surface_load_store (2) was expected",
                          "make the array with that flag");
  const Activation active(array.context());
  RawSurface object = 0;
  check(active.table(), active.table().cuSurfObjectCreate(&object, &raw), "cuSurfObjectCreate");
  handle_ = {array.context(), object};
}

RawSurface Surface::raw() const {
  if (!handle_) throw InvalidState("the surface was moved from", "use the one it went to");
  static_cast<void>(array_.raw());
  return handle_.raw();
}

const void* LaunchArgument<Surface>::data(const Surface& surface) {
  static_cast<void>(surface.raw());
  return surface.handle_.raw_address();
}

std::size_t max_linear_texture_width(const Device& device, ArrayFormat format, unsigned channels) {
  (void)ArrayShape{.width = 1, .format = format, .channels = channels}.element_bytes();  // throws
  const Table& cu = device.driver().table();
  std::size_t elements = 0;
  check(cu,
        cu.cuDeviceGetTexture1DLinearMaxWidth(&elements, static_cast<CUarray_format>(format),
                                              channels, device.raw()),
        "cuDeviceGetTexture1DLinearMaxWidth");
  return elements;
}

}  // namespace treadle::cuda

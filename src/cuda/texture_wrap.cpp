// SPDX-License-Identifier: MIT
// Textures and surfaces that somebody else made: the driver is asked what they are.
#include "cuda/argument_check.hpp"
#include "cuda/texture_view.hpp"
#include "treadle/cuda/texture.hpp"

namespace treadle::cuda {
namespace {

unsigned count_levels(const Table& cu, RawMipmappedArray raw) {
  constexpr unsigned most = 32;  // halves of any length
  unsigned count = 0;
  RawArray level = nullptr;
  while (count < most && cu.cuMipmappedArrayGetLevel(&level, raw, count) == CUDA_SUCCESS) ++count;
  return count;
}

TextureMemory told_memory(const CUDA_RESOURCE_DESC& raw) {
  if (raw.resType == CU_RESOURCE_TYPE_LINEAR) {
    const auto& row = raw.res.linear;
    ArrayShape shape{
        .width = 1, .format = static_cast<ArrayFormat>(row.format), .channels = row.numChannels};
    shape.width = row.sizeInBytes / shape.element_bytes();
    return {.address = row.devPtr, .shape = shape};
  }
  const auto& rows = raw.res.pitch2D;
  return {.address = rows.devPtr,
          .shape = {.width = rows.width,
                    .height = rows.height,
                    .format = static_cast<ArrayFormat>(rows.format),
                    .channels = rows.numChannels},
          .pitch_bytes = rows.pitchInBytes};
}

TextureSettings told_settings(const CUDA_TEXTURE_DESC& raw, bool reads_integers) {
  const auto has = [&](unsigned flag) { return (raw.flags & flag) != 0; };
  TextureSettings settings;
  for (std::size_t i = 0; i < 3; ++i)
    settings.address_modes[i] = static_cast<AddressMode>(raw.addressMode[i]);
  settings.filter = static_cast<FilterMode>(raw.filterMode);
  settings.normalized_coordinates = has(CU_TRSF_NORMALIZED_COORDINATES);
  settings.normalized_values = reads_integers && !has(CU_TRSF_READ_AS_INTEGER);
  settings.srgb = has(CU_TRSF_SRGB);
  settings.seamless_cubemap = has(CU_TRSF_SEAMLESS_CUBEMAP);
  settings.trilinear_optimization = !has(CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION);
  settings.max_anisotropy = raw.maxAnisotropy;
  settings.mipmap_filter = static_cast<FilterMode>(raw.mipmapFilterMode);
  settings.mipmap_bias = raw.mipmapLevelBias;
  settings.min_mipmap_level = raw.minMipmapLevelClamp;
  settings.max_mipmap_level = raw.maxMipmapLevelClamp;
  for (std::size_t i = 0; i < 4; ++i) settings.border[i] = raw.borderColor[i];
  return settings;
}

}  // namespace

Texture Texture::wrap(const Context& context, RawTexture raw) {
  if (raw == 0)
    throw InvalidArgument("texture: the handle is 0, which is no texture",
                          "pass what cuTexObjectCreate made");
  const Activation active(context);
  const Table& cu = active.table();
  CUDA_RESOURCE_DESC resource{};
  CUDA_TEXTURE_DESC described{};
  CUDA_RESOURCE_VIEW_DESC raw_view{};
  check(cu, cu.cuTexObjectGetResourceDesc(&resource, raw), "cuTexObjectGetResourceDesc",
        [] { return "a texture to wrap"; });
  check(cu, cu.cuTexObjectGetTextureDesc(&described, raw), "cuTexObjectGetTextureDesc");
  Source source;
  ArrayFormat format{};
  bool has_levels = false;
  if (resource.resType == CU_RESOURCE_TYPE_ARRAY) {
    const Array array = Array::borrow(context, resource.res.array.hArray);
    format = array.shape().format;
    source = array;
  } else if (resource.resType == CU_RESOURCE_TYPE_MIPMAPPED_ARRAY) {
    const RawMipmappedArray levels = resource.res.mipmap.hMipmappedArray;
    const auto array = MipmappedArray::borrow(context, levels, count_levels(cu, levels));
    format = array.shape().format;
    source = array;
    has_levels = true;
  } else {
    const TextureMemory memory = told_memory(resource);
    format = memory.shape.format;
    source = memory;
  }
  // A texture without a view has none to tell of.
  TextureView view;
  if (cu.cuTexObjectGetResourceViewDesc(&raw_view, raw) == CUDA_SUCCESS &&
      raw_view.format != CU_RES_VIEW_FORMAT_NONE)
    view = view_of(raw_view);
  if (view.channels != 0) format = view.format;
  TextureSettings settings =
      told_settings(described, format != ArrayFormat::half && format != ArrayFormat::float32);
  if (!has_levels) settings.max_mipmap_level = TextureSettings{}.max_mipmap_level;
  return {std::move(source), settings, view,
          Handle<RawTexture, destroy_texture>::borrow(context, raw)};
}

Surface Surface::wrap(const Context& context, RawSurface raw) {
  if (raw == 0)
    throw InvalidArgument("surface: the handle is 0, which is no surface",
                          "pass what cuSurfObjectCreate made");
  const Activation active(context);
  CUDA_RESOURCE_DESC resource{};
  check(active.table(), active.table().cuSurfObjectGetResourceDesc(&resource, raw),
        "cuSurfObjectGetResourceDesc", [] { return "a surface to wrap"; });
  return {Array::borrow(context, resource.res.array.hArray),
          Handle<RawSurface, destroy_surface>::borrow(context, raw)};
}

}  // namespace treadle::cuda

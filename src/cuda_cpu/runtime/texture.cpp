// SPDX-License-Identifier: MIT
#include "cuda_cpu/runtime/texture.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "cuda_cpu/runtime/array.hpp"
#include "cuda_cpu/runtime/device.hpp"
#include "cuda_cpu/runtime/entry.hpp"
#include "cuda_cpu/runtime/memory.hpp"

namespace treadle::cuda_cpu {
namespace {

/// What texels are read from.
struct Resource {
  TexelFormat format;
  unsigned layout = 0;                         ///< __treadle_texture_layout
  unsigned flags = 0;                          ///< of the array
  std::vector<std::shared_ptr<Array>> arrays;  ///< the levels; none of linear memory
  std::vector<__treadle_texels> levels;
};

struct TextureObject {
  std::shared_ptr<Context> context;
  CUDA_RESOURCE_DESC described{};
  CUDA_TEXTURE_DESC settings{};
  std::optional<CUDA_RESOURCE_VIEW_DESC> view;
  bool is_surface = false;
  Resource resource;
  __treadle_texture* place = nullptr;  ///< what kernels read
};

/// What kernels read of the objects. Places are never unmapped, and used again as late as possible:
/// a kernel that fetches by a destroyed object faults at a null pointer.
class Places {
 public:
  __treadle_texture* take() {
    if (free_.size() <= kept_back) {
      blocks_.push_back(std::make_unique<Block>());
      for (__treadle_texture& place : *blocks_.back()) free_.push_back(&place);
    }
    __treadle_texture* const place = free_.front();
    free_.pop_front();
    return place;
  }
  void give_back(__treadle_texture* place) {
    *place = {};
    free_.push_back(place);
  }

 private:
  static constexpr std::size_t kept_back = 256;
  using Block = std::array<__treadle_texture, 512>;
  std::vector<std::unique_ptr<Block>> blocks_;
  std::deque<__treadle_texture*> free_;
};

class TextureRegistry {
 public:
  unsigned long long insert(TextureObject object, const __treadle_texture& described) {
    const std::lock_guard lock(mutex_);
    object.place = places_.take();
    const auto handle = reinterpret_cast<unsigned long long>(object.place);
    __treadle_texture* const place = object.place;
    const auto& kept = objects_.insert_or_assign(handle, std::move(object)).first->second;
    *place = described;
    place->levels = kept.resource.levels.data();
    return handle;
  }
  /// Calls use(object); CUDA_ERROR_INVALID_VALUE if the handle is no such object.
  template <class Use>
  CUresult with(unsigned long long handle, bool is_surface, Use&& use) {
    const std::lock_guard lock(mutex_);
    const auto found = objects_.find(handle);
    if (found == objects_.end() || found->second.is_surface != is_surface)
      return CUDA_ERROR_INVALID_VALUE;
    use(found->second);
    return CUDA_SUCCESS;
  }
  CUresult remove(unsigned long long handle, bool is_surface) {
    const std::lock_guard lock(mutex_);
    const auto found = objects_.find(handle);
    if (found == objects_.end() || found->second.is_surface != is_surface)
      return CUDA_ERROR_INVALID_VALUE;
    forget(found);
    return CUDA_SUCCESS;
  }
  void remove_of(const Context& context) {
    const std::lock_guard lock(mutex_);
    for (auto at = objects_.begin(); at != objects_.end();)
      at = at->second.context.get() == &context ? forget(at) : std::next(at);
  }

 private:
  using Objects = std::map<unsigned long long, TextureObject>;
  Objects::iterator forget(Objects::iterator object) {
    places_.give_back(object->second.place);
    return objects_.erase(object);
  }

  std::mutex mutex_;
  Places places_;
  Objects objects_;
};

TextureRegistry& registry() {
  static TextureRegistry* const instance = new TextureRegistry;
  return *instance;
}

unsigned layout_of(const CUDA_ARRAY3D_DESCRIPTOR& d) {
  const bool has_slices = (d.Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP)) != 0;
  if (d.Depth != 0 && !has_slices) return __treadle_space;
  return d.Height != 0 ? __treadle_plane : __treadle_line;
}

void read_arrays(std::vector<std::shared_ptr<Array>> arrays, Resource& resource) {
  const Array& first = *arrays.front();
  resource.format = first.format;
  resource.layout = layout_of(first.descriptor);
  resource.flags = first.descriptor.Flags;
  for (const auto& level : arrays) resource.levels.push_back(level->texels());
  resource.arrays = std::move(arrays);
}

CUresult read_linear(const CUDA_RESOURCE_DESC& described, Resource& resource) {
  const auto& linear = described.res.linear;
  const CUresult failure = texel_format(linear.format, linear.numChannels, resource.format);
  if (failure != CUDA_SUCCESS) return failure;
  const std::size_t texels = linear.sizeInBytes / resource.format.bytes();
  if (texels == 0 || texels > array_limits::linear_texels ||
      linear.devPtr % memory_alignment != 0 || !known_memory(linear.devPtr, linear.sizeInBytes))
    return CUDA_ERROR_INVALID_VALUE;
  resource.layout = __treadle_memory;
  resource.levels.push_back({.first = reinterpret_cast<unsigned char*>(linear.devPtr),
                             .row_bytes = linear.sizeInBytes,
                             .slice_bytes = linear.sizeInBytes,
                             .width = static_cast<int>(texels),
                             .height = 1,
                             .depth = 1});
  return CUDA_SUCCESS;
}

CUresult read_pitched(const CUDA_RESOURCE_DESC& described, Resource& resource) {
  const auto& plane = described.res.pitch2D;
  const CUresult failure = texel_format(plane.format, plane.numChannels, resource.format);
  if (failure != CUDA_SUCCESS) return failure;
  using namespace array_limits;
  if (plane.width == 0 || plane.height == 0 || plane.width > width_2d || plane.height > height_2d ||
      plane.pitchInBytes > linear_pitch || plane.pitchInBytes % texture_pitch_alignment != 0)
    return CUDA_ERROR_INVALID_VALUE;
  const std::size_t row = plane.width * resource.format.bytes();
  const std::size_t bytes = (plane.height - 1) * plane.pitchInBytes + row;
  if (plane.pitchInBytes < row || plane.devPtr % memory_alignment != 0 ||
      !known_memory(plane.devPtr, bytes))
    return CUDA_ERROR_INVALID_VALUE;
  resource.layout = __treadle_plane;
  resource.levels.push_back({.first = reinterpret_cast<unsigned char*>(plane.devPtr),
                             .row_bytes = plane.pitchInBytes,
                             .slice_bytes = plane.pitchInBytes * plane.height,
                             .width = static_cast<int>(plane.width),
                             .height = static_cast<int>(plane.height),
                             .depth = 1});
  return CUDA_SUCCESS;
}

CUresult read_resource(const CUDA_RESOURCE_DESC& described, Resource& resource) {
  if (described.flags != 0) return CUDA_ERROR_INVALID_VALUE;
  switch (described.resType) {
    case CU_RESOURCE_TYPE_ARRAY: {
      auto array = array_handles().find(described.res.array.hArray);
      if (!array) return CUDA_ERROR_INVALID_HANDLE;
      read_arrays({std::move(array)}, resource);
      return CUDA_SUCCESS;
    }
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY: {
      const auto found = mipmapped_array_handles().find(described.res.mipmap.hMipmappedArray);
      if (!found) return CUDA_ERROR_INVALID_HANDLE;
      read_arrays(found->levels, resource);
      return CUDA_SUCCESS;
    }
    case CU_RESOURCE_TYPE_LINEAR:
      return read_linear(described, resource);
    case CU_RESOURCE_TYPE_PITCH2D:
      return read_pitched(described, resource);
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

/// Another format of the same size, and some of the levels and layers. Sizes have to be the
/// array's: only compressed blocks could have others.
CUresult apply_view(const CUDA_RESOURCE_VIEW_DESC& view, Resource& resource) {
  if (resource.arrays.empty()) return CUDA_ERROR_INVALID_VALUE;
  if (view.format > CU_RES_VIEW_FORMAT_UNSIGNED_BC7) return CUDA_ERROR_INVALID_VALUE;
  if (view.format >= CU_RES_VIEW_FORMAT_UNSIGNED_BC1) return CUDA_ERROR_NOT_SUPPORTED;
  if (const auto format = view_format(view.format)) {
    if (format->bytes() != resource.format.bytes()) return CUDA_ERROR_INVALID_VALUE;
    resource.format = *format;
  }
  const CUDA_ARRAY3D_DESCRIPTOR& whole = resource.arrays.front()->descriptor;
  if (view.width != whole.Width || view.height != whole.Height || view.depth != whole.Depth)
    return CUDA_ERROR_INVALID_VALUE;
  const std::size_t levels = resource.levels.size();
  if (view.firstMipmapLevel > view.lastMipmapLevel || view.lastMipmapLevel >= levels)
    return CUDA_ERROR_INVALID_VALUE;
  const bool layered = (resource.flags & CUDA_ARRAY3D_LAYERED) != 0;
  const std::size_t layers = layered ? whole.Depth : 1;
  if (view.firstLayer > view.lastLayer || view.lastLayer >= layers) return CUDA_ERROR_INVALID_VALUE;
  resource.levels.resize(view.lastMipmapLevel + 1);
  resource.levels.erase(resource.levels.begin(),
                        resource.levels.begin() + static_cast<int>(view.firstMipmapLevel));
  if (!layered) return CUDA_SUCCESS;
  for (__treadle_texels& level : resource.levels) {
    level.first += view.firstLayer * level.slice_bytes;
    level.depth = static_cast<int>(view.lastLayer - view.firstLayer + 1);
  }
  return CUDA_SUCCESS;
}

constexpr unsigned known_texture_flags = CU_TRSF_READ_AS_INTEGER | CU_TRSF_NORMALIZED_COORDINATES |
                                         CU_TRSF_SRGB | CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION |
                                         CU_TRSF_SEAMLESS_CUBEMAP;

/// A C program may pass a number that the enumeration lacks.
template <class Enumeration>
bool is_one_of_first(const Enumeration& value, int count) {
  int number = 0;
  std::memcpy(&number, &value, sizeof number);
  return number >= 0 && number < count;
}

CUresult check_settings(const CUDA_TEXTURE_DESC& settings) {
  for (const CUaddress_mode& mode : settings.addressMode)
    if (!is_one_of_first(mode, CU_TR_ADDRESS_MODE_BORDER + 1)) return CUDA_ERROR_INVALID_VALUE;
  for (const CUfilter_mode* mode : {&settings.filterMode, &settings.mipmapFilterMode})
    if (!is_one_of_first(*mode, CU_TR_FILTER_MODE_LINEAR + 1)) return CUDA_ERROR_INVALID_VALUE;
  return (settings.flags & ~known_texture_flags) == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/// What a fetch of the resource reads: floats, or integers as they are.
bool reads_floats(const TexelFormat& format, unsigned flags) {
  if (!format.is_integer() || format.is_normalized) return true;
  // CUDA never turns 32-bit integers into floats.
  return (flags & CU_TRSF_READ_AS_INTEGER) == 0 && format.element < __treadle_element_u32;
}

unsigned key_of(const __treadle_texture& texture, const Resource& resource) {
  const bool as_it_is = texture.reads_floats == 0 || texture.element == __treadle_element_f32;
  if (!as_it_is || texture.level_count > 1) return 0;
  if (resource.layout == __treadle_memory)
    return __treadle_texture_key(resource.layout, texture.element, texture.channels, 0);
  const unsigned dimensions = resource.layout - __treadle_memory;
  for (unsigned i = 0; i < dimensions; ++i)
    if (texture.address[i] != CU_TR_ADDRESS_MODE_CLAMP) return 0;
  // The rows beside a line count in a linear filter, as the run-time says.
  if (dimensions == 1 && texture.address[1] == CU_TR_ADDRESS_MODE_BORDER) return 0;
  return __treadle_texture_key(resource.layout, texture.element, texture.channels,
                               texture.is_linear);
}

__treadle_texture description_of(const Resource& resource, const CUDA_TEXTURE_DESC& settings) {
  __treadle_texture texture{};
  texture.base = resource.levels.front();
  texture.level_count = static_cast<int>(resource.levels.size());
  texture.element = resource.format.element;
  texture.channels = resource.format.channels;
  texture.reads_floats = reads_floats(resource.format, settings.flags) ? 1 : 0;
  texture.is_linear =
      texture.reads_floats != 0 && settings.filterMode == CU_TR_FILTER_MODE_LINEAR ? 1 : 0;
  texture.is_linear_between_levels = settings.mipmapFilterMode == CU_TR_FILTER_MODE_LINEAR ? 1 : 0;
  texture.is_normalized = (settings.flags & CU_TRSF_NORMALIZED_COORDINATES) != 0 ? 1 : 0;
  texture.is_srgb = (settings.flags & CU_TRSF_SRGB) != 0 && texture.reads_floats != 0 &&
                            texture.element == __treadle_element_u8
                        ? 1
                        : 0;
  const bool is_cubemap = (resource.flags & CUDA_ARRAY3D_CUBEMAP) != 0;
  texture.is_seamless = is_cubemap && (settings.flags & CU_TRSF_SEAMLESS_CUBEMAP) != 0 ? 1 : 0;
  for (int i = 0; i < 3; ++i) {
    const bool repeats = settings.addressMode[i] == CU_TR_ADDRESS_MODE_WRAP ||
                         settings.addressMode[i] == CU_TR_ADDRESS_MODE_MIRROR;
    texture.address[i] = static_cast<unsigned char>(settings.addressMode[i]);
    // Only coordinates from 0 to 1 repeat; and the faces of a cube have edges.
    if (repeats && (texture.is_normalized == 0 || is_cubemap))
      texture.address[i] = CU_TR_ADDRESS_MODE_CLAMP;
  }
  const auto scale = [&](int size) {
    return texture.is_normalized != 0 ? static_cast<float>(size) : 1.0f;
  };
  texture.scale_x = scale(texture.base.width);
  texture.scale_y = scale(texture.base.height);
  texture.scale_z = scale(texture.base.depth);
  std::copy_n(settings.borderColor, 4, texture.border);
  texture.level_bias = settings.mipmapLevelBias;
  texture.least_level = settings.minMipmapLevelClamp;
  texture.most_level = settings.maxMipmapLevelClamp;
  texture.key = key_of(texture, resource);
  return texture;
}

}  // namespace

void drop_textures_of(const Context& context) { registry().remove_of(context); }

}  // namespace treadle::cuda_cpu

using namespace treadle::cuda_cpu;

CUresult cuTexObjectCreate(CUtexObject* handle, const CUDA_RESOURCE_DESC* described,
                           const CUDA_TEXTURE_DESC* settings, const CUDA_RESOURCE_VIEW_DESC* view) {
  return with_context([&](const auto& context) -> CUresult {
    if (handle == nullptr || described == nullptr || settings == nullptr)
      return CUDA_ERROR_INVALID_VALUE;
    Resource resource;
    if (const CUresult failure = read_resource(*described, resource); failure != CUDA_SUCCESS)
      return failure;
    if (const CUresult failure = check_settings(*settings); failure != CUDA_SUCCESS) return failure;
    if (view != nullptr)
      if (const CUresult failure = apply_view(*view, resource); failure != CUDA_SUCCESS)
        return failure;
    TextureObject object;
    object.context = context;
    object.described = *described;
    object.settings = *settings;
    if (view != nullptr) object.view = *view;
    const __treadle_texture texture = description_of(resource, *settings);
    object.resource = std::move(resource);
    *handle = registry().insert(std::move(object), texture);
    return CUDA_SUCCESS;
  });
}

CUresult cuTexObjectDestroy(CUtexObject handle) {
  return with_context([&](const auto&) { return registry().remove(handle, false); });
}

CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC* described, CUtexObject handle) {
  return with_context([&](const auto&) -> CUresult {
    if (described == nullptr) return CUDA_ERROR_INVALID_VALUE;
    return registry().with(handle, false,
                           [&](const auto& object) { *described = object.described; });
  });
}

CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC* settings, CUtexObject handle) {
  return with_context([&](const auto&) -> CUresult {
    if (settings == nullptr) return CUDA_ERROR_INVALID_VALUE;
    return registry().with(handle, false, [&](const auto& object) { *settings = object.settings; });
  });
}

CUresult cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC* view, CUtexObject handle) {
  return with_context([&](const auto&) -> CUresult {
    if (view == nullptr) return CUDA_ERROR_INVALID_VALUE;
    std::optional<CUDA_RESOURCE_VIEW_DESC> given;
    const CUresult result =
        registry().with(handle, false, [&](const auto& object) { given = object.view; });
    if (given) *view = *given;
    return result == CUDA_SUCCESS && !given ? CUDA_ERROR_INVALID_VALUE : result;
  });
}

CUresult cuSurfObjectCreate(CUsurfObject* handle, const CUDA_RESOURCE_DESC* described) {
  return with_context([&](const auto& context) -> CUresult {
    if (handle == nullptr || described == nullptr || described->resType != CU_RESOURCE_TYPE_ARRAY)
      return CUDA_ERROR_INVALID_VALUE;
    Resource resource;
    if (const CUresult failure = read_resource(*described, resource); failure != CUDA_SUCCESS)
      return failure;
    if ((resource.flags & CUDA_ARRAY3D_SURFACE_LDST) == 0) return CUDA_ERROR_INVALID_VALUE;
    TextureObject object;
    object.context = context;
    object.described = *described;
    object.is_surface = true;
    const __treadle_texture texture = description_of(resource, CUDA_TEXTURE_DESC{});
    object.resource = std::move(resource);
    *handle = registry().insert(std::move(object), texture);
    return CUDA_SUCCESS;
  });
}

CUresult cuSurfObjectDestroy(CUsurfObject handle) {
  return with_context([&](const auto&) { return registry().remove(handle, true); });
}

CUresult cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC* described, CUsurfObject handle) {
  return with_context([&](const auto&) -> CUresult {
    if (described == nullptr) return CUDA_ERROR_INVALID_VALUE;
    return registry().with(handle, true,
                           [&](const auto& object) { *described = object.described; });
  });
}

/// As many texels of every format.
CUresult cuDeviceGetTexture1DLinearMaxWidth(size_t* texels, CUarray_format format,
                                            unsigned channels, CUdevice device) {
  return with_process([&]() -> CUresult {
    if (device != 0) return CUDA_ERROR_INVALID_DEVICE;
    TexelFormat known;
    if (texels == nullptr || texel_format(format, channels, known) != CUDA_SUCCESS)
      return CUDA_ERROR_INVALID_VALUE;
    *texels = array_limits::linear_texels;
    return CUDA_SUCCESS;
  });
}

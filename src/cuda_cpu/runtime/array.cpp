// SPDX-License-Identifier: MIT
#include "cuda_cpu/runtime/array.hpp"

#include <algorithm>
#include <bit>

#include "cuda_cpu/runtime/entry.hpp"
#include "cuda_cpu/runtime/memory.hpp"
#include "cuda_cpu/runtime/scheduler.hpp"

namespace treadle::cuda_cpu {

Array::Array(std::shared_ptr<Context> owner, const CUDA_ARRAY3D_DESCRIPTOR& described,
             TexelFormat texel, std::shared_ptr<void> memory, std::size_t offset)
    : context(std::move(owner)),
      descriptor(described),
      format(texel),
      memory_(std::move(memory)),
      first_(static_cast<std::byte*>(memory_.get()) + offset) {}

std::size_t Array::rows() const { return std::max<std::size_t>(descriptor.Height, 1); }
std::size_t Array::slices() const { return std::max<std::size_t>(descriptor.Depth, 1); }

__treadle_texels Array::texels() const {
  return {.first = reinterpret_cast<unsigned char*>(first_),
          .row_bytes = row_bytes(),
          .slice_bytes = row_bytes() * rows(),
          .width = static_cast<int>(descriptor.Width),
          .height = static_cast<int>(rows()),
          .depth = static_cast<int>(slices())};
}

ArrayHandles& array_handles() {
  static ArrayHandles* const handles = new ArrayHandles;
  return *handles;
}
MipmappedArrayHandles& mipmapped_array_handles() {
  static MipmappedArrayHandles* const handles = new MipmappedArrayHandles;
  return *handles;
}

void drop_arrays_of(const Context& context) {
  const auto mine = [&](const auto& object) { return object.context.get() == &context; };
  mipmapped_array_handles().remove_if(mine);
  array_handles().remove_if(mine);
}

}  // namespace treadle::cuda_cpu

using namespace treadle::cuda_cpu;

namespace {

constexpr unsigned known_array_flags = CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_SURFACE_LDST |
                                       CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_TEXTURE_GATHER;
/// For graphics, for parts without memory and for video.
constexpr unsigned absent_array_flags = CUDA_ARRAY3D_DEPTH_TEXTURE | CUDA_ARRAY3D_COLOR_ATTACHMENT |
                                        CUDA_ARRAY3D_SPARSE | CUDA_ARRAY3D_DEFERRED_MAPPING |
                                        CUDA_ARRAY3D_VIDEO_ENCODE_DECODE;

/// The largest sizes for what the flags and zeros of a descriptor say an array is.
CUDA_ARRAY3D_DESCRIPTOR largest_array(const CUDA_ARRAY3D_DESCRIPTOR& d) {
  using namespace array_limits;
  CUDA_ARRAY3D_DESCRIPTOR most{};
  const bool layered = (d.Flags & CUDA_ARRAY3D_LAYERED) != 0;
  if ((d.Flags & CUDA_ARRAY3D_CUBEMAP) != 0) {
    most.Width = most.Height = size_cubemap;
    most.Depth = layered ? layers_cubemap : 6;
  } else if (layered) {
    most.Width = size_layered;
    most.Height = d.Height == 0 ? 0 : size_layered;
    most.Depth = layers;
  } else if (d.Depth != 0) {
    most.Width = most.Height = most.Depth = size_3d;
  } else if (d.Height != 0) {
    const bool gathers = (d.Flags & CUDA_ARRAY3D_TEXTURE_GATHER) != 0;
    most.Width = gathers ? size_gather : width_2d;
    most.Height = gathers ? size_gather : height_2d;
  } else {
    most.Width = width_1d;
  }
  return most;
}

CUresult check_array_shape(const CUDA_ARRAY3D_DESCRIPTOR& d) {
  if ((d.Flags & ~(known_array_flags | absent_array_flags)) != 0) return CUDA_ERROR_INVALID_VALUE;
  if ((d.Flags & absent_array_flags) != 0) return CUDA_ERROR_NOT_SUPPORTED;
  const bool layered = (d.Flags & CUDA_ARRAY3D_LAYERED) != 0;
  const bool cubemap = (d.Flags & CUDA_ARRAY3D_CUBEMAP) != 0;
  const CUDA_ARRAY3D_DESCRIPTOR most = largest_array(d);
  if (d.Width == 0 || d.Width > most.Width || d.Height > most.Height || d.Depth > most.Depth)
    return CUDA_ERROR_INVALID_VALUE;
  if ((layered || cubemap) && d.Depth == 0) return CUDA_ERROR_INVALID_VALUE;
  if (cubemap && (d.Width != d.Height || d.Depth % 6 != 0)) return CUDA_ERROR_INVALID_VALUE;
  if (!layered && d.Depth != 0 && d.Height == 0) return CUDA_ERROR_INVALID_VALUE;
  const bool gathers = (d.Flags & CUDA_ARRAY3D_TEXTURE_GATHER) != 0;
  if (gathers && (d.Height == 0 || d.Depth != 0)) return CUDA_ERROR_INVALID_VALUE;
  return CUDA_SUCCESS;
}

/// Memory that goes when the last level that lies in it does.
CUresult allocate_texels(const std::shared_ptr<Context>& context, std::size_t bytes,
                         std::shared_ptr<void>& memory) {
  std::uintptr_t address = 0;
  const CUresult result = allocate_memory(context, bytes, MemoryKind::array, 0, address);
  if (result != CUDA_SUCCESS) return result;
  memory.reset(reinterpret_cast<void*>(address), [](void* texels) {
    const auto base = reinterpret_cast<std::uintptr_t>(texels);
    if (const auto allocation = remove_memory(base, {MemoryKind::array}))
      release_memory(*allocation);
  });
  return CUDA_SUCCESS;
}

/// A level has half the size of the one before; layers and faces stay.
CUDA_ARRAY3D_DESCRIPTOR level_of(const CUDA_ARRAY3D_DESCRIPTOR& whole, unsigned level) {
  const auto halved = [level](std::size_t size) {
    return size == 0 ? 0 : std::max<std::size_t>(size >> level, 1);
  };
  CUDA_ARRAY3D_DESCRIPTOR descriptor = whole;
  descriptor.Width = halved(whole.Width);
  descriptor.Height = halved(whole.Height);
  if ((whole.Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP)) == 0)
    descriptor.Depth = halved(whole.Depth);
  return descriptor;
}

std::size_t texel_count(const CUDA_ARRAY3D_DESCRIPTOR& d) {
  return d.Width * std::max<std::size_t>(d.Height, 1) * std::max<std::size_t>(d.Depth, 1);
}

/// The levels of an array, in one piece of memory.
CUresult make_levels(const std::shared_ptr<Context>& context,
                     const CUDA_ARRAY3D_DESCRIPTOR& descriptor, unsigned count,
                     std::vector<std::shared_ptr<Array>>& levels) {
  if (const CUresult failure = check_array_shape(descriptor); failure != CUDA_SUCCESS)
    return failure;
  TexelFormat format;
  const CUresult failure = texel_format(descriptor.Format, descriptor.NumChannels, format);
  if (failure != CUDA_SUCCESS) return failure;
  // The limits of sizes keep this far from overflowing.
  constexpr std::size_t alignment = 64;
  std::vector<std::size_t> offsets;
  std::size_t bytes = 0;
  for (unsigned level = 0; level < count; ++level) {
    offsets.push_back((bytes + alignment - 1) / alignment * alignment);
    bytes = offsets.back() + texel_count(level_of(descriptor, level)) * format.bytes();
  }
  std::shared_ptr<void> memory;
  const CUresult result = allocate_texels(context, bytes, memory);
  if (result != CUDA_SUCCESS) return result;
  for (unsigned level = 0; level < count; ++level)
    levels.push_back(std::make_shared<Array>(context, level_of(descriptor, level), format, memory,
                                             offsets[level]));
  for (const auto& level : levels) level->handle = array_handles().insert(level);
  return CUDA_SUCCESS;
}

CUresult create_array(CUarray* handle, const CUDA_ARRAY3D_DESCRIPTOR& descriptor) {
  return with_context([&](const auto& context) -> CUresult {
    std::vector<std::shared_ptr<Array>> levels;
    const CUresult result = make_levels(context, descriptor, 1, levels);
    if (result == CUDA_SUCCESS) *handle = levels.front()->handle;
    return result;
  });
}

CUresult describe_array(CUarray handle, CUDA_ARRAY3D_DESCRIPTOR& descriptor) {
  return with_context([&](const auto&) -> CUresult {
    const auto array = array_handles().find(handle);
    if (!array) return CUDA_ERROR_INVALID_HANDLE;
    descriptor = array->descriptor;
    return CUDA_SUCCESS;
  });
}

}  // namespace

CUresult cuArrayCreate(CUarray* handle, const CUDA_ARRAY_DESCRIPTOR* d) {
  if (handle == nullptr || d == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return create_array(handle, {d->Width, d->Height, 0, d->Format, d->NumChannels, 0});
}

CUresult cuArray3DCreate(CUarray* handle, const CUDA_ARRAY3D_DESCRIPTOR* descriptor) {
  if (handle == nullptr || descriptor == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return create_array(handle, *descriptor);
}

CUresult cuArrayGetDescriptor(CUDA_ARRAY_DESCRIPTOR* descriptor, CUarray handle) {
  if (descriptor == nullptr) return CUDA_ERROR_INVALID_VALUE;
  CUDA_ARRAY3D_DESCRIPTOR whole{};
  const CUresult result = describe_array(handle, whole);
  if (result == CUDA_SUCCESS)
    *descriptor = {whole.Width, whole.Height, whole.Format, whole.NumChannels};
  return result;
}

CUresult cuArray3DGetDescriptor(CUDA_ARRAY3D_DESCRIPTOR* descriptor, CUarray handle) {
  return descriptor == nullptr ? CUDA_ERROR_INVALID_VALUE : describe_array(handle, *descriptor);
}

CUresult cuArrayDestroy(CUarray handle) {
  return with_context([&](const auto&) -> CUresult {
    const auto array = array_handles().find(handle);
    if (!array) return CUDA_ERROR_INVALID_HANDLE;
    if (array->is_level) return CUDA_ERROR_INVALID_VALUE;
    if (!Scheduler::instance().wait_all(*array->context, Hook::asked)) return CUDA_ERROR_NOT_READY;
    return array_handles().remove(handle) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
  });
}

CUresult cuMipmappedArrayCreate(CUmipmappedArray* handle, const CUDA_ARRAY3D_DESCRIPTOR* descriptor,
                                unsigned level_count) {
  return with_context([&](const auto& context) -> CUresult {
    if (handle == nullptr || descriptor == nullptr) return CUDA_ERROR_INVALID_VALUE;
    // As CUDA has it, a number that is too large or zero is none that fails.
    const CUDA_ARRAY3D_DESCRIPTOR& d = *descriptor;
    const bool has_depth = (d.Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP)) == 0;
    const std::size_t longest = std::max({d.Width, d.Height, has_depth ? d.Depth : 0});
    const auto most = std::max(1u, static_cast<unsigned>(std::bit_width(longest)));
    auto made = std::make_shared<MipmappedArray>();
    made->context = context;
    const CUresult result =
        make_levels(context, d, std::clamp(level_count, 1u, most), made->levels);
    if (result != CUDA_SUCCESS) return result;
    for (const auto& level : made->levels) level->is_level = true;
    *handle = mipmapped_array_handles().insert(made);
    return CUDA_SUCCESS;
  });
}

CUresult cuMipmappedArrayGetLevel(CUarray* level_handle, CUmipmappedArray handle, unsigned level) {
  return with_context([&](const auto&) -> CUresult {
    const auto array = mipmapped_array_handles().find(handle);
    if (!array) return CUDA_ERROR_INVALID_HANDLE;
    if (level_handle == nullptr || level >= array->levels.size()) return CUDA_ERROR_INVALID_VALUE;
    *level_handle = array->levels[level]->handle;
    return CUDA_SUCCESS;
  });
}

CUresult cuMipmappedArrayDestroy(CUmipmappedArray handle) {
  return with_context([&](const auto&) -> CUresult {
    const auto array = mipmapped_array_handles().find(handle);
    if (!array) return CUDA_ERROR_INVALID_HANDLE;
    if (!Scheduler::instance().wait_all(*array->context, Hook::asked)) return CUDA_ERROR_NOT_READY;
    if (!mipmapped_array_handles().remove(handle)) return CUDA_ERROR_INVALID_HANDLE;
    for (const auto& level : array->levels) array_handles().remove(level->handle);
    return CUDA_SUCCESS;
  });
}

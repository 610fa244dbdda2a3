// SPDX-License-Identifier: MIT
// Arrays without memory of their own: sparse ones, of which a program maps the tiles that it needs,
// and ones to which all of their memory comes later. And what an array of any kind is made of.
//
//   cuda::Array image({.width = 8192, .height = 8192, .flags = cuda::ArrayFlags::sparse});
//   const cuda::SparseLayout layout = cuda::sparse_layout(image);
//   const auto tiles = cuda::PhysicalMemory::for_tiles(unit, cuda::MemoryLocation::of(device));
//   cuda::map_tiles({{.array = image, .part = cuda::ArrayTiles{.width = layout.tile_width,
//       .height = layout.tile_height, .depth = layout.tile_depth}, .memory = &tiles}}, stream);
//
// The CPU device maps arrays whole: NotSupported.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>

#include "treadle/cuda/array.hpp"
#include "treadle/cuda/stream.hpp"
#include "treadle/cuda/virtual_memory.hpp"

namespace treadle::cuda {

/// CUDA_ARRAY_SPARSE_PROPERTIES.
struct SparseLayout {
  unsigned tile_width = 0, tile_height = 0, tile_depth = 0;  ///< elements, rows and slices
  unsigned tail_level = 0;       ///< from this level on, all levels of a layer are one tail
  std::uint64_t tail_bytes = 0;  ///< of a tail, or of the only one
  bool has_single_tail = false;  ///< one for all layers
};
/// Throws DeviceError for an array that is not sparse, InvalidState for one that was freed.
SparseLayout sparse_layout(const Array& array);
SparseLayout sparse_layout(const MipmappedArray& array);

/// CUDA_ARRAY_MEMORY_REQUIREMENTS.
struct ArrayMemory {
  std::size_t size_bytes = 0;  ///< of all of it
  std::size_t alignment = 0;   ///< bytes
};
/// Of ArrayFlags::deferred_mapping. Throws DeviceError for an array that has its memory.
ArrayMemory array_memory(const Array& array);
ArrayMemory array_memory(const MipmappedArray& array);

/// One plane of an array in a format of several, such as YUV; it keeps the array. Throws
/// DeviceError for a plane that is not there.
Array array_plane(const Array& array, unsigned index);

/// A box of whole tiles of a level and layer, or what the level has of them at its edge.
struct ArrayTiles {
  unsigned level = 0, layer = 0;              ///< which
  unsigned x = 0, y = 0, z = 0;               ///< where it begins: elements, rows, slices
  unsigned width = 0, height = 0, depth = 0;  ///< of it
};
/// Bytes of the tail of a layer, or of the memory of a deferred array.
struct ArrayTail {
  unsigned layer = 0;                        ///< 0 where there is a single tail
  std::uint64_t offset = 0, size_bytes = 0;  ///< which
};
/// What gets memory, or loses it.
struct TileMapping {
  std::variant<Array, MipmappedArray> array;  ///< sparse, or deferred
  std::variant<ArrayTiles, ArrayTail> part;   ///< of it
  const PhysicalMemory* memory = nullptr;     ///< of PhysicalMemory::for_tiles(); null: takes it
  std::uint64_t offset = 0;                   ///< where in the memory it begins, in bytes
};
/// Once `stream` is past the work queued so far; later work sees it. What is mapped keeps the
/// memory. Throws InvalidArgument for no mappings, DeviceError, NotSupported.
void map_tiles(std::span<const TileMapping> mappings, StreamRef stream = {});

}  // namespace treadle::cuda

// SPDX-License-Identifier: MIT
#include "treadle/cuda/sparse_array.hpp"

#include <memory>
#include <string>
#include <vector>

#include "treadle/base/error.hpp"
#include "treadle/cuda/table.hpp"

namespace treadle::cuda {
namespace {

SparseLayout layout_of(const CUDA_ARRAY_SPARSE_PROPERTIES& raw) {
  return {raw.tileExtent.width, raw.tileExtent.height,
          raw.tileExtent.depth, raw.miptailFirstLevel,
          raw.miptailSize,      (raw.flags & CU_ARRAY_SPARSE_PROPERTIES_SINGLE_MIPTAIL) != 0};
}

/// Asks `slot` of an array of either kind.
template <class Told, class SomeArray, class Slot, class... More>
Told ask_array(const SomeArray& array, const char* call, const char* advice, Slot Table::* slot,
               More... more) {
  const auto raw = array.raw();  // throws if it was freed
  const Activation active(array.context());
  Told told{};
  check(active.table(), (active.table().*slot)(&told, raw, more...), call, [&] { return advice; });
  return told;
}

constexpr const char* not_sparse = "the array must have been made with ArrayFlags::sparse";
constexpr const char* not_deferred =
    "the array must have been made with ArrayFlags::deferred_mapping";

CUarrayMapInfo raw_mapping(const TileMapping& mapping) {
  CUarrayMapInfo raw{};
  if (const auto* whole = std::get_if<Array>(&mapping.array)) {
    raw.resourceType = CU_RESOURCE_TYPE_ARRAY;
    raw.resource.array = whole->raw();
  } else {
    raw.resourceType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
    raw.resource.mipmap = std::get<MipmappedArray>(mapping.array).raw();
  }
  if (const auto* tiles = std::get_if<ArrayTiles>(&mapping.part)) {
    raw.subresourceType = CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_SPARSE_LEVEL;
    auto& level = raw.subresource.sparseLevel;
    level.level = tiles->level;
    level.layer = tiles->layer;
    level.offsetX = tiles->x;
    level.offsetY = tiles->y;
    level.offsetZ = tiles->z;
    level.extentWidth = tiles->width;
    level.extentHeight = tiles->height;
    level.extentDepth = tiles->depth;
  } else {
    const ArrayTail& tail = std::get<ArrayTail>(mapping.part);
    raw.subresourceType = CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_MIPTAIL;
    raw.subresource.miptail.layer = tail.layer;
    raw.subresource.miptail.offset = tail.offset;
    raw.subresource.miptail.size = tail.size_bytes;
  }
  raw.memOperationType =
      mapping.memory != nullptr ? CU_MEM_OPERATION_TYPE_MAP : CU_MEM_OPERATION_TYPE_UNMAP;
  raw.memHandleType = CU_MEM_HANDLE_TYPE_GENERIC;
  if (mapping.memory != nullptr) raw.memHandle.memHandle = mapping.memory->raw();
  raw.offset = mapping.offset;
  return raw;
}

const Context& context_of(const TileMapping& mapping) {
  return std::visit([](const auto& array) -> const Context& { return array.context(); },
                    mapping.array);
}

}  // namespace

SparseLayout sparse_layout(const Array& array) {
  return layout_of(ask_array<CUDA_ARRAY_SPARSE_PROPERTIES>(
      array, "cuArrayGetSparseProperties", not_sparse, &Table::cuArrayGetSparseProperties));
}
SparseLayout sparse_layout(const MipmappedArray& array) {
  return layout_of(ask_array<CUDA_ARRAY_SPARSE_PROPERTIES>(
      array, "cuMipmappedArrayGetSparseProperties", not_sparse,
      &Table::cuMipmappedArrayGetSparseProperties));
}

ArrayMemory array_memory(const Array& array) {
  const auto told = ask_array<CUDA_ARRAY_MEMORY_REQUIREMENTS>(
      array, "cuArrayGetMemoryRequirements", not_deferred, &Table::cuArrayGetMemoryRequirements,
      array.context().device().raw());
  return {told.size, told.alignment};
}
ArrayMemory array_memory(const MipmappedArray& array) {
  const auto told = ask_array<CUDA_ARRAY_MEMORY_REQUIREMENTS>(
      array, "cuMipmappedArrayGetMemoryRequirements", not_deferred,
      &Table::cuMipmappedArrayGetMemoryRequirements, array.context().device().raw());
  return {told.size, told.alignment};
}

Array array_plane(const Array& array, unsigned index) {
  const auto raw = ask_array<RawArray>(array, "cuArrayGetPlane", "arrays of most formats have one",
                                       &Table::cuArrayGetPlane, index);
  return Array::borrow(array.context(), raw, std::make_shared<const Array>(array));
}

void map_tiles(std::span<const TileMapping> mappings, StreamRef stream) {
  constexpr const char* call = "cuMemMapArrayAsync";
  if (mappings.empty())
    throw InvalidArgument(std::string(call) + ": there are no mappings", "pass at least one");
  const Context& context = context_of(mappings.front());
  std::vector<CUarrayMapInfo> raw;
  for (const TileMapping& mapping : mappings) {
    raw.push_back(raw_mapping(mapping));
    raw.back().deviceBitMask = 1u << static_cast<unsigned>(context.device().raw());
  }
  const Activation active(context);
  check(active.table(),
        active.table().cuMemMapArrayAsync(raw.data(), static_cast<unsigned>(raw.size()),
                                          stream.raw()),
        call, [&] { return std::to_string(raw.size()) + " mappings"; });
}

}  // namespace treadle::cuda

// SPDX-License-Identifier: MIT
#include "treadle/cuda/sparse_array.hpp"

#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "calls/argument.hpp"
#include "native/cuda_rooms.hpp"
#include "rooms.hpp"

namespace treadle::bindings {

using namespace treadle::cuda;

namespace {

using AnyArray = std::variant<Array, MipmappedArray>;

/// A mapping that keeps its memory, because Python may drop the memory.
struct KeptMapping {
  AnyArray array;
  std::variant<ArrayTiles, ArrayTail> part;
  std::optional<PhysicalMemory> memory;
  std::uint64_t offset;
};

void bind_parts(nb::module_& m) {
  nb::class_<SparseLayout>(m, "SparseLayout", "The tiles of a sparse array.")
      .def_ro("tile_width", &SparseLayout::tile_width, "Elements.")
      .def_ro("tile_height", &SparseLayout::tile_height, "Rows.")
      .def_ro("tile_depth", &SparseLayout::tile_depth, "Slices.")
      .def_ro("tail_level", &SparseLayout::tail_level,
              "From this level on, all levels of a layer are one tail.")
      .def_ro("tail_bytes", &SparseLayout::tail_bytes, "Of a tail, or of the only one.")
      .def_ro("has_single_tail", &SparseLayout::has_single_tail, "One for all layers.");
  nb::class_<ArrayMemory>(m, "ArrayMemory", "The memory that a deferred array needs.")
      .def_ro("size_bytes", &ArrayMemory::size_bytes)
      .def_ro("alignment", &ArrayMemory::alignment, "Bytes.");
  nb::class_<ArrayTiles>(m, "ArrayTiles", "A box of whole tiles of a level and layer.")
      .def(
          "__init__",
          [](ArrayTiles* self, unsigned width, unsigned height, unsigned depth, unsigned x,
             unsigned y, unsigned z, unsigned level, unsigned layer) {
            new (self) ArrayTiles{level, layer, x, y, z, width, height, depth};
          },
          nb::arg("width"), nb::arg("height") = 1, nb::arg("depth") = 1, nb::kw_only(),
          nb::arg("x") = 0, nb::arg("y") = 0, nb::arg("z") = 0, nb::arg("level") = 0,
          nb::arg("layer") = 0);
  nb::class_<ArrayTail>(m, "ArrayTail", "Bytes of the tail of a layer, or of a deferred array.")
      .def(
          "__init__",
          [](ArrayTail* self, std::uint64_t size_bytes, std::uint64_t offset, unsigned layer) {
            new (self) ArrayTail{layer, offset, size_bytes};
          },
          nb::arg("size_bytes"), nb::arg("offset") = 0, nb::arg("layer") = 0);
  nb::class_<KeptMapping>(m, "TileMapping", "What gets memory, or loses it.")
      .def(
          "__init__",
          [](KeptMapping* self, AnyArray array, std::variant<ArrayTiles, ArrayTail> part,
             const PhysicalMemory* memory, std::uint64_t offset) {
            new (self)
                KeptMapping{std::move(array), std::move(part),
                            memory == nullptr ? std::nullopt : std::optional(*memory), offset};
          },
          nb::arg("array"), nb::arg("part"), nb::arg("memory") = nb::none(), nb::arg("offset") = 0,
          "`memory` is of PhysicalMemory.for_tiles(); None takes it away.");
}

}  // namespace

void bind_cuda_sparse_array(nb::module_& m) {
  bind_parts(m);
  m.def(
      "sparse_layout",
      [](const AnyArray& array) {
        return std::visit([](const auto& one) { return sparse_layout(one); }, array);
      },
      nb::arg("array"), "The tiles of a sparse array. Raises DeviceError for any other.");
  m.def(
      "array_memory",
      [](const AnyArray& array) {
        return std::visit([](const auto& one) { return array_memory(one); }, array);
      },
      nb::arg("array"), "What a deferred array needs. Raises DeviceError for any other.");
  m.def("array_plane", &array_plane, nb::arg("array"), nb::arg("index"),
        "One plane of an array in a format of several, which it keeps.");
  m.def(
      "map_tiles",
      [](const std::vector<KeptMapping>& mappings, nb::handle stream) {
        std::vector<TileMapping> given;
        for (const KeptMapping& one : mappings)
          given.push_back({one.array, one.part, one.memory ? &*one.memory : nullptr, one.offset});
        map_tiles(given, stream_argument(stream.ptr()));
      },
      nb::arg("mappings"), nb::arg("stream") = nb::none(),
      "Gives parts of arrays memory, or takes it, in the order of the stream.");
}

}  // namespace treadle::bindings

// SPDX-License-Identifier: MIT
#include "treadle/cuda/occupancy.hpp"

#include <nanobind/stl/vector.h>

#include "calls/function.hpp"
#include "rooms.hpp"
#include "treadle/cuda/launch_attributes.hpp"

namespace treadle::bindings {

using namespace treadle::cuda;

namespace {

const Function& function_of(nb::handle function) {
  return kernel_argument(function.ptr(), "function").function;
}

BlockSuggestion suggest(nb::handle function, nb::handle shared_bytes, unsigned most_threads) {
  const Function& kernel = function_of(function);
  if (PyCallable_Check(shared_bytes.ptr()) == 0)
    return suggest_block(kernel, unsigned_argument(shared_bytes.ptr(), "shared_bytes"),
                         most_threads);
  // The driver calls this function on the same thread, which holds the GIL.
  const auto ask = [&](unsigned threads) -> std::size_t {
    return unsigned_argument(nb::object(shared_bytes(threads)).ptr(), "shared_bytes()");
  };
  return suggest_block(kernel, ask, most_threads);
}

void bind_questions_to_driver(nb::module_& m) {
  nb::class_<BlockSuggestion>(m, "BlockSuggestion", "Blocks that fill a device.")
      .def_ro("block_threads", &BlockSuggestion::block_threads,
              "With these a multiprocessor runs the most threads at a time.")
      .def_ro("grid_blocks", &BlockSuggestion::grid_blocks,
              "So many blocks are needed for every multiprocessor to be full.");
  m.def(
      "max_active_blocks",
      [](nb::object function, unsigned block_threads, std::size_t shared_bytes) {
        return max_active_blocks(function_of(function), block_threads, shared_bytes);
      },
      nb::arg("function"), nb::arg("block_threads"), nb::arg("shared_bytes") = 0,
      nb::sig("def max_active_blocks(function: Function, block_threads: int, "
              "shared_bytes: int = 0) -> int"),
      "How many such blocks a multiprocessor runs at a time; 0 where not even one fits.");
  m.def(
      "suggest_block",
      [](nb::object function, nb::object shared_bytes, unsigned most_threads) {
        return suggest(function, shared_bytes, most_threads);
      },
      nb::arg("function"), nb::arg("shared_bytes") = 0, nb::arg("most_threads") = 0,
      nb::sig("def suggest_block(function: Function, "
              "shared_bytes: int | typing.Callable[[int], int] = 0, most_threads: int = 0) -> "
              "BlockSuggestion"),
      "The driver's proposal for blocks with so much dynamic shared memory each, a number or a "
      "function of their threads, and of at most `most_threads` (0: any).");
  m.def(
      "available_shared_bytes",
      [](nb::object function, unsigned blocks, unsigned block_threads) {
        return available_shared_bytes(function_of(function), blocks, block_threads);
      },
      nb::arg("function"), nb::arg("blocks"), nb::arg("block_threads"),
      nb::sig("def available_shared_bytes(function: Function, blocks: int, block_threads: int) -> "
              "int"),
      "The most dynamic shared memory with which a multiprocessor still runs so many blocks.");
}

/// The launch that a query about clusters asks for.
LaunchConfig clustered(nb::handle grid, nb::handle block, unsigned shared_bytes,
                       const LaunchAttributes* attributes) {
  LaunchConfig config;
  config.grid = dim3_argument(grid.ptr(), "grid");
  config.block = dim3_argument(block.ptr(), "block");
  config.shared_bytes = shared_bytes;
  config.attributes = attributes;
  return config;
}

void bind_clusters(nb::module_& m) {
  m.def(
      "max_active_clusters",
      [](nb::object function, nb::handle grid, nb::handle block, unsigned shared_bytes,
         const LaunchAttributes* attributes) {
        return max_active_clusters(function_of(function),
                                   clustered(grid, block, shared_bytes, attributes));
      },
      nb::arg("function"), nb::arg("grid"), nb::arg("block"), nb::arg("shared_bytes") = 0,
      nb::arg("attributes") = nb::none(),
      nb::sig(
          "def max_active_clusters(function: Function, grid: Sequence[int], block: Sequence[int], "
          "shared_bytes: int = 0, attributes: LaunchAttributes | None = None) -> int"),
      "The most clusters of the attributes that the device runs at a time.");
  m.def(
      "max_cluster_blocks",
      [](nb::object function, nb::handle grid, nb::handle block, unsigned shared_bytes,
         const LaunchAttributes* attributes) {
        return max_cluster_blocks(function_of(function),
                                  clustered(grid, block, shared_bytes, attributes));
      },
      nb::arg("function"), nb::arg("grid"), nb::arg("block"), nb::arg("shared_bytes") = 0,
      nb::arg("attributes") = nb::none(),
      nb::sig(
          "def max_cluster_blocks(function: Function, grid: Sequence[int], block: Sequence[int], "
          "shared_bytes: int = 0, attributes: LaunchAttributes | None = None) -> int"),
      "The most blocks that a cluster of such a launch may have.");
}

}  // namespace

void bind_cuda_occupancy(nb::module_& m) {
  bind_questions_to_driver(m);
  bind_clusters(m);
  nb::class_<Multiprocessor>(m, "Multiprocessor", "What one multiprocessor has room for.")
      .def(nb::init<>())
      .def_static("of", &Multiprocessor::of, nb::arg("device"),
                  "As the device's attributes say; on the CPU device a multiprocessor is a core.")
      .def_rw("block_threads", &Multiprocessor::block_threads)
      .def_rw("warp_threads", &Multiprocessor::warp_threads)
      .def_rw("warps", &Multiprocessor::warps)
      .def_rw("blocks", &Multiprocessor::blocks)
      .def_rw("registers", &Multiprocessor::registers)
      .def_rw("shared_bytes", &Multiprocessor::shared_bytes)
      .def_rw("register_unit", &Multiprocessor::register_unit)
      .def_rw("shared_unit_bytes", &Multiprocessor::shared_unit_bytes);
  nb::enum_<OccupancyLimit>(m, "OccupancyLimit", "What keeps further blocks out.")
      .value("blocks", OccupancyLimit::blocks)
      .value("registers", OccupancyLimit::registers)
      .value("shared_memory", OccupancyLimit::shared_memory)
      .value("warps", OccupancyLimit::warps);
  nb::class_<Occupancy> type(m, "Occupancy", "How full a multiprocessor is.");
  nb::class_<Occupancy::Limit>(type, "Limit", "One thing that a multiprocessor has so much of.")
      .def_ro("blocks", &Occupancy::Limit::blocks,
              "That many would fit if nothing else was needed.")
      .def_ro("by", &Occupancy::Limit::by);
  type.def_ro("blocks", &Occupancy::blocks)
      .def_ro("warps", &Occupancy::warps)
      .def_ro("fraction", &Occupancy::fraction, "Of the warps that there is room for.")
      .def_ro("limited_by", &Occupancy::limited_by, "The smallest of `limits`.")
      .def_ro("limits", &Occupancy::limits, "For each thing that a block needs.");
  m.def(
      "occupancy",
      [](const Multiprocessor& multiprocessor, unsigned threads, unsigned shared_bytes,
         unsigned registers_per_thread) {
        return occupancy(multiprocessor, {threads, shared_bytes, registers_per_thread});
      },
      nb::arg("multiprocessor"), nb::arg("threads"), nb::arg("shared_bytes") = 0,
      nb::arg("registers_per_thread") = 0,
      "How many blocks of these needs a multiprocessor holds at a time, and what limits them.");
}

}  // namespace treadle::bindings

// SPDX-License-Identifier: MIT
// Queries of graph nodes, and the memory of graphs.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "native/cuda_rooms.hpp"
#include "native/graph_after.hpp"
#include "rooms.hpp"
#include "treadle/cuda/graph_memory.hpp"
#include "treadle/cuda/launch_attributes.hpp"

namespace treadle::bindings {

using namespace treadle::cuda;

namespace {

nb::tuple dim_tuple(const Dim3& dim) { return nb::make_tuple(dim.x, dim.y, dim.z); }

void bind_told(nb::module_& m) {
  nb::class_<NodeKernel>(m, "NodeKernel", "What a kernel's node launches.")
      .def_prop_ro(
          "function",
          [](const NodeKernel& self) { return reinterpret_cast<std::uintptr_t>(self.function); })
      .def_ro("name", &NodeKernel::name, "As the module's symbol table has it.")
      .def_prop_ro(
          "grid", [](const NodeKernel& self) { return dim_tuple(self.grid); },
          nb::sig("def grid(self) -> tuple[int, int, int]"))
      .def_prop_ro(
          "block", [](const NodeKernel& self) { return dim_tuple(self.block); },
          nb::sig("def block(self) -> tuple[int, int, int]"))
      .def_ro("shared_bytes", &NodeKernel::shared_bytes)
      .def_prop_ro(
          "arguments",
          [](const NodeKernel& self) {
            nb::list all;
            for (const auto& bytes : self.arguments)
              all.append(nb::bytes(bytes.data(), bytes.size()));
            return all;
          },
          nb::sig("def arguments(self) -> list[bytes]"),
          "The bytes of each; none before CUDA 12.4.");
  nb::class_<GraphFill>(m, "NodeFill", "What a fill's node fills.")
      .def_prop_ro("destination", [](const GraphFill& self) { return self.area.destination; })
      .def_prop_ro("pitch_bytes", [](const GraphFill& self) { return self.area.pitch_bytes; })
      .def_prop_ro(
          "width", [](const GraphFill& self) { return self.area.width; }, "Elements of a row.")
      .def_prop_ro("height", [](const GraphFill& self) { return self.area.height; })
      .def_ro("value", &GraphFill::value)
      .def_ro("element_bytes", &GraphFill::element_bytes);
  nb::class_<NodeAllocation>(m, "NodeAllocation", "What a node allocates.")
      .def_ro("address", &NodeAllocation::address)
      .def_ro("size_bytes", &NodeAllocation::size_bytes);
}

void bind_node_questions() {
  nb::borrow<nb::class_<GraphNode>>(nb::type<GraphNode>())
      .def_prop_ro("kernel", &GraphNode::kernel, "Of a kernel's node: what it launches.")
      .def_prop_ro("attributes", &GraphNode::attributes,
                   "Of a kernel's node: those that the driver tells.")
      .def_prop_ro("copy", &GraphNode::copy, "Of a copy.")
      .def_prop_ro("fill", &GraphNode::fill, "Of a fill.")
      .def_prop_ro(
          "host",
          [](const GraphNode& self) {
            const NodeHost told = self.host();
            return std::pair(reinterpret_cast<std::uintptr_t>(told.function),
                             reinterpret_cast<std::uintptr_t>(told.data));
          },
          "Of a host function: its address, and what it is called with.")
      .def_prop_ro(
          "event",
          [](const GraphNode& self) { return reinterpret_cast<std::uintptr_t>(self.event()); },
          "Of a node that records an event or waits for one: its CUevent.")
      .def_prop_ro("operations", &GraphNode::operations, "Of a batch of operations on memory.")
      .def_prop_ro("allocation", &GraphNode::allocation, "Of an allocation.")
      .def_prop_ro("freed", &GraphNode::freed, "Of a node that frees: the address.")
      .def(
          "set_operations",
          [](const GraphNode& self, const std::vector<MemoryOperation>& operations) {
            self.set_operations(operations);
          },
          nb::arg("operations"), "Of a batch of operations on memory.")
      .def("copy_attributes", &GraphNode::copy_attributes, nb::arg("source"),
           "Gives a kernel's node all attributes of another kernel's.");
  nb::borrow<nb::class_<Graph>>(nb::type<Graph>())
      .def(
          "add_operations",
          [](const Graph& self, const std::vector<MemoryOperation>& operations, nb::handle after) {
            return self.add_operations(after_argument(after), operations);
          },
          nb::arg("operations"), nb::arg("after") = nb::none(),
          "A batch of waits for words of memory and writes to them, in order.");
  nb::borrow<nb::class_<GraphExec>>(nb::type<GraphExec>())
      .def(
          "set_operations",
          [](const GraphExec& self, const GraphNode& node,
             const std::vector<MemoryOperation>& operations) {
            self.set_operations(node, operations);
          },
          nb::arg("node"), nb::arg("operations"), "What later launches wait for and write.")
      .def_prop_ro("flags", &GraphExec::flags, "What it was instantiated with.");
}

}  // namespace

void bind_cuda_graph_questions(nb::module_& m) {
  bind_told(m);
  bind_node_questions();
  nb::class_<GraphMemoryUse>(m, "GraphMemoryUse", "Bytes of one device, of all graphs.")
      .def_ro("used", &GraphMemoryUse::used, "By graphs, now.")
      .def_ro("most_used", &GraphMemoryUse::most_used, "At one time.")
      .def_ro("reserved", &GraphMemoryUse::reserved, "That the device has given for them.")
      .def_ro("most_reserved", &GraphMemoryUse::most_reserved, "At one time.");
  m.def("graph_memory_use", &graph_memory_use, nb::arg("device"),
        "The memory that nodes of graphs allocate.");
  m.def("reset_most_graph_memory", &reset_most_graph_memory, nb::arg("device"),
        "Lets both most_ numbers begin again from what is the case now.");
  m.def("trim_graph_memory", &trim_graph_memory, nb::arg("device"),
        "Gives what no graph uses back to the device.");
}

}  // namespace treadle::bindings

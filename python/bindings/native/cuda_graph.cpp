// SPDX-License-Identifier: MIT
#include "treadle/cuda/graph.hpp"

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "caller.hpp"
#include "calls/argument.hpp"
#include "calls/function.hpp"
#include "interrupt.hpp"
#include "kept.hpp"
#include "native/graph_after.hpp"
#include "native/host_function.hpp"
#include "rooms.hpp"
#include "treadle/cuda/capture.hpp"
#include "treadle/cuda/launch_attributes.hpp"

namespace treadle::bindings {

using namespace treadle::cuda;

namespace {

/// The facts of a kernel's node, from the keywords of a call.
struct NodeShape {
  nb::handle grid, block, shared_bytes, cooperative;
  const LaunchAttributes* attributes = nullptr;
};

/// Packs the arguments of a kernel and hands the call to `use(KernelCall)`.
template <class Use>
auto with_call(nb::handle function, const nb::args& arguments, const NodeShape& shape, Use&& use) {
  KernelState& kernel = kernel_argument(function.ptr(), "function");
  LaunchConfig config;
  config.grid = dim3_argument(shape.grid.ptr(), "grid");
  config.block = dim3_argument(shape.block.ptr(), "block");
  config.shared_bytes = static_cast<unsigned>(
      unsigned_argument(shape.shared_bytes.ptr(), "shared_bytes", 0xFFFFFFFFu));
  config.cooperative = is_set(shape.cooperative.ptr());
  config.attributes = shape.attributes;
  ArgumentBuffer buffer(kernel.layout, kernel.function.name());
  std::vector<PyObject*> handlers;
  for (nb::handle argument : arguments) add_argument(buffer, argument.ptr(), kernel, handlers);
  if (!handlers.empty())
    raise_python(PyExc_TypeError, "In, Out and InOut belong to one launch; pass device memory");
  KernelCall call(kernel.function, config, buffer);
  if (arguments.size() > 0) call.hold(keep(arguments));
  return use(std::move(call));
}

Copy3D linear_copy(nb::handle destination, nb::handle source, std::size_t size_bytes) {
  const auto side = [&](nb::handle address, const char* name) {
    return CopySide{.type = MemoryType::unified,
                    .device = pointer_argument(address.ptr(), name),
                    .pitch_bytes = size_bytes,
                    .height = 1};
  };
  return {.source = side(source, "source"),
          .destination = side(destination, "destination"),
          .width_bytes = size_bytes,
          .height = 1,
          .depth = 1};
}

std::size_t bytes_argument(nb::handle size) {
  return static_cast<std::size_t>(unsigned_argument(size.ptr(), "size_bytes", PTRDIFF_MAX));
}

GraphFill make_fill(nb::handle destination, nb::handle value, nb::handle count,
                    unsigned element_bytes) {
  return {
      .area = {pointer_argument(destination.ptr(), "destination"), 0,
               static_cast<std::size_t>(unsigned_argument(count.ptr(), "count", PTRDIFF_MAX)), 1},
      .value = static_cast<std::uint32_t>(unsigned_argument(value.ptr(), "value", 0xFFFFFFFFu)),
      .element_bytes = element_bytes};
}

void bind_node(nb::module_& m) {
  nb::enum_<GraphNodeType>(m, "GraphNodeType", "CUgraphNodeType: what a node does.")
      .value("kernel", GraphNodeType::kernel)
      .value("copy", GraphNodeType::copy)
      .value("fill", GraphNodeType::fill)
      .value("host", GraphNodeType::host)
      .value("child", GraphNodeType::child)
      .value("empty", GraphNodeType::empty)
      .value("wait", GraphNodeType::wait)
      .value("record", GraphNodeType::record)
      .value("signal_semaphore", GraphNodeType::signal_semaphore)
      .value("wait_semaphore", GraphNodeType::wait_semaphore)
      .value("allocate", GraphNodeType::allocate)
      .value("free", GraphNodeType::free)
      .value("memory_operations", GraphNodeType::memory_operations)
      .value("conditional", GraphNodeType::conditional);
  nb::class_<GraphNode>(m, "GraphNode", "One piece of work of a graph.")
      .def_prop_ro("type", &GraphNode::type)
      .def_prop_ro("dependencies", &GraphNode::dependencies, "The nodes it waits for.")
      .def_prop_ro("dependents", &GraphNode::dependents, "The nodes that wait for it.")
      .def_prop_ro("child", &GraphNode::child,
                   "Of a child node: the graph in it. Raises DeviceError for other nodes.")
      .def("remove", &GraphNode::remove, "Takes it out of its graph, with its edges.")
      .def(
          "set_kernel",
          [](const GraphNode& self, nb::handle function, const nb::args& args, nb::handle grid,
             nb::handle block, nb::handle shared_bytes) {
            with_call(function, args, {grid, block, shared_bytes, nb::handle(Py_False)},
                      [&](KernelCall call) { self.set_kernel(std::move(call)); });
          },
          nb::arg("function"), nb::arg("args"), nb::arg("grid"), nb::arg("block"),
          nb::arg("shared_bytes") = 0,
          nb::sig("def set_kernel(self, function: Function, *args: typing.Any, grid: int | "
                  "Sequence[int], block: int | Sequence[int], shared_bytes: int = 0) -> None"),
          "What executable graphs that are made later launch.")
      .def(
          "set_host",
          [](const GraphNode& self, nb::handle function) {
            self.set_host(host_function(function));
          },
          nb::arg("function"), "What executable graphs that are made later call.")
      .def("set_event", &GraphNode::set_event, nb::arg("event"), nb::keep_alive<1, 2>(),
           "Of a node that records an event or waits for one.")
      .def_prop_ro(
          "raw", [](const GraphNode& self) { return reinterpret_cast<std::uintptr_t>(self.raw()); })
      .def(
          "__eq__",
          [](const GraphNode& self, nb::handle other) {
            return nb::isinstance<GraphNode>(other) && self == nb::cast<const GraphNode&>(other);
          },
          nb::is_operator())
      .def("__hash__", [](const GraphNode& self) { return std::hash<const void*>()(self.raw()); });
}

void bind_structs(nb::module_& m) {
  nb::class_<Condition>(
      m, "Condition", "What a kernel sets by cudaGraphSetConditional, and a conditional node asks.")
      .def_ro("value", &Condition::value, "The handle: an argument of the kernel.")
      .def("__index__", [](const Condition& self) { return self.value; });
  nb::class_<ConditionalNode>(m, "ConditionalNode", "A node whose graphs run or not.")
      .def_ro("node", &ConditionalNode::node)
      .def_ro("bodies", &ConditionalNode::bodies, "The graphs, to be filled.");
  nb::class_<GraphAllocation>(m, "GraphAllocation", "Memory that a graph allocates.")
      .def_ro("node", &GraphAllocation::node)
      .def_ro("address", &GraphAllocation::address, "The same in every launch.");
  nb::enum_<InstantiateFlags>(m, "InstantiateFlags", "CUgraphInstantiate_flags; combine with |.",
                              nb::is_arithmetic(), nb::is_flag())
      .value("none", InstantiateFlags::none)
      .value("free_on_launch", InstantiateFlags::free_on_launch)
      .value("upload", InstantiateFlags::upload)
      .value("device_launch", InstantiateFlags::device_launch)
      .value("node_priorities", InstantiateFlags::node_priorities);
}

void bind_work(nb::class_<Graph>& type) {
  type.def(
          "add_kernel",
          [](const Graph& self, nb::handle function, const nb::args& args, nb::handle grid,
             nb::handle block, nb::handle shared_bytes, nb::handle cooperative, nb::handle after,
             const LaunchAttributes* attributes) {
            return with_call(function, args, {grid, block, shared_bytes, cooperative, attributes},
                             [&](KernelCall call) {
                               return self.add_kernel(after_argument(after), std::move(call));
                             });
          },
          nb::arg("function"), nb::arg("args"), nb::arg("grid"), nb::arg("block"),
          nb::arg("shared_bytes") = 0, nb::arg("cooperative") = false,
          nb::arg("after") = nb::none(), nb::arg("attributes") = nb::none(),
          nb::sig("def add_kernel(self, function: Function, *args: typing.Any, grid: int | "
                  "Sequence[int], block: int | Sequence[int], shared_bytes: int = 0, cooperative: "
                  "bool = False, after: GraphNode | Sequence[GraphNode] | None = None, attributes: "
                  "LaunchAttributes | None = None) -> GraphNode"),
          "A launch. The arguments are checked now, and live as long as the node.")
      .def(
          "add_copy",
          [](const Graph& self, nb::handle destination, nb::handle source, nb::handle size_bytes,
             nb::handle after) {
            return self.add_copy(after_argument(after),
                                 linear_copy(destination, source, bytes_argument(size_bytes)));
          },
          nb::arg("destination"), nb::arg("source"), nb::arg("size_bytes"),
          nb::arg("after") = nb::none(),
          "Between two addresses, which must stay valid as long as the graph: see keep().")
      .def(
          "add_fill",
          [](const Graph& self, nb::handle destination, nb::handle value, nb::handle count,
             unsigned element_bytes, nb::handle after) {
            return self.add_fill(after_argument(after),
                                 make_fill(destination, value, count, element_bytes));
          },
          nb::arg("destination"), nb::arg("value"), nb::arg("count"), nb::arg("element_bytes") = 4,
          nb::arg("after") = nb::none(), "Sets `count` elements of 1, 2 or 4 bytes.")
      .def(
          "add_host",
          [](const Graph& self, nb::handle function, nb::handle after) {
            return self.add_host(after_argument(after), host_function(function));
          },
          nb::arg("function"), nb::arg("after") = nb::none(),
          "A call of a Python function, which must not use CUDA; what it raises becomes a "
          "warning.");
}

void bind_other_work(nb::class_<Graph>& type) {
  type.def(
          "add_child",
          [](const Graph& self, const Graph& child, nb::handle after) {
            return self.add_child(after_argument(after), child);
          },
          nb::arg("child"), nb::arg("after") = nb::none(), "The nodes of `child` as they are now.")
      .def(
          "add_empty",
          [](const Graph& self, nb::handle after) { return self.add_empty(after_argument(after)); },
          nb::arg("after") = nb::none(), "A place where many nodes meet.")
      .def(
          "add_record",
          [](const Graph& self, const Event& event, nb::handle after) {
            return self.add_record(after_argument(after), event);
          },
          nb::arg("event"), nb::arg("after") = nb::none(), nb::keep_alive<1, 2>(),
          "Records an event that streams outside know, too.")
      .def(
          "add_wait",
          [](const Graph& self, const Event& event, nb::handle after) {
            return self.add_wait(after_argument(after), event);
          },
          nb::arg("event"), nb::arg("after") = nb::none(), nb::keep_alive<1, 2>(),
          "Waits for what an event has recorded when the graph is launched.")
      .def(
          "add_allocation",
          [](const Graph& self, nb::handle size_bytes, nb::handle after) {
            return self.add_allocation(after_argument(after), bytes_argument(size_bytes));
          },
          nb::arg("size_bytes"), nb::arg("after") = nb::none(),
          "Memory for the nodes after it, until a node frees it.")
      .def(
          "add_free",
          [](const Graph& self, nb::handle address, nb::handle after) {
            return self.add_free(after_argument(after), pointer_argument(address.ptr(), "address"));
          },
          nb::arg("address"), nb::arg("after") = nb::none(), "Frees what a node has allocated.");
}

void bind_conditions(nb::class_<Graph>& type) {
  type.def("add_condition", &Graph::add_condition, nb::arg("initial") = nb::none(),
           "What decides on conditional nodes of this graph. Each launch sets it to `initial`.")
      .def(
          "add_if",
          [](const Graph& self, Condition condition, bool has_else, nb::handle after) {
            return self.add_if(after_argument(after), condition, has_else);
          },
          nb::arg("condition"), nb::arg("has_else") = false, nb::arg("after") = nb::none(),
          "The body runs if the condition is not 0, the second one if it is.")
      .def(
          "add_while",
          [](const Graph& self, Condition condition, nb::handle after) {
            return self.add_while(after_argument(after), condition);
          },
          nb::arg("condition"), nb::arg("after") = nb::none(),
          "The body runs as long as the condition is not 0.")
      .def(
          "add_switch",
          [](const Graph& self, Condition condition, unsigned bodies, nb::handle after) {
            return self.add_switch(after_argument(after), condition, bodies);
          },
          nb::arg("condition"), nb::arg("bodies"), nb::arg("after") = nb::none(),
          "The body whose number is the condition runs; none if there is none.");
}

void bind_graph(nb::module_& m) {
  nb::class_<Graph> type(m, "Graph", nb::is_weak_referenceable(),
                         "Work with its dependencies, described once and launched as a whole.");
  let_go_without_gil<Graph>();
  type.def(nb::init<>(), "Empty, in the current context.");
  bind_work(type);
  bind_other_work(type);
  bind_conditions(type);
  type.def("connect", &Graph::connect, nb::arg("before"), nb::arg("behind"),
           "Adds an edge. Raises DeviceError for one that is there.")
      .def("disconnect", &Graph::disconnect, nb::arg("before"), nb::arg("behind"),
           "Removes an edge. Raises DeviceError for one that is not there.")
      .def_prop_ro("nodes", &Graph::nodes, "In the order they were added.")
      .def_prop_ro("roots", &Graph::roots, "The nodes that wait for none.")
      .def_prop_ro("edges", &Graph::edges, "Each: what is waited for, and what waits.")
      .def("clone", &Graph::clone, "A graph of its own.")
      .def("find", &Graph::find, nb::arg("original"),
           "The node of this clone that was made from `original`.")
      .def("write_dot", &Graph::write_dot, nb::arg("path"), nb::arg("verbose") = false,
           "Writes it as text for Graphviz.")
      .def(
          "keep", [](const Graph& self, nb::handle object) { self.keep(keep(object)); },
          nb::arg("object"),
          "Keeps an object as long as the graph, its clones and executable graphs, and their last "
          "launches.")
      .def("instantiate", &Graph::instantiate, nb::arg("flags") = InstantiateFlags::none,
           nb::call_guard<nb::gil_scoped_release>(), "Makes it ready to run, as it is now.")
      .def_prop_ro("raw",
                   [](const Graph& self) { return reinterpret_cast<std::uintptr_t>(self.raw()); })
      .def(
          "__eq__",
          [](const Graph& self, nb::handle other) {
            return nb::isinstance<Graph>(other) && self == nb::cast<const Graph&>(other);
          },
          nb::is_operator())
      .def("__hash__", [](const Graph& self) { return std::hash<const void*>()(self.raw()); });
}

void bind_exec(nb::module_& m) {
  nb::class_<GraphExec>(m, "GraphExec", nb::is_weak_referenceable(),
                        "A graph that is ready to run.")
      .def(
          "launch",
          [](const GraphExec& self, nb::handle stream) {
            note_launch_site();
            self.launch(stream_argument(stream.ptr()));
          },
          nb::arg("stream") = nb::none(),
          "Runs the whole graph in the order of the stream, after the launch before.")
      .def(
          "upload",
          [](const GraphExec& self, nb::handle stream) {
            self.upload(stream_argument(stream.ptr()));
          },
          nb::arg("stream") = nb::none(), "Moves it to the device ahead of the first launch.")
      .def("update", &GraphExec::update, nb::arg("graph"),
           "Gives later launches the parameters of a graph with the same nodes and edges. Raises "
           "InvalidArgument, saying what differs.")
      .def(
          "set_kernel",
          [](GraphExec& self, const GraphNode& node, nb::handle function, const nb::args& args,
             nb::handle grid, nb::handle block, nb::handle shared_bytes) {
            with_call(function, args, {grid, block, shared_bytes, nb::handle(Py_False)},
                      [&](KernelCall call) { self.set_kernel(node, std::move(call)); });
          },
          nb::arg("node"), nb::arg("function"), nb::arg("args"), nb::arg("grid"), nb::arg("block"),
          nb::arg("shared_bytes") = 0,
          nb::sig("def set_kernel(self, node: GraphNode, function: Function, *args: typing.Any, "
                  "grid: int | Sequence[int], block: int | Sequence[int], shared_bytes: int = 0) "
                  "-> None"),
          "What later launches run in place of the node's kernel.")
      .def(
          "set_copy",
          [](const GraphExec& self, const GraphNode& node, nb::handle destination,
             nb::handle source, nb::handle size_bytes) {
            self.set_copy(node, linear_copy(destination, source, bytes_argument(size_bytes)));
          },
          nb::arg("node"), nb::arg("destination"), nb::arg("source"), nb::arg("size_bytes"),
          "What later launches copy.")
      .def(
          "set_fill",
          [](const GraphExec& self, const GraphNode& node, nb::handle destination, nb::handle value,
             nb::handle count, unsigned element_bytes) {
            self.set_fill(node, make_fill(destination, value, count, element_bytes));
          },
          nb::arg("node"), nb::arg("destination"), nb::arg("value"), nb::arg("count"),
          nb::arg("element_bytes") = 4, "What later launches fill.")
      .def(
          "set_host",
          [](GraphExec& self, const GraphNode& node, nb::handle function) {
            self.set_host(node, host_function(function));
          },
          nb::arg("node"), nb::arg("function"), "What later launches call.")
      .def("set_child", &GraphExec::set_child, nb::arg("node"), nb::arg("child"),
           "A graph with the same nodes and edges as the one in the node.")
      .def("set_event", &GraphExec::set_event, nb::arg("node"), nb::arg("event"),
           nb::keep_alive<1, 3>(), "Of a node that records an event or waits for one.")
      .def("set_enabled", &GraphExec::set_enabled, nb::arg("node"), nb::arg("enabled"),
           "Whether later launches run the node, a kernel, copy or fill.")
      .def("is_enabled", &GraphExec::is_enabled, nb::arg("node"), "Whether launches run the node.")
      .def_prop_ro("raw", [](const GraphExec& self) {
        return reinterpret_cast<std::uintptr_t>(self.raw());
      });
  let_go_without_gil<GraphExec>();
}

void bind_capture(nb::module_& m) {
  nb::enum_<CaptureMode>(m, "CaptureMode",
                         "Which calls that CUDA calls potentially unsafe end a capture.")
      .value("global_", CaptureMode::global, "Of every thread.")
      .value("thread_local", CaptureMode::thread_local_, "Of this thread.")
      .value("relaxed", CaptureMode::relaxed, "None.");
  nb::enum_<CaptureStatus>(m, "CaptureStatus", "Whether a stream's work becomes nodes of a graph.")
      .value("none", CaptureStatus::none)
      .value("active", CaptureStatus::active)
      .value("invalidated", CaptureStatus::invalidated);
  nb::class_<Capture>(m, "Capture",
                      "Records the work of a stream as a graph, from its construction to end().")
      .def(
          "__init__",
          [](Capture* self, nb::handle stream, CaptureMode mode) {
            new (self) Capture(stream_argument(stream.ptr()), mode);
          },
          nb::arg("stream"), nb::arg("mode") = CaptureMode::thread_local_, nb::keep_alive<1, 2>())
      .def_static(
          "into",
          [](const Graph& graph, nb::handle stream, nb::handle after, CaptureMode mode) {
            return std::make_unique<Capture>(graph, after_argument(after),
                                             stream_argument(stream.ptr()), mode);
          },
          nb::arg("graph"), nb::arg("stream"), nb::arg("after") = nb::none(),
          nb::arg("mode") = CaptureMode::thread_local_, nb::keep_alive<0, 2>(),
          "Adds to a graph, the body of a conditional node for instance.")
      .def("end", &Capture::end,
           "The graph. Raises DeviceError where a call in between made the capture invalid, saying "
           "what to do.")
      .def_prop_ro("status", &Capture::status)
      .def_prop_ro("graph", &Capture::graph, "As it is so far, to add nodes to.")
      .def_prop_ro("last", &Capture::last, "What the stream's next node waits for.")
      .def(
          "set_last",
          [](const Capture& self, nb::handle nodes) { self.set_last(after_argument(nodes)); },
          nb::arg("nodes").none(), "Lets the stream's next node wait for these instead.");
  m.def(
      "capture_status",
      [](nb::handle stream) { return capture_status(stream_argument(stream.ptr())); },
      nb::arg("stream"), "Whether work on the stream becomes nodes of a graph.");
  m.def(
      "record_external",
      [](const Event& event, nb::handle stream) {
        record_external(event, stream_argument(stream.ptr()));
      },
      nb::arg("event"), nb::arg("stream"),
      "Records an event for streams outside of the graph too, where the stream captures.");
}

}  // namespace

void bind_cuda_graph(nb::module_& m) {
  bind_node(m);
  bind_structs(m);
  bind_graph(m);
  bind_exec(m);
  bind_capture(m);
}

}  // namespace treadle::bindings

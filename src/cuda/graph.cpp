// SPDX-License-Identifier: MIT
#include "treadle/cuda/graph.hpp"

#include <string>

#include "cuda/argument_check.hpp"
#include "cuda/cleanup.hpp"
#include "cuda/deferred_release.hpp"
#include "cuda/function_state.hpp"
#include "cuda/graph_state.hpp"
#include "cuda/raw_attributes.hpp"
#include "cuda/raw_copy.hpp"
#include "treadle/cuda/allocation.hpp"
#include "treadle/process/warning.hpp"

namespace treadle::cuda {
namespace {

using Kept = std::shared_ptr<const void>;

void let_go(void* data) noexcept {
  const std::unique_ptr<Kept> kept(static_cast<Kept*>(data));
  release_later(std::move(*kept));
}

}  // namespace

// ---- what graphs are made of

GraphState::~GraphState() {
  if (parent_ == nullptr && raw_ != nullptr && !is_borrowed_)
    clean_up(context_, "a graph", "cuGraphDestroy", &Table::cuGraphDestroy, raw_);
}

void keep_for_graph(const Context& context, RawGraph graph, std::shared_ptr<const void> object) {
  prepare_deferred_release();
  const Activation active(context);
  const Table& cu = active.table();
  auto kept = std::make_unique<Kept>(std::move(object));
  CUuserObject user_object = nullptr;
  check(cu,
        cu.cuUserObjectCreate(&user_object, kept.get(), &let_go, 1,
                              CU_USER_OBJECT_NO_DESTRUCTOR_SYNC),
        "cuUserObjectCreate");
  kept.release();
  const int code = cu.cuGraphRetainUserObject(graph, user_object, 1, CU_GRAPH_USER_OBJECT_MOVE);
  if (code != CUDA_SUCCESS) cu.cuUserObjectRelease(user_object, 1);
  check(cu, code, "cuGraphRetainUserObject");
}

void HostCall::call(void* data) noexcept {
  try {
    static_cast<HostCall*>(data)->function();
  } catch (const std::exception& error) {
    warn(std::string("a host function of a graph or stream threw: ") + error.what());
  } catch (...) {
    warn("a host function of a graph or stream threw");
  }
}

std::shared_ptr<HostCall> make_host_call(std::function<void()> function) {
  if (!function)
    throw InvalidArgument("the host function is empty", "pass a function without parameters");
  return std::make_shared<HostCall>(std::move(function));
}

CUDA_KERNEL_NODE_PARAMS raw_kernel(KernelCall& call) {
  refuse_references(*call.function().state());
  const LaunchConfig& config = call.config();
  CUDA_KERNEL_NODE_PARAMS raw{};
  raw.func = call.function().raw();
  raw.gridDimX = config.grid.x;
  raw.gridDimY = config.grid.y;
  raw.gridDimZ = config.grid.z;
  raw.blockDimX = config.block.x;
  raw.blockDimY = config.block.y;
  raw.blockDimZ = config.block.z;
  raw.sharedMemBytes = config.shared_bytes;
  raw.kernelParams = call.arguments();
  return raw;
}

CUDA_MEMSET_NODE_PARAMS raw_fill(const GraphFill& fill) {
  if (fill.element_bytes != 1 && fill.element_bytes != 2 && fill.element_bytes != 4)
    throw InvalidArgument(
        "element_bytes is " + std::to_string(fill.element_bytes) + ", and 1, 2 or 4 was expected",
        "fill wider elements by a kernel");
  refuse_negative("cuGraphAddMemsetNode", "width", fill.area.width);
  refuse_negative("cuGraphAddMemsetNode", "height", fill.area.height);
  refuse_null("cuGraphAddMemsetNode", "destination", fill.area.destination, fill.area.width);
  return {fill.area.destination, fill.area.pitch_bytes, fill.value,
          fill.element_bytes,    fill.area.width,       fill.area.height};
}

// ---- nodes

GraphNodeType GraphNode::type() const {
  const Activation active(graph_->context());
  CUgraphNodeType type{};
  check(active.table(), active.table().cuGraphNodeGetType(raw_, &type), "cuGraphNodeGetType");
  return static_cast<GraphNodeType>(type);
}

namespace {

/// The nodes around one, on either side.
template <class Slot>
std::vector<RawGraphNode> neighbours(const GraphState& graph, RawGraphNode node, const char* call,
                                     Slot Table::* slot) {
  const Activation active(graph.context());
  const Table& cu = active.table();
  std::size_t count = 0;
  check(cu, (cu.*slot)(node, nullptr, nullptr, &count), call);
  std::vector<RawGraphNode> raw(count);
  std::vector<CUgraphEdgeData> edges(count);  // an edge that is not plain is told only this way
  if (count > 0) check(cu, (cu.*slot)(node, raw.data(), edges.data(), &count), call);
  return raw;
}

}  // namespace

std::vector<GraphNode> GraphNode::dependencies() const {
  std::vector<GraphNode> nodes;
  for (RawGraphNode raw :
       neighbours(*graph_, raw_, "cuGraphNodeGetDependencies", &Table::cuGraphNodeGetDependencies))
    nodes.push_back({graph_, raw});
  return nodes;
}

std::vector<GraphNode> GraphNode::dependents() const {
  std::vector<GraphNode> nodes;
  for (RawGraphNode raw : neighbours(*graph_, raw_, "cuGraphNodeGetDependentNodes",
                                     &Table::cuGraphNodeGetDependentNodes))
    nodes.push_back({graph_, raw});
  return nodes;
}

Graph GraphNode::child() const {
  const Activation active(graph_->context());
  RawGraph raw = nullptr;
  check(active.table(), active.table().cuGraphChildGraphNodeGetGraph(raw_, &raw),
        "cuGraphChildGraphNodeGetGraph", [] { return "only a child node has a graph"; });
  return Graph(std::make_shared<GraphState>(graph_->context(), raw, graph_));
}

void GraphNode::remove() const {
  const Activation active(graph_->context());
  check(active.table(), active.table().cuGraphDestroyNode(raw_), "cuGraphDestroyNode");
}

void GraphNode::set_kernel(KernelCall call) const {
  const Activation active(graph_->context());
  const auto raw = raw_kernel(call);
  check(active.table(), active.table().cuGraphKernelNodeSetParams(raw_, &raw),
        "cuGraphKernelNodeSetParams",
        [&] { return "kernel \"" + call.function().name() + "\", " + shape_text(call.config()); });
  graph_->hold(raw_, call.held());
}

void GraphNode::set_copy(const Copy3D& copy) const {
  const Activation active(graph_->context());
  const auto raw = raw_copy(copy);
  check(active.table(), active.table().cuGraphMemcpyNodeSetParams(raw_, &raw),
        "cuGraphMemcpyNodeSetParams");
}

void GraphNode::set_fill(const GraphFill& fill) const {
  const Activation active(graph_->context());
  const auto raw = raw_fill(fill);
  check(active.table(), active.table().cuGraphMemsetNodeSetParams(raw_, &raw),
        "cuGraphMemsetNodeSetParams");
}

void GraphNode::set_host(std::function<void()> function) const {
  const Activation active(graph_->context());
  auto call = make_host_call(std::move(function));
  const CUDA_HOST_NODE_PARAMS raw{&HostCall::call, call.get()};
  graph_->keep(std::move(call));
  check(active.table(), active.table().cuGraphHostNodeSetParams(raw_, &raw),
        "cuGraphHostNodeSetParams");
}

void GraphNode::set_event(const Event& event) const {
  refuse_moved_from("event", event.raw());
  const bool records = type() == GraphNodeType::record;
  const Activation active(graph_->context());
  const Table& cu = active.table();
  if (records)
    check(cu, cu.cuGraphEventRecordNodeSetEvent(raw_, event.raw()),
          "cuGraphEventRecordNodeSetEvent");
  else
    check(cu, cu.cuGraphEventWaitNodeSetEvent(raw_, event.raw()), "cuGraphEventWaitNodeSetEvent");
}

// ---- graphs

Graph::Graph() : Graph(Context::current()) {}

Graph::Graph(const Context& context) {
  const Activation active(context);
  RawGraph raw = nullptr;
  check(active.table(), active.table().cuGraphCreate(&raw, 0), "cuGraphCreate");
  state_ = std::make_shared<GraphState>(context, raw);
}

Graph Graph::adopt(const Context& context, RawGraph raw) {
  return Graph(std::make_shared<GraphState>(context, raw));
}

Graph Graph::wrap(const Context& context, RawGraph raw) {
  refuse_null_handle("graph", raw);
  return Graph(std::make_shared<GraphState>(context, raw, nullptr, true));
}

const Context& Graph::context() const noexcept { return state_->context(); }
RawGraph Graph::raw() const noexcept { return state_->raw(); }
void Graph::keep(std::shared_ptr<const void> object) const { state_->keep(std::move(object)); }

namespace {

/// Calls `slot` to add a node to `graph`; `describe()` says on failure what it was to do.
template <class Slot, class Describe, class... Arguments>
RawGraphNode add_node(const Graph& graph, const After& after, const char* call, Slot Table::* slot,
                      Describe&& describe, Arguments... arguments) {
  const Activation active(graph.context());
  RawGraphNode raw = nullptr;
  check(active.table(),
        (active.table().*slot)(&raw, graph.raw(), after.raw().data(), after.raw().size(),
                               arguments...),
        call, describe);
  return raw;
}

std::string nothing_more() { return {}; }

}  // namespace

GraphNode Graph::add_kernel(const After& after, KernelCall call) const {
  const Activation active(context());
  const auto raw = raw_kernel(call);
  RawAttributes attributes(call.config());
  const auto describe = [&] {
    return "kernel \"" + call.function().name() + "\", " + shape_text(call.config());
  };
  const RawGraphNode made =
      add_node(*this, after, "cuGraphAddKernelNode", &Table::cuGraphAddKernelNode, describe, &raw);
  state_->hold(made, call.held());
  for (const CUlaunchAttribute& attribute : attributes.all())
    check(active.table(),
          active.table().cuGraphKernelNodeSetAttribute(made, attribute.id, &attribute.value),
          "cuGraphKernelNodeSetAttribute", describe);
  return node(made);
}

GraphNode Graph::add_copy(const After& after, const Copy3D& copy) const {
  const auto raw = raw_copy(copy);
  return node(add_node(*this, after, "cuGraphAddMemcpyNode", &Table::cuGraphAddMemcpyNode,
                       nothing_more, &raw, context().raw()));
}

GraphNode Graph::add_copy(const After& after, DevicePointer destination, DevicePointer source,
                          std::size_t size_bytes) const {
  refuse_negative("cuGraphAddMemcpyNode", "size_bytes", size_bytes);
  refuse_null("cuGraphAddMemcpyNode", "destination", destination, size_bytes);
  refuse_null("cuGraphAddMemcpyNode", "source", source, size_bytes);
  const auto side = [&](DevicePointer address) {
    return CopySide{
        .type = MemoryType::unified, .device = address, .pitch_bytes = size_bytes, .height = 1};
  };
  return add_copy(after, {.source = side(source),
                          .destination = side(destination),
                          .width_bytes = size_bytes,
                          .height = 1,
                          .depth = 1});
}

GraphNode Graph::add_fill(const After& after, const GraphFill& fill) const {
  const auto raw = raw_fill(fill);
  return node(add_node(*this, after, "cuGraphAddMemsetNode", &Table::cuGraphAddMemsetNode,
                       nothing_more, &raw, context().raw()));
}

GraphNode Graph::add_host(const After& after, std::function<void()> function) const {
  auto call = make_host_call(std::move(function));
  const CUDA_HOST_NODE_PARAMS raw{&HostCall::call, call.get()};
  keep(std::move(call));
  return node(
      add_node(*this, after, "cuGraphAddHostNode", &Table::cuGraphAddHostNode, nothing_more, &raw));
}

GraphNode Graph::add_child(const After& after, const Graph& child) const {
  state_->hold(child.state_->held());
  return node(add_node(*this, after, "cuGraphAddChildGraphNode", &Table::cuGraphAddChildGraphNode,
                       nothing_more, child.raw()));
}

GraphNode Graph::add_empty(const After& after) const {
  return node(
      add_node(*this, after, "cuGraphAddEmptyNode", &Table::cuGraphAddEmptyNode, nothing_more));
}

GraphNode Graph::add_record(const After& after, const Event& event) const {
  refuse_moved_from("event", event.raw());
  return node(add_node(*this, after, "cuGraphAddEventRecordNode", &Table::cuGraphAddEventRecordNode,
                       nothing_more, event.raw()));
}

GraphNode Graph::add_wait(const After& after, const Event& event) const {
  refuse_moved_from("event", event.raw());
  return node(add_node(*this, after, "cuGraphAddEventWaitNode", &Table::cuGraphAddEventWaitNode,
                       nothing_more, event.raw()));
}

GraphAllocation Graph::add_allocation(const After& after, std::size_t size_bytes) const {
  refuse_negative("cuGraphAddMemAllocNode", "size_bytes", size_bytes);
  CUDA_MEM_ALLOC_NODE_PARAMS raw{};
  raw.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  raw.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  raw.poolProps.location.id = context().device().raw();
  raw.bytesize = size_bytes;
  const RawGraphNode made = add_node(
      *this, after, "cuGraphAddMemAllocNode", &Table::cuGraphAddMemAllocNode,
      [&] { return std::to_string(size_bytes) + " bytes"; }, &raw);
  return {node(made), raw.dptr};
}

GraphNode Graph::add_free(const After& after, DevicePointer address) const {
  return node(add_node(*this, after, "cuGraphAddMemFreeNode", &Table::cuGraphAddMemFreeNode,
                       nothing_more, address));
}

Condition Graph::add_condition(std::optional<unsigned> initial) const {
  const Activation active(context());
  CUgraphConditionalHandle handle = 0;
  check(active.table(),
        active.table().cuGraphConditionalHandleCreate(&handle, raw(), context().raw(),
                                                      initial.value_or(0),
                                                      initial ? CU_GRAPH_COND_ASSIGN_DEFAULT : 0),
        "cuGraphConditionalHandleCreate");
  return {handle};
}

ConditionalNode Graph::add_if(const After& after, Condition condition, bool has_else) const {
  return add_conditional(after, condition, CU_GRAPH_COND_TYPE_IF, has_else ? 2 : 1);
}
ConditionalNode Graph::add_while(const After& after, Condition condition) const {
  return add_conditional(after, condition, CU_GRAPH_COND_TYPE_WHILE, 1);
}
ConditionalNode Graph::add_switch(const After& after, Condition condition, unsigned bodies) const {
  if (bodies == 0)
    throw InvalidArgument("bodies is 0, and 1 or more was expected",
                          "say how many values the condition has");
  return add_conditional(after, condition, CU_GRAPH_COND_TYPE_SWITCH, bodies);
}

ConditionalNode Graph::add_conditional(const After& after, Condition condition, int type,
                                       unsigned bodies) const {
  const Activation active(context());
  CUgraphNodeParams parameters{};
  parameters.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
  parameters.conditional.handle = condition.value;
  parameters.conditional.type = static_cast<CUgraphConditionalNodeType>(type);
  parameters.conditional.size = bodies;
  parameters.conditional.ctx = context().raw();
  RawGraphNode made = nullptr;
  check(active.table(),
        active.table().cuGraphAddNode(&made, raw(), after.raw().data(), nullptr, after.raw().size(),
                                      &parameters),
        "cuGraphAddNode", [] { return "the condition must be one of the same graph"; });
  ConditionalNode added{node(made), {}};
  for (unsigned i = 0; i < bodies; ++i)
    added.bodies.push_back(Graph(
        std::make_shared<GraphState>(context(), parameters.conditional.phGraph_out[i], state_)));
  return added;
}

void Graph::connect(const GraphNode& before, const GraphNode& behind) const {
  const Activation active(context());
  const RawGraphNode from = before.raw(), to = behind.raw();
  check(active.table(), active.table().cuGraphAddDependencies(raw(), &from, &to, nullptr, 1),
        "cuGraphAddDependencies");
}

void Graph::disconnect(const GraphNode& before, const GraphNode& behind) const {
  const Activation active(context());
  const RawGraphNode from = before.raw(), to = behind.raw();
  check(active.table(), active.table().cuGraphRemoveDependencies(raw(), &from, &to, nullptr, 1),
        "cuGraphRemoveDependencies");
}

namespace {

template <class Slot>
std::vector<RawGraphNode> nodes_of(const Graph& graph, const char* call, Slot Table::* slot) {
  const Activation active(graph.context());
  const Table& cu = active.table();
  std::size_t count = 0;
  check(cu, (cu.*slot)(graph.raw(), nullptr, &count), call);
  std::vector<RawGraphNode> raw(count);
  if (count > 0) check(cu, (cu.*slot)(graph.raw(), raw.data(), &count), call);
  return raw;
}

}  // namespace

std::vector<GraphNode> Graph::nodes() const {
  std::vector<GraphNode> all;
  for (RawGraphNode raw : nodes_of(*this, "cuGraphGetNodes", &Table::cuGraphGetNodes))
    all.push_back(node(raw));
  return all;
}

std::vector<GraphNode> Graph::roots() const {
  std::vector<GraphNode> all;
  for (RawGraphNode raw : nodes_of(*this, "cuGraphGetRootNodes", &Table::cuGraphGetRootNodes))
    all.push_back(node(raw));
  return all;
}

std::vector<std::pair<GraphNode, GraphNode>> Graph::edges() const {
  const Activation active(context());
  const Table& cu = active.table();
  std::size_t count = 0;
  check(cu, cu.cuGraphGetEdges(raw(), nullptr, nullptr, nullptr, &count), "cuGraphGetEdges");
  std::vector<RawGraphNode> from(count), to(count);
  std::vector<CUgraphEdgeData> data(count);
  if (count > 0)
    check(cu, cu.cuGraphGetEdges(raw(), from.data(), to.data(), data.data(), &count),
          "cuGraphGetEdges");
  std::vector<std::pair<GraphNode, GraphNode>> all;
  for (std::size_t i = 0; i < count; ++i) all.emplace_back(node(from[i]), node(to[i]));
  return all;
}

Graph Graph::clone() const {
  const Activation active(context());
  RawGraph made = nullptr;
  check(active.table(), active.table().cuGraphClone(&made, raw()), "cuGraphClone");
  const Graph clone = adopt(context(), made);
  clone.state_->hold(state_->held());
  return clone;
}

GraphNode Graph::find(const GraphNode& original) const {
  const Activation active(context());
  RawGraphNode found = nullptr;
  check(active.table(), active.table().cuGraphNodeFindInClone(&found, original.raw(), raw()),
        "cuGraphNodeFindInClone", [] { return "the graph is no clone of the node's graph"; });
  return node(found);
}

void Graph::write_dot(const std::filesystem::path& path, bool verbose) const {
  const Activation active(context());
  check(active.table(),
        active.table().cuGraphDebugDotPrint(raw(), path.c_str(),
                                            verbose ? CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE : 0),
        "cuGraphDebugDotPrint", [&] { return path.string(); });
}

GraphExec Graph::instantiate(InstantiateFlags flags) const {
  const Activation active(context());
  RawGraphExec made = nullptr;
  // The call refuses this flag: it has no stream to upload on.
  const auto upload = static_cast<unsigned>(InstantiateFlags::upload);
  const unsigned wanted = static_cast<unsigned>(flags);
  check(active.table(), allocated([&] {
          return active.table().cuGraphInstantiate(&made, raw(), wanted & ~upload);
        }),
        "cuGraphInstantiate");
  GraphExec executable(context(), made, state_->held());
  if ((wanted & upload) != 0) executable.upload();
  return executable;
}

}  // namespace treadle::cuda

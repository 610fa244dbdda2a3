// SPDX-License-Identifier: MIT
#include <string>

#include "cuda/argument_check.hpp"
#include "cuda/cleanup.hpp"
#include "cuda/graph_state.hpp"
#include "cuda/raw_copy.hpp"
#include "treadle/cuda/allocation.hpp"
#include "treadle/cuda/graph.hpp"

namespace treadle::cuda {

void destroy_graph_exec(const Context& context, RawGraphExec raw) noexcept {
  clean_up(context, "an executable graph", "cuGraphExecDestroy", &Table::cuGraphExecDestroy, raw);
}

GraphExec& GraphExec::operator=(GraphExec&& other) noexcept {
  std::swap(handle_, other.handle_);
  std::swap(functions_, other.functions_);
  std::swap(held_, other.held_);
  return *this;
}

GraphExec GraphExec::wrap(const Context& context, RawGraphExec raw) {
  refuse_null_handle("executable graph", raw);
  return GraphExec(Handle<RawGraphExec, destroy_graph_exec>::borrow(context, raw));
}

/// The driver finishes launches after the handle is gone, with functions that only this object
/// keeps.
GraphExec::~GraphExec() {
  if (!handle_ || functions_.empty() || !context().is_valid()) return;
  try {
    context().synchronize();
  } catch (const Error&) {
    // Nothing runs any more in a context that failed.
  }
}

void GraphExec::launch(StreamRef stream) const {
  const Activation active(context());
  check(active.table(),
        allocated([&] { return active.table().cuGraphLaunch(raw(), stream.raw()); }),
        "cuGraphLaunch");
}

void GraphExec::upload(StreamRef stream) const {
  const Activation active(context());
  check(active.table(), active.table().cuGraphUpload(raw(), stream.raw()), "cuGraphUpload");
}

namespace {

const char* refusal_text(CUgraphExecUpdateResult result) {
  switch (result) {
    case CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED:
      return "the nodes or edges differ";
    case CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED:
      return "the type of a node differs";
    case CU_GRAPH_EXEC_UPDATE_ERROR_FUNCTION_CHANGED:
    case CU_GRAPH_EXEC_UPDATE_ERROR_UNSUPPORTED_FUNCTION_CHANGE:
      return "a node's kernel cannot be replaced by the other one";
    case CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED:
      return "a node's parameters changed in a way that needs a new executable graph";
    case CU_GRAPH_EXEC_UPDATE_ERROR_ATTRIBUTES_CHANGED:
      return "a node's attributes changed in a way that needs a new executable graph";
    default:
      return "the graph has a node that cannot be updated";
  }
}

}  // namespace

std::optional<UpdateRefusal> GraphExec::try_update(const Graph& graph) {
  const Activation active(context());
  CUgraphExecUpdateResultInfo info{};
  const int code = active.table().cuGraphExecUpdate(raw(), graph.raw(), &info);
  if (code == CUDA_SUCCESS) {
    held_ = graph.state_->held();
    return std::nullopt;
  }
  if (code != CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE)
    check(active.table(), code, "cuGraphExecUpdate");
  return UpdateRefusal{refusal_text(info.result), info.errorNode};
}

void GraphExec::update(const Graph& graph) {
  if (const auto refusal = try_update(graph))
    throw InvalidArgument("the executable graph cannot become this graph: " + refusal->reason,
                          "instantiate the graph instead");
}

void GraphExec::set_kernel(const GraphNode& node, KernelCall call) {
  const Activation active(context());
  const auto raw_call = raw_kernel(call);
  check(active.table(), active.table().cuGraphExecKernelNodeSetParams(raw(), node.raw(), &raw_call),
        "cuGraphExecKernelNodeSetParams",
        [&] { return "kernel \"" + call.function().name() + "\", " + shape_text(call.config()); });
  held_[node.raw()] = call.held();
}

void GraphExec::set_copy(const GraphNode& node, const Copy3D& copy) const {
  const Activation active(context());
  const auto raw_params = raw_copy(copy);
  check(active.table(),
        active.table().cuGraphExecMemcpyNodeSetParams(raw(), node.raw(), &raw_params,
                                                      context().raw()),
        "cuGraphExecMemcpyNodeSetParams");
}

void GraphExec::set_fill(const GraphNode& node, const GraphFill& fill) const {
  const Activation active(context());
  const auto raw_params = raw_fill(fill);
  check(active.table(),
        active.table().cuGraphExecMemsetNodeSetParams(raw(), node.raw(), &raw_params,
                                                      context().raw()),
        "cuGraphExecMemsetNodeSetParams");
}

void GraphExec::set_host(const GraphNode& node, std::function<void()> function) {
  const Activation active(context());
  auto call = make_host_call(std::move(function));
  const CUDA_HOST_NODE_PARAMS raw_params{&HostCall::call, call.get()};
  functions_.push_back(std::move(call));
  check(active.table(), active.table().cuGraphExecHostNodeSetParams(raw(), node.raw(), &raw_params),
        "cuGraphExecHostNodeSetParams");
}

void GraphExec::set_child(const GraphNode& node, const Graph& child) {
  const Activation active(context());
  check(active.table(),
        active.table().cuGraphExecChildGraphNodeSetParams(raw(), node.raw(), child.raw()),
        "cuGraphExecChildGraphNodeSetParams");
  const HeldByNodes& held = child.state_->held();
  held_.insert(held.begin(), held.end());
}

void GraphExec::set_event(const GraphNode& node, const Event& event) const {
  refuse_moved_from("event", event.raw());
  const bool records = node.type() == GraphNodeType::record;
  const Activation active(context());
  const Table& cu = active.table();
  if (records)
    check(cu, cu.cuGraphExecEventRecordNodeSetEvent(raw(), node.raw(), event.raw()),
          "cuGraphExecEventRecordNodeSetEvent");
  else
    check(cu, cu.cuGraphExecEventWaitNodeSetEvent(raw(), node.raw(), event.raw()),
          "cuGraphExecEventWaitNodeSetEvent");
}

void GraphExec::set_enabled(const GraphNode& node, bool enabled) const {
  const Activation active(context());
  check(active.table(), active.table().cuGraphNodeSetEnabled(raw(), node.raw(), enabled ? 1 : 0),
        "cuGraphNodeSetEnabled",
        [] { return "only kernels, copies and fills of the instantiated graph can be disabled"; });
}

bool GraphExec::is_enabled(const GraphNode& node) const {
  const Activation active(context());
  unsigned enabled = 0;
  check(active.table(), active.table().cuGraphNodeGetEnabled(raw(), node.raw(), &enabled),
        "cuGraphNodeGetEnabled");
  return enabled != 0;
}

}  // namespace treadle::cuda

// SPDX-License-Identifier: MIT
// Entry points that make executable graphs, change and launch them.
#include "cuda_cpu/runtime/graph_exec.hpp"

#include <algorithm>

#include "cuda_cpu/runtime/capture.hpp"
#include "cuda_cpu/runtime/entry.hpp"

namespace treadle::cuda_cpu {

GraphExecHandles& graph_exec_handles() {
  static GraphExecHandles* const handles = new GraphExecHandles;
  return *handles;
}

namespace {

CUresult launch_command(const KernelWork& work, std::unique_ptr<Command>& made) {
  auto command = std::make_unique<LaunchCommand>(work.function, work.shape);
  command->copy_packed(work.packed.data(), work.packed.size());
  if ((work.function->kernel.flags & kernel_time_by_arguments) != 0) command->remember_call();
  if (work.shape.cooperative && !command->keep_all_blocks()) return CUDA_ERROR_OUT_OF_MEMORY;
  made = std::move(command);
  return CUDA_SUCCESS;
}

}  // namespace

void Stretch::wait_for(std::shared_ptr<StreamPoint> point) {
  steps.push_back({.command = std::make_unique<MarkerCommand>(), .after = std::move(point)});
}

std::shared_ptr<StreamPoint> Stretch::mark(std::shared_ptr<const void> kept) {
  auto point = std::make_shared<StreamPoint>();
  steps.push_back(
      {.command = std::make_unique<MarkerCommand>(point, std::move(kept)), .marks = point});
  return point;
}

CUresult Stretch::add(const GraphNode& node, Context& context) {
  if (!node.enabled) return CUDA_SUCCESS;
  if (const auto* kernel = std::get_if<KernelWork>(&node.work)) {
    std::unique_ptr<Command> command;
    const CUresult result = launch_command(*kernel, command);
    if (result == CUDA_SUCCESS) add(std::move(command));
    return result;
  }
  if (const auto* copy = std::get_if<CopyWork>(&node.work))
    add(make_copy(context, copy->copy));
  else if (const auto* fill = std::get_if<FillWork>(&node.work))
    add(make_fill(context, fill->fill));
  else if (const auto* host = std::get_if<HostWork>(&node.work))
    add(std::make_unique<HostCommand>([&context, work = *host] {
      if (context.error() == CUDA_SUCCESS) work.function(work.data);
    }));
  else if (const auto* child = std::get_if<ChildWork>(&node.work))
    return add(*child->graph, context);
  else if (const auto* record = std::get_if<RecordWork>(&node.work))
    records.emplace_back(record->event, mark());
  else if (const auto* wait = std::get_if<WaitWork>(&node.work))
    wait_for(wait->event->point());
  else if (const auto* batch = std::get_if<OperationsWork>(&node.work)) {
    for (const auto& operation : batch->operations)
      if (auto command = make_operation(context, operation)) add(std::move(command));
  }
  return CUDA_SUCCESS;  // the others have nothing to run
}

CUresult Stretch::add(const Graph& graph, Context& context) {
  for (const GraphNode* node : graph.order)
    if (const CUresult failure = add(*node, context); failure != CUDA_SUCCESS) return failure;
  return CUDA_SUCCESS;
}

void Stretch::submit(const std::shared_ptr<Stream>& stream) {
  Scheduler::instance().submit(steps, stream);
  for (const auto& [event, point] : records) event->set_point(point);
}

namespace {

template <class Body>
CUresult with_exec(CUgraphExec handle, Body&& body) {
  return with_process([&]() -> CUresult {
    const auto exec = graph_exec_handles().find(handle);
    return exec ? body(exec) : CUDA_ERROR_INVALID_VALUE;
  });
}

constexpr cuuint64_t known_flags =
    CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH | CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD |
    CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH | CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY;

CUresult instantiate(const std::shared_ptr<Context>& context, CUgraph graph_handle,
                     cuuint64_t flags, CUgraphExec* handle) {
  const auto graph = graph_handles().find(graph_handle);
  if (!graph || handle == nullptr || (flags & ~known_flags) != 0) return CUDA_ERROR_INVALID_VALUE;
  if ((flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH) != 0) return CUDA_ERROR_NOT_SUPPORTED;
  const bool is_circular = !graph->ordered() || graph->any([](const GraphNode& node) {
    const auto* child = std::get_if<ChildWork>(&node.work);
    if (child != nullptr && !child->graph->ordered()) return true;
    const auto* condition = std::get_if<ConditionalWork>(&node.work);
    return condition != nullptr && std::any_of(condition->bodies.begin(), condition->bodies.end(),
                                               [](const auto& body) { return !body->ordered(); });
  });
  if (is_circular) return CUDA_ERROR_INVALID_VALUE;
  auto exec = std::make_shared<GraphExec>();
  exec->flags = flags;
  exec->context = context;
  exec->graph = graph->clone(false);
  exec->is_conditional = graph->any(
      [](const GraphNode& node) { return node.type() == CU_GRAPH_NODE_TYPE_CONDITIONAL; });
  *handle = exec->handle = graph_exec_handles().insert(exec);
  return CUDA_SUCCESS;
}

/// Conditions that every launch sets, of all bodies as well.
void set_conditions(const Graph& graph) {
  for (const auto& condition : graph.conditions)
    if (condition->is_set_by_launch)
      __atomic_store_n(&condition->value, condition->initial, __ATOMIC_RELAXED);
  for (const auto& node : graph.nodes)
    if (const auto* work = std::get_if<ConditionalWork>(&node->work))
      for (const auto& body : work->bodies) set_conditions(*body);
}

CUresult launch_graph(const std::shared_ptr<GraphExec>& exec,
                      const std::shared_ptr<Stream>& stream) {
  if (stream->capturing) return refuse_captured(*stream);
  Stretch stretch;
  if (exec->done && !exec->done->reached()) stretch.wait_for(exec->done);
  if (exec->is_conditional) {
    // Set in the order of the stream: a launch before this one may still ask them.
    stretch.add(std::make_unique<TaskCommand>(
        [graph = exec->graph](std::uint64_t) { set_conditions(*graph); }));
    run_conditional(*exec, stream, std::move(stretch));
    exec->done = std::make_shared<StreamPoint>();
    Scheduler::instance().mark(exec->done, stream);
    return CUDA_SUCCESS;
  }
  if (const CUresult failure = stretch.add(*exec->graph, *exec->context); failure != CUDA_SUCCESS)
    return failure;
  exec->done = stretch.mark(exec->graph);
  stretch.submit(stream);
  return CUDA_SUCCESS;
}

}  // namespace
}  // namespace treadle::cuda_cpu

using namespace treadle::cuda_cpu;

CUresult cuGraphInstantiate(CUgraphExec* exec, CUgraph graph, unsigned long long flags) {
  return with_context(
      // Uploading wants a stream, which only cuGraphInstantiateWithParams takes.
      [&](const auto& context) -> CUresult {
        return (flags & CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD) != 0
                   ? CUDA_ERROR_INVALID_VALUE
                   : instantiate(context, graph, flags, exec);
      });
}

CUresult cuGraphInstantiateWithParams(CUgraphExec* exec, CUgraph graph,
                                      CUDA_GRAPH_INSTANTIATE_PARAMS* parameters) {
  return with_context([&](const auto& context) -> CUresult {
    if (parameters == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const CUresult result = instantiate(context, graph, parameters->flags, exec);
    parameters->hErrNode_out = nullptr;
    parameters->result_out = result == CUDA_SUCCESS ? CUDA_GRAPH_INSTANTIATE_SUCCESS
                             : result == CUDA_ERROR_NOT_SUPPORTED
                                 ? CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED
                                 : CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE;
    return result;
  });
}

CUresult cuGraphExecGetFlags(CUgraphExec handle, cuuint64_t* flags) {
  return with_exec(handle, [&](const auto& exec) -> CUresult {
    if (flags == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *flags = exec->flags;
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphExecDestroy(CUgraphExec handle) {
  return with_process([&]() -> CUresult {
    return graph_exec_handles().remove(handle) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult cuGraphUpload(CUgraphExec handle, CUstream stream_handle) {
  return with_context([&](const auto& context) -> CUresult {
    std::shared_ptr<Stream> stream;
    if (!graph_exec_handles().find(handle)) return CUDA_ERROR_INVALID_VALUE;
    return resolve_stream(context, stream_handle, stream);  // nothing has to go anywhere
  });
}

CUresult cuGraphLaunch(CUgraphExec handle, CUstream stream_handle) {
  return with_context([&](const auto& context) -> CUresult {
    const auto exec = graph_exec_handles().find(handle);
    if (!exec) return CUDA_ERROR_INVALID_VALUE;
    std::shared_ptr<Stream> stream;
    if (const CUresult failure = resolve_stream(context, stream_handle, stream);
        failure != CUDA_SUCCESS)
      return failure;
    return exec->context == context ? launch_graph(exec, stream) : CUDA_ERROR_INVALID_CONTEXT;
  });
}

namespace {

/// Changes the executable copy of `node`, if it does `Work`, to what `describe(work)` says.
template <class Work, class Describe>
CUresult change_copy(CUgraphExec handle, CUgraphNode node, Describe&& describe) {
  return with_exec(handle, [&](const auto& exec) -> CUresult {
    GraphNode* const copy = exec->graph->find_copy_of(node);
    if (copy == nullptr || !std::holds_alternative<Work>(copy->work))
      return CUDA_ERROR_INVALID_VALUE;
    return describe(copy->work);
  });
}

std::size_t place_of(const Graph& graph, const GraphNode* node) {
  const auto found = std::find_if(graph.nodes.begin(), graph.nodes.end(),
                                  [&](const auto& each) { return each.get() == node; });
  return static_cast<std::size_t>(found - graph.nodes.begin());
}

std::vector<std::size_t> edges_of(const Graph& graph, const GraphNode& node) {
  std::vector<std::size_t> places;
  for (const GraphNode* before : node.dependencies) places.push_back(place_of(graph, before));
  std::sort(places.begin(), places.end());
  return places;
}

/// Whether `next` may take the place of `now`: the same nodes, in the same order, connected alike.
CUgraphExecUpdateResultInfo compare_topology(const Graph& now, const Graph& next) {
  if (now.nodes.size() != next.nodes.size())
    return {CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, nullptr, nullptr};
  for (std::size_t i = 0; i < now.nodes.size(); ++i) {
    const GraphNode &old = *now.nodes[i], &given = *next.nodes[i];
    if (old.type() != given.type())
      return {CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED, given.handle, nullptr};
    if (edges_of(now, old) != edges_of(next, given))
      return {CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, given.handle, nullptr};
    if (const auto* child = std::get_if<ChildWork>(&old.work)) {
      const auto inner = compare_topology(*child->graph, *std::get<ChildWork>(given.work).graph);
      if (inner.result != CU_GRAPH_EXEC_UPDATE_SUCCESS) return inner;
    }
    const bool is_fixed = old.type() == CU_GRAPH_NODE_TYPE_MEM_ALLOC ||
                          old.type() == CU_GRAPH_NODE_TYPE_MEM_FREE ||
                          old.type() == CU_GRAPH_NODE_TYPE_CONDITIONAL;
    if (is_fixed) return {CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED, given.handle, nullptr};
  }
  return {CU_GRAPH_EXEC_UPDATE_SUCCESS, nullptr, nullptr};
}

}  // namespace

CUresult cuGraphExecUpdate(CUgraphExec handle, CUgraph graph_handle,
                           CUgraphExecUpdateResultInfo* info) {
  return with_exec(handle, [&](const auto& exec) -> CUresult {
    const auto graph = graph_handles().find(graph_handle);
    if (!graph || info == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *info = compare_topology(*exec->graph, *graph);
    if (info->result != CU_GRAPH_EXEC_UPDATE_SUCCESS) return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
    // Nodes are still known by the graph that was instantiated.
    const auto next = graph->clone(false);
    const std::function<void(Graph&, const Graph&)> rename = [&](Graph& to, const Graph& from) {
      for (std::size_t i = 0; i < to.nodes.size(); ++i) {
        to.nodes[i]->original = from.nodes[i]->original;
        to.nodes[i]->enabled = from.nodes[i]->enabled;
        if (const auto* child = std::get_if<ChildWork>(&to.nodes[i]->work))
          rename(*child->graph, *std::get<ChildWork>(from.nodes[i]->work).graph);
      }
    };
    rename(*next, *exec->graph);
    exec->graph = next;
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                        const CUDA_KERNEL_NODE_PARAMS* parameters) {
  if (parameters == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return change_copy<KernelWork>(
      exec, node, [&](NodeWork& work) { return describe_kernel(*parameters, work); });
}
CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                        const CUDA_MEMCPY3D* parameters, CUcontext context) {
  if (parameters == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return change_copy<CopyWork>(
      exec, node, [&](NodeWork& work) { return describe_copy(*parameters, context, work); });
}
CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                        const CUDA_MEMSET_NODE_PARAMS* parameters,
                                        CUcontext context) {
  if (parameters == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return change_copy<FillWork>(
      exec, node, [&](NodeWork& work) { return describe_fill(*parameters, context, work); });
}
CUresult cuGraphExecHostNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                      const CUDA_HOST_NODE_PARAMS* parameters) {
  if (parameters == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return change_copy<HostWork>(exec, node,
                               [&](NodeWork& work) { return describe_host(*parameters, work); });
}
CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec exec, CUgraphNode node, CUgraph handle) {
  return change_copy<ChildWork>(exec, node, [&](NodeWork& work) -> CUresult {
    const auto graph = graph_handles().find(handle);
    if (!graph) return CUDA_ERROR_INVALID_VALUE;
    const auto compared = compare_topology(*std::get<ChildWork>(work).graph, *graph);
    if (compared.result != CU_GRAPH_EXEC_UPDATE_SUCCESS)
      return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
    work = ChildWork{graph->clone(false)};
    return CUDA_SUCCESS;
  });
}
CUresult cuGraphExecEventRecordNodeSetEvent(CUgraphExec exec, CUgraphNode node, CUevent event) {
  return change_copy<RecordWork>(exec, node,
                                 [&](NodeWork& work) { return describe_record(event, work); });
}
CUresult cuGraphExecEventWaitNodeSetEvent(CUgraphExec exec, CUgraphNode node, CUevent event) {
  return change_copy<WaitWork>(exec, node,
                               [&](NodeWork& work) { return describe_wait(event, work); });
}
CUresult cuGraphExecBatchMemOpNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                            const CUDA_BATCH_MEM_OP_NODE_PARAMS* parameters) {
  if (parameters == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return change_copy<OperationsWork>(exec, node, [&](NodeWork& work) -> CUresult {
    NodeWork changed;
    if (const CUresult failure = describe_operations(*parameters, changed); failure != CUDA_SUCCESS)
      return failure;
    // As on NVIDIA's device, their number and kinds stay.
    const auto* const before = std::get_if<OperationsWork>(&work);
    const auto* const after = std::get_if<OperationsWork>(&changed);
    if (after == nullptr || !std::ranges::equal(before->operations, after->operations, {},
                                                &CUstreamBatchMemOpParams::operation,
                                                &CUstreamBatchMemOpParams::operation))
      return CUDA_ERROR_INVALID_VALUE;
    work = std::move(changed);
    return CUDA_SUCCESS;
  });
}
CUresult cuGraphExecNodeSetParams(CUgraphExec handle, CUgraphNode node,
                                  CUgraphNodeParams* parameters) {
  return with_exec(handle, [&](const auto& exec) -> CUresult {
    GraphNode* const copy = exec->graph->find_copy_of(node);
    if (copy == nullptr || parameters == nullptr || parameters->type != copy->type())
      return CUDA_ERROR_INVALID_VALUE;
    if (parameters->type == CU_GRAPH_NODE_TYPE_GRAPH)
      return cuGraphExecChildGraphNodeSetParams(handle, node, parameters->graph.graph);
    return describe_node(*parameters, copy->work);
  });
}

CUresult cuGraphNodeSetEnabled(CUgraphExec handle, CUgraphNode node, unsigned enabled) {
  return with_exec(handle, [&](const auto& exec) -> CUresult {
    GraphNode* const copy = exec->graph->find_copy_of(node);
    if (copy == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const CUgraphNodeType type = copy->type();
    if (type != CU_GRAPH_NODE_TYPE_KERNEL && type != CU_GRAPH_NODE_TYPE_MEMSET &&
        type != CU_GRAPH_NODE_TYPE_MEMCPY)
      return CUDA_ERROR_INVALID_VALUE;
    copy->enabled = enabled != 0;
    return CUDA_SUCCESS;
  });
}
CUresult cuGraphNodeGetEnabled(CUgraphExec handle, CUgraphNode node, unsigned* enabled) {
  return with_exec(handle, [&](const auto& exec) -> CUresult {
    const GraphNode* const copy = exec->graph->find_copy_of(node);
    if (copy == nullptr || enabled == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *enabled = copy->enabled ? 1 : 0;
    return CUDA_SUCCESS;
  });
}

// SPDX-License-Identifier: MIT
// Entry points that make, describe and change the nodes of graphs. What a node does is checked by
// the call that would do it on a stream: describe_work() runs it on one that keeps the work.
#include <algorithm>
#include <cstring>

#include "cuda_cpu/runtime/capture.hpp"
#include "cuda_cpu/runtime/entry.hpp"
#include "cuda_cpu/runtime/memory.hpp"

namespace treadle::cuda_cpu {
namespace {

/// Makes a context current for the length of a call.
class EnteredContext {
 public:
  explicit EnteredContext(std::shared_ptr<Context> context) {
    thread_state().contexts.push_back(std::move(context));
  }
  EnteredContext(const EnteredContext&) = delete;
  EnteredContext& operator=(const EnteredContext&) = delete;
  ~EnteredContext() { thread_state().contexts.pop_back(); }
};

/// Of a handle; null stands for the current context.
CUresult context_of_node(CUcontext handle, std::shared_ptr<Context>& context) {
  return handle == nullptr ? enter(context) : find_context(handle, context);
}

}  // namespace

CUresult describe_work(const std::shared_ptr<Context>& context,
                       const std::function<CUresult(CUstream)>& call, NodeWork& work) {
  std::optional<NodeWork> described;
  const auto stream = std::make_shared<Stream>(context, CU_STREAM_NON_BLOCKING, 0, false);
  stream->capture = std::make_shared<StreamCapture>();
  stream->capture->described = &described;
  stream->capturing = true;
  const CUstream handle = stream_handles().insert(stream);
  const EnteredContext entered(context);
  const CUresult result = call(handle);
  stream_handles().remove(handle);
  if (result != CUDA_SUCCESS) return result;
  if (!described) return CUDA_ERROR_INVALID_VALUE;  // nothing to do: a copy without bytes
  work = std::move(*described);
  return CUDA_SUCCESS;
}

CUresult describe_kernel(const CUDA_KERNEL_NODE_PARAMS& parameters, NodeWork& work) {
  if (parameters.func == nullptr) return CUDA_ERROR_NOT_SUPPORTED;  // CUkernel: no libraries here
  std::shared_ptr<Function> function;
  if (const CUresult failure = find_function(parameters.func, function); failure != CUDA_SUCCESS)
    return failure;
  return describe_work(
      function->module->context,
      [&](CUstream stream) {
        return cuLaunchKernel(parameters.func, parameters.gridDimX, parameters.gridDimY,
                              parameters.gridDimZ, parameters.blockDimX, parameters.blockDimY,
                              parameters.blockDimZ, parameters.sharedMemBytes, stream,
                              parameters.kernelParams, parameters.extra);
      },
      work);
}

CUresult describe_copy(const CUDA_MEMCPY3D& parameters, CUcontext handle, NodeWork& work) {
  std::shared_ptr<Context> context;
  const CUresult failure = context_of_node(handle, context);
  return failure != CUDA_SUCCESS
             ? failure
             : describe_work(
                   context, [&](CUstream stream) { return cuMemcpy3DAsync(&parameters, stream); },
                   work);
}

CUresult describe_fill(const CUDA_MEMSET_NODE_PARAMS& fill, CUcontext handle, NodeWork& work) {
  std::shared_ptr<Context> context;
  if (const CUresult failure = context_of_node(handle, context); failure != CUDA_SUCCESS)
    return failure;
  return describe_work(
      context,
      [&](CUstream stream) -> CUresult {
        switch (fill.elementSize) {
          case 1:
            return cuMemsetD2D8Async(fill.dst, fill.pitch, static_cast<unsigned char>(fill.value),
                                     fill.width, fill.height, stream);
          case 2:
            return cuMemsetD2D16Async(fill.dst, fill.pitch, static_cast<unsigned short>(fill.value),
                                      fill.width, fill.height, stream);
          case 4:
            return cuMemsetD2D32Async(fill.dst, fill.pitch, fill.value, fill.width, fill.height,
                                      stream);
          default:
            return CUDA_ERROR_INVALID_VALUE;
        }
      },
      work);
}

CUresult describe_host(const CUDA_HOST_NODE_PARAMS& parameters, NodeWork& work) {
  if (parameters.fn == nullptr) return CUDA_ERROR_INVALID_VALUE;
  work = HostWork{parameters.fn, parameters.userData};
  return CUDA_SUCCESS;
}

CUresult describe_operations(const CUDA_BATCH_MEM_OP_NODE_PARAMS& batch, NodeWork& work) {
  std::shared_ptr<Context> context;
  if (const CUresult failure = context_of_node(batch.ctx, context); failure != CUDA_SUCCESS)
    return failure;
  return describe_work(
      context,
      [&](CUstream stream) {
        return cuStreamBatchMemOp(stream, batch.count, batch.paramArray, batch.flags);
      },
      work);
}

CUresult describe_wait(CUevent handle, NodeWork& work) {
  auto event = event_handles().find(handle);
  if (!event) return CUDA_ERROR_INVALID_HANDLE;
  if (event->shared != nullptr) return CUDA_ERROR_NOT_SUPPORTED;  // of several processes
  work = WaitWork{std::move(event), handle};
  return CUDA_SUCCESS;
}

CUresult describe_record(CUevent handle, NodeWork& work) {
  auto event = event_handles().find(handle);
  if (!event) return CUDA_ERROR_INVALID_HANDLE;
  if (event->shared != nullptr) return CUDA_ERROR_NOT_SUPPORTED;
  work = RecordWork{std::move(event), handle};
  return CUDA_SUCCESS;
}

CUresult describe_node(const CUgraphNodeParams& parameters, NodeWork& work) {
  switch (parameters.type) {
    case CU_GRAPH_NODE_TYPE_KERNEL: {
      CUDA_KERNEL_NODE_PARAMS kernel{};
      static_assert(sizeof kernel == sizeof parameters.kernel);
      std::memcpy(&kernel, &parameters.kernel, sizeof kernel);
      return describe_kernel(kernel, work);
    }
    case CU_GRAPH_NODE_TYPE_MEMCPY:
      return describe_copy(parameters.memcpy.copyParams, parameters.memcpy.copyCtx, work);
    case CU_GRAPH_NODE_TYPE_MEMSET: {
      const auto& fill = parameters.memset;
      return describe_fill(
          {fill.dst, fill.pitch, fill.value, fill.elementSize, fill.width, fill.height}, fill.ctx,
          work);
    }
    case CU_GRAPH_NODE_TYPE_HOST:
      return describe_host({parameters.host.fn, parameters.host.userData}, work);
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
      return describe_wait(parameters.eventWait.event, work);
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
      return describe_record(parameters.eventRecord.event, work);
    case CU_GRAPH_NODE_TYPE_EMPTY:
      work = EmptyWork{};
      return CUDA_SUCCESS;
    default:
      return CUDA_ERROR_NOT_SUPPORTED;
  }
}

namespace {

/// Where a new node goes.
struct NewNode {
  CUgraphNode* made;
  CUgraph graph;
  const CUgraphNode* dependencies;
  std::size_t count;
};

/// Adds a node with what `describe(work)` fills in.
template <class Describe>
CUresult add_node(const NewNode& wanted, Describe&& describe) {
  return with_graph(wanted.graph, [&](const auto& graph) -> CUresult {
    std::vector<GraphNode*> dependencies;
    if (wanted.made == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (const CUresult failure =
            find_nodes(*graph, wanted.dependencies, wanted.count, dependencies);
        failure != CUDA_SUCCESS)
      return failure;
    NodeWork work = EmptyWork{};
    if (const CUresult failure = describe(work); failure != CUDA_SUCCESS) return failure;
    *wanted.made = graph->add(std::move(work), dependencies).handle;
    return CUDA_SUCCESS;
  });
}

/// For calls on a node that does `Work`: `body(node, work)`.
template <class Work, class Body>
CUresult with_work(CUgraphNode handle, Body&& body) {
  return with_node(handle, [&](GraphNode& node) -> CUresult {
    Work* const work = std::get_if<Work>(&node.work);
    return work == nullptr ? CUDA_ERROR_INVALID_VALUE : body(node, *work);
  });
}

template <class Work, class Describe>
CUresult change_node(CUgraphNode handle, Describe&& describe) {
  return with_work<Work>(handle,
                         [&](GraphNode& node, Work&) -> CUresult { return describe(node.work); });
}

CUresult describe_child(CUgraph handle, bool moved, NodeWork& work) {
  const auto graph = graph_handles().find(handle);
  if (!graph || (moved && graph->owned_by_node)) return CUDA_ERROR_INVALID_VALUE;
  const bool refused = graph->any([&](const GraphNode& node) {
    return node.type() == CU_GRAPH_NODE_TYPE_CONDITIONAL ||
           (!moved && (node.type() == CU_GRAPH_NODE_TYPE_MEM_ALLOC ||
                       node.type() == CU_GRAPH_NODE_TYPE_MEM_FREE));
  });
  if (refused) return CUDA_ERROR_NOT_SUPPORTED;
  const auto child = moved ? graph : graph->clone(true);
  child->owned_by_node = true;
  work = ChildWork{child};
  return CUDA_SUCCESS;
}

CUresult describe_allocation(CUDA_MEM_ALLOC_NODE_PARAMS& parameters, NodeWork& work) {
  std::shared_ptr<Context> context;
  if (const CUresult failure = enter(context); failure != CUDA_SUCCESS) return failure;
  std::uintptr_t address = 0;
  const CUresult result =
      allocate_memory(context, parameters.bytesize, MemoryKind::device, graph_memory, address);
  if (result != CUDA_SUCCESS) return result;
  parameters.dptr = address;
  work = AllocateWork{std::make_shared<GraphMemory>(address), parameters};
  return CUDA_SUCCESS;
}

CUresult describe_free(CUdeviceptr address, NodeWork& work) {
  const auto found = find_memory(address);
  if (!found || found->base != address) return CUDA_ERROR_INVALID_VALUE;
  work = FreeWork{address};
  return CUDA_SUCCESS;
}

CUresult describe_condition(const Graph& graph, CUDA_CONDITIONAL_NODE_PARAMS& parameters,
                            NodeWork& work) {
  const bool known =
      std::any_of(graph.conditions.begin(), graph.conditions.end(), [&](const auto& condition) {
        return reinterpret_cast<CUgraphConditionalHandle>(&condition->value) == parameters.handle;
      });
  const unsigned most = parameters.type == CU_GRAPH_COND_TYPE_WHILE ? 1
                        : parameters.type == CU_GRAPH_COND_TYPE_IF  ? 2
                                                                    : 1u << 16;
  if (!known || parameters.size == 0 || parameters.size > most ||
      parameters.type > CU_GRAPH_COND_TYPE_SWITCH)
    return CUDA_ERROR_INVALID_VALUE;
  ConditionalWork condition{.context = nullptr,
                            .handle = parameters.handle,
                            .type = parameters.type,
                            .bodies = {},
                            .body_handles = std::make_shared<std::vector<CUgraph>>()};
  if (const CUresult failure = context_of_node(parameters.ctx, condition.context);
      failure != CUDA_SUCCESS)
    return failure;
  for (unsigned i = 0; i < parameters.size; ++i) {
    condition.bodies.push_back(make_public_graph());
    condition.bodies.back()->owned_by_node = true;
    condition.body_handles->push_back(condition.bodies.back()->handle);
  }
  parameters.phGraph_out = condition.body_handles->data();
  work = std::move(condition);
  return CUDA_SUCCESS;
}

}  // namespace
}  // namespace treadle::cuda_cpu

using namespace treadle::cuda_cpu;

CUresult cuGraphAddKernelNode(CUgraphNode* made, CUgraph graph, const CUgraphNode* dependencies,
                              size_t count, const CUDA_KERNEL_NODE_PARAMS* parameters) {
  if (parameters == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return add_node({made, graph, dependencies, count},
                  [&](NodeWork& work) { return describe_kernel(*parameters, work); });
}
CUresult cuGraphKernelNodeSetParams(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS* parameters) {
  if (parameters == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return change_node<KernelWork>(
      node, [&](NodeWork& work) { return describe_kernel(*parameters, work); });
}
CUresult cuGraphKernelNodeGetParams(CUgraphNode handle, CUDA_KERNEL_NODE_PARAMS* parameters) {
  return with_work<KernelWork>(handle, [&](GraphNode&, KernelWork& work) -> CUresult {
    if (parameters == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const auto& [grid, block, shared, cooperative] = work.shape;
    *parameters = {work.function->handle,
                   grid[0],
                   grid[1],
                   grid[2],
                   block[0],
                   block[1],
                   block[2],
                   shared,
                   work.argument_addresses(),
                   nullptr,
                   nullptr,
                   work.function->module->context->handle};
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphKernelNodeGetAttribute(CUgraphNode handle, CUkernelNodeAttrID attribute,
                                       CUkernelNodeAttrValue* value) {
  return with_work<KernelWork>(handle, [&](GraphNode&, const KernelWork& work) -> CUresult {
    if (value == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *value = {};
    if (attribute == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) value->cooperative = work.shape.cooperative;
    if (attribute == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) value->clusterDim = {1, 1, 1};
    return CUDA_SUCCESS;
  });
}
CUresult cuGraphKernelNodeSetAttribute(CUgraphNode handle, CUkernelNodeAttrID attribute,
                                       const CUkernelNodeAttrValue* value) {
  return with_work<KernelWork>(handle, [&](GraphNode&, KernelWork& work) -> CUresult {
    if (value == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const auto& cluster = value->clusterDim;
    if (attribute == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION && cluster.x * cluster.y * cluster.z > 1)
      return CUDA_ERROR_NOT_SUPPORTED;
    if (attribute == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT ||
        attribute == CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT)
      return CUDA_ERROR_INVALID_VALUE;  // of launches only
    if (attribute == CU_LAUNCH_ATTRIBUTE_COOPERATIVE)
      work.shape.cooperative = value->cooperative != 0;
    return CUDA_SUCCESS;  // the others are hints
  });
}
CUresult cuGraphKernelNodeCopyAttributes(CUgraphNode to, CUgraphNode from) {
  CUkernelNodeAttrValue value{};
  const CUresult failure =
      cuGraphKernelNodeGetAttribute(from, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &value);
  return failure != CUDA_SUCCESS
             ? failure
             : cuGraphKernelNodeSetAttribute(to, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &value);
}

CUresult cuGraphAddMemcpyNode(CUgraphNode* made, CUgraph graph, const CUgraphNode* dependencies,
                              size_t count, const CUDA_MEMCPY3D* parameters, CUcontext context) {
  if (parameters == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return add_node({made, graph, dependencies, count},
                  [&](NodeWork& work) { return describe_copy(*parameters, context, work); });
}
CUresult cuGraphMemcpyNodeSetParams(CUgraphNode node, const CUDA_MEMCPY3D* parameters) {
  if (parameters == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return change_node<CopyWork>(
      node, [&](NodeWork& work) { return describe_copy(*parameters, nullptr, work); });
}
CUresult cuGraphMemcpyNodeGetParams(CUgraphNode handle, CUDA_MEMCPY3D* parameters) {
  return with_work<CopyWork>(handle, [&](GraphNode&, const CopyWork& work) -> CUresult {
    if (parameters == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const Copy& copy = work.copy;
    *parameters = {};
    parameters->srcMemoryType = parameters->dstMemoryType = CU_MEMORYTYPE_UNIFIED;
    parameters->srcDevice = reinterpret_cast<CUdeviceptr>(copy.from);
    parameters->dstDevice = reinterpret_cast<CUdeviceptr>(copy.to);
    parameters->srcPitch = copy.from_pitch;
    parameters->dstPitch = copy.to_pitch;
    if (copy.from_pitch != 0) parameters->srcHeight = copy.from_slice / copy.from_pitch;
    if (copy.to_pitch != 0) parameters->dstHeight = copy.to_slice / copy.to_pitch;
    parameters->WidthInBytes = copy.width;
    parameters->Height = copy.height;
    parameters->Depth = copy.depth;
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphAddMemsetNode(CUgraphNode* made, CUgraph graph, const CUgraphNode* dependencies,
                              size_t count, const CUDA_MEMSET_NODE_PARAMS* parameters,
                              CUcontext context) {
  if (parameters == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return add_node({made, graph, dependencies, count},
                  [&](NodeWork& work) { return describe_fill(*parameters, context, work); });
}
CUresult cuGraphMemsetNodeSetParams(CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS* parameters) {
  if (parameters == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return change_node<FillWork>(
      node, [&](NodeWork& work) { return describe_fill(*parameters, nullptr, work); });
}
CUresult cuGraphMemsetNodeGetParams(CUgraphNode handle, CUDA_MEMSET_NODE_PARAMS* parameters) {
  return with_work<FillWork>(handle, [&](GraphNode&, const FillWork& work) -> CUresult {
    if (parameters == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const Fill& fill = work.fill;
    *parameters = {reinterpret_cast<CUdeviceptr>(fill.to),
                   fill.pitch,
                   static_cast<unsigned>(fill.value),
                   fill.element_size,
                   fill.width,
                   fill.height};
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphAddHostNode(CUgraphNode* made, CUgraph graph, const CUgraphNode* dependencies,
                            size_t count, const CUDA_HOST_NODE_PARAMS* parameters) {
  if (parameters == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return add_node({made, graph, dependencies, count},
                  [&](NodeWork& work) { return describe_host(*parameters, work); });
}
CUresult cuGraphHostNodeSetParams(CUgraphNode node, const CUDA_HOST_NODE_PARAMS* parameters) {
  if (parameters == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return change_node<HostWork>(node,
                               [&](NodeWork& work) { return describe_host(*parameters, work); });
}
CUresult cuGraphHostNodeGetParams(CUgraphNode handle, CUDA_HOST_NODE_PARAMS* parameters) {
  return with_work<HostWork>(handle, [&](GraphNode&, const HostWork& work) -> CUresult {
    if (parameters == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *parameters = {work.function, work.data};
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphAddChildGraphNode(CUgraphNode* made, CUgraph graph, const CUgraphNode* dependencies,
                                  size_t count, CUgraph child) {
  return add_node({made, graph, dependencies, count},
                  [&](NodeWork& work) { return describe_child(child, false, work); });
}
CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode handle, CUgraph* graph) {
  return with_work<ChildWork>(handle, [&](GraphNode&, const ChildWork& work) -> CUresult {
    if (graph == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *graph = work.graph->handle;
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphAddEmptyNode(CUgraphNode* made, CUgraph graph, const CUgraphNode* dependencies,
                             size_t count) {
  return add_node({made, graph, dependencies, count},
                  [](NodeWork&) -> CUresult { return CUDA_SUCCESS; });
}

CUresult cuGraphAddEventRecordNode(CUgraphNode* made, CUgraph graph,
                                   const CUgraphNode* dependencies, size_t count, CUevent event) {
  return add_node({made, graph, dependencies, count},
                  [&](NodeWork& work) { return describe_record(event, work); });
}
CUresult cuGraphEventRecordNodeSetEvent(CUgraphNode node, CUevent event) {
  return change_node<RecordWork>(node,
                                 [&](NodeWork& work) { return describe_record(event, work); });
}
CUresult cuGraphEventRecordNodeGetEvent(CUgraphNode handle, CUevent* event) {
  return with_work<RecordWork>(handle, [&](GraphNode&, const RecordWork& work) -> CUresult {
    if (event == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *event = work.handle;
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphAddEventWaitNode(CUgraphNode* made, CUgraph graph, const CUgraphNode* dependencies,
                                 size_t count, CUevent event) {
  return add_node({made, graph, dependencies, count},
                  [&](NodeWork& work) { return describe_wait(event, work); });
}
CUresult cuGraphEventWaitNodeSetEvent(CUgraphNode node, CUevent event) {
  return change_node<WaitWork>(node, [&](NodeWork& work) { return describe_wait(event, work); });
}
CUresult cuGraphEventWaitNodeGetEvent(CUgraphNode handle, CUevent* event) {
  return with_work<WaitWork>(handle, [&](GraphNode&, const WaitWork& work) -> CUresult {
    if (event == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *event = work.handle;
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphAddMemAllocNode(CUgraphNode* made, CUgraph graph, const CUgraphNode* dependencies,
                                size_t count, CUDA_MEM_ALLOC_NODE_PARAMS* parameters) {
  if (parameters == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return add_node({made, graph, dependencies, count},
                  [&](NodeWork& work) { return describe_allocation(*parameters, work); });
}
CUresult cuGraphMemAllocNodeGetParams(CUgraphNode handle, CUDA_MEM_ALLOC_NODE_PARAMS* parameters) {
  return with_work<AllocateWork>(handle, [&](GraphNode&, const AllocateWork& work) -> CUresult {
    if (parameters == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *parameters = work.parameters;
    return CUDA_SUCCESS;
  });
}
CUresult cuGraphAddMemFreeNode(CUgraphNode* made, CUgraph graph, const CUgraphNode* dependencies,
                               size_t count, CUdeviceptr address) {
  return add_node({made, graph, dependencies, count},
                  [&](NodeWork& work) { return describe_free(address, work); });
}
CUresult cuGraphMemFreeNodeGetParams(CUgraphNode handle, CUdeviceptr* address) {
  return with_work<FreeWork>(handle, [&](GraphNode&, const FreeWork& work) -> CUresult {
    if (address == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *address = work.address;
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphAddBatchMemOpNode(CUgraphNode* made, CUgraph graph, const CUgraphNode* dependencies,
                                  size_t count, const CUDA_BATCH_MEM_OP_NODE_PARAMS* parameters) {
  if (parameters == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return add_node({made, graph, dependencies, count},
                  [&](NodeWork& work) { return describe_operations(*parameters, work); });
}
CUresult cuGraphBatchMemOpNodeSetParams(CUgraphNode node,
                                        const CUDA_BATCH_MEM_OP_NODE_PARAMS* parameters) {
  if (parameters == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return change_node<OperationsWork>(
      node, [&](NodeWork& work) { return describe_operations(*parameters, work); });
}
CUresult cuGraphBatchMemOpNodeGetParams(CUgraphNode handle,
                                        CUDA_BATCH_MEM_OP_NODE_PARAMS* parameters) {
  return with_work<OperationsWork>(handle, [&](GraphNode&, OperationsWork& work) -> CUresult {
    if (parameters == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *parameters = {nullptr, static_cast<unsigned>(work.operations.size()), work.operations.data(),
                   0};
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphConditionalHandleCreate(CUgraphConditionalHandle* handle, CUgraph graph_handle,
                                        CUcontext context, unsigned initial, unsigned flags) {
  return with_graph(graph_handle, [&](const auto& graph) -> CUresult {
    std::shared_ptr<Context> found;
    if (handle == nullptr || (flags & ~static_cast<unsigned>(CU_GRAPH_COND_ASSIGN_DEFAULT)) != 0)
      return CUDA_ERROR_INVALID_VALUE;
    if (const CUresult failure = context_of_node(context, found); failure != CUDA_SUCCESS)
      return failure;
    graph->conditions.push_back(
        std::make_shared<Condition>(initial, (flags & CU_GRAPH_COND_ASSIGN_DEFAULT) != 0));
    *handle = reinterpret_cast<CUgraphConditionalHandle>(&graph->conditions.back()->value);
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphAddNode(CUgraphNode* made, CUgraph graph, const CUgraphNode* dependencies,
                        const CUgraphEdgeData* edges, size_t count, CUgraphNodeParams* parameters) {
  if (parameters == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return add_node({made, graph, dependencies, count}, [&](NodeWork& work) -> CUresult {
    if (!plain_edges(edges, count)) return CUDA_ERROR_NOT_SUPPORTED;
    switch (parameters->type) {
      case CU_GRAPH_NODE_TYPE_GRAPH: {
        const bool moved = parameters->graph.ownership == CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE;
        const CUresult failure = describe_child(parameters->graph.graph, moved, work);
        if (failure == CUDA_SUCCESS)
          parameters->graph.graph = std::get<ChildWork>(work).graph->handle;
        return failure;
      }
      case CU_GRAPH_NODE_TYPE_MEM_ALLOC: {
        CUDA_MEM_ALLOC_NODE_PARAMS allocation{};
        static_assert(sizeof allocation == sizeof parameters->alloc);
        std::memcpy(&allocation, &parameters->alloc, sizeof allocation);
        const CUresult failure = describe_allocation(allocation, work);
        parameters->alloc.dptr = allocation.dptr;
        return failure;
      }
      case CU_GRAPH_NODE_TYPE_MEM_FREE:
        return describe_free(parameters->free.dptr, work);
      case CU_GRAPH_NODE_TYPE_CONDITIONAL:
        return describe_condition(*graph_handles().find(graph), parameters->conditional, work);
      default:
        return describe_node(*parameters, work);
    }
  });
}

CUresult cuGraphNodeSetParams(CUgraphNode handle, CUgraphNodeParams* parameters) {
  return with_node(handle, [&](GraphNode& node) -> CUresult {
    if (parameters == nullptr || parameters->type != node.type()) return CUDA_ERROR_INVALID_VALUE;
    return describe_node(*parameters, node.work);
  });
}

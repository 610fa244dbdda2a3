// SPDX-License-Identifier: MIT
// What nodes of graphs do, as the driver tells it, and their batches of operations on memory.
#include <string>

#include "cuda/argument_check.hpp"
#include "cuda/graph_state.hpp"
#include "treadle/base/error.hpp"
#include "treadle/cuda/graph.hpp"
#include "treadle/cuda/launch_attributes.hpp"

namespace treadle::cuda {
namespace {

/// What `slot` tells of a node of the graph.
template <class Told, class Slot>
Told ask_node(const GraphState& graph, RawGraphNode node, const char* call, Slot Table::* slot) {
  const Activation active(graph.context());
  Told told{};
  check(active.table(), (active.table().*slot)(node, &told), call);
  return told;
}

/// One side of a copy; `suffix` is x or y and so on of either.
CopySide side_of(const Context& context, CUmemorytype type, const void* host, DevicePointer device,
                 RawArray array) {
  CopySide side;
  side.type = static_cast<MemoryType>(type);
  if (side.type == MemoryType::host) side.host = host;
  if (side.type == MemoryType::array)
    side.array = Array::borrow(context, array);
  else if (side.type != MemoryType::host)
    side.device = device;
  return side;
}

MemoryOperation operation_of(const CUstreamBatchMemOpParams& raw) {
  using Kind = MemoryOperation::Kind;
  // Waits and writes are laid out alike.
  MemoryOperation operation{Kind::wait32, raw.waitValue.address, raw.waitValue.value64};
  switch (raw.operation) {
    case CU_STREAM_MEM_OP_WAIT_VALUE_64:
      operation.kind = Kind::wait64;
      break;
    case CU_STREAM_MEM_OP_WRITE_VALUE_32:
      operation.kind = Kind::write32;
      break;
    case CU_STREAM_MEM_OP_WRITE_VALUE_64:
      operation.kind = Kind::write64;
      break;
    default:
      break;
  }
  if (operation.kind == Kind::wait32 || operation.kind == Kind::wait64)
    operation.condition = static_cast<WaitCondition>(raw.waitValue.flags & 3u);
  if (operation.kind == Kind::wait32 || operation.kind == Kind::write32)
    operation.value = static_cast<std::uint32_t>(operation.value);
  return operation;
}

AccessWindow window_of(const CUaccessPolicyWindow& raw) {
  return {reinterpret_cast<DevicePointer>(raw.base_ptr), raw.num_bytes, raw.hitRatio,
          static_cast<CacheLines>(raw.hitProp), static_cast<CacheLines>(raw.missProp)};
}

}  // namespace

CUDA_BATCH_MEM_OP_NODE_PARAMS raw_batch(const Context& context,
                                        std::vector<CUstreamBatchMemOpParams>& raw) {
  if (raw.empty())
    throw InvalidArgument("cuGraphAddBatchMemOpNode: there are no operations",
                          "pass at least one operation");
  return {context.raw(), static_cast<unsigned>(raw.size()), raw.data(), 0};
}

NodeKernel GraphNode::kernel() const {
  const auto raw = ask_node<CUDA_KERNEL_NODE_PARAMS>(*graph_, raw_, "cuGraphKernelNodeGetParams",
                                                     &Table::cuGraphKernelNodeGetParams);
  NodeKernel told;
  told.function = raw.func;
  told.grid = {raw.gridDimX, raw.gridDimY, raw.gridDimZ};
  told.block = {raw.blockDimX, raw.blockDimY, raw.blockDimZ};
  told.shared_bytes = raw.sharedMemBytes;
  const Activation active(graph_->context());
  const Table& cu = active.table();
  const char* name = nullptr;
  if (raw.func != nullptr && is_present(cu.cuFuncGetName) &&
      cu.cuFuncGetName(&name, raw.func) == CUDA_SUCCESS)
    told.name = name;
  if (raw.kernelParams == nullptr || raw.func == nullptr || !is_present(cu.cuFuncGetParamInfo))
    return told;
  std::size_t offset = 0, size = 0;
  for (std::size_t i = 0; cu.cuFuncGetParamInfo(raw.func, i, &offset, &size) == CUDA_SUCCESS; ++i) {
    const auto* bytes = static_cast<const std::byte*>(raw.kernelParams[i]);
    told.arguments.emplace_back(bytes, bytes + size);
  }
  return told;
}

LaunchAttributes GraphNode::attributes() const {
  const Activation active(graph_->context());
  const Table& cu = active.table();
  const auto ask = [&](CUlaunchAttributeID id) {
    CUlaunchAttributeValue value{};
    check(cu, cu.cuGraphKernelNodeGetAttribute(raw_, id, &value), "cuGraphKernelNodeGetAttribute");
    return value;
  };
  LaunchAttributes told;
  told.priority = ask(CU_LAUNCH_ATTRIBUTE_PRIORITY).priority;
  const auto cluster = ask(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION).clusterDim;
  told.cluster = Dim3{std::max(cluster.x, 1u), std::max(cluster.y, 1u), std::max(cluster.z, 1u)};
  told.cluster_scheduling =
      static_cast<ClusterScheduling>(ask(CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE)
                                         .clusterSchedulingPolicyPreference);
  told.memory_domain =
      static_cast<MemoryDomain>(ask(CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN).memSyncDomain);
  const AccessWindow window =
      window_of(ask(CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW).accessPolicyWindow);
  if (window.size_bytes != 0) told.access_window = window;
  return told;
}

Copy3D GraphNode::copy() const {
  const auto raw = ask_node<CUDA_MEMCPY3D>(*graph_, raw_, "cuGraphMemcpyNodeGetParams",
                                           &Table::cuGraphMemcpyNodeGetParams);
  const Context& context = graph_->context();
  Copy3D told{.width_bytes = raw.WidthInBytes, .height = raw.Height, .depth = raw.Depth};
  CopySide& source = told.source =
      side_of(context, raw.srcMemoryType, raw.srcHost, raw.srcDevice, raw.srcArray);
  source.x_bytes = raw.srcXInBytes;
  source.y = raw.srcY;
  source.z = raw.srcZ;
  source.pitch_bytes = raw.srcPitch;
  source.height = raw.srcHeight;
  source.level_of_detail = raw.srcLOD;
  CopySide& destination = told.destination =
      side_of(context, raw.dstMemoryType, raw.dstHost, raw.dstDevice, raw.dstArray);
  destination.x_bytes = raw.dstXInBytes;
  destination.y = raw.dstY;
  destination.z = raw.dstZ;
  destination.pitch_bytes = raw.dstPitch;
  destination.height = raw.dstHeight;
  destination.level_of_detail = raw.dstLOD;
  return told;
}

GraphFill GraphNode::fill() const {
  const auto raw = ask_node<CUDA_MEMSET_NODE_PARAMS>(*graph_, raw_, "cuGraphMemsetNodeGetParams",
                                                     &Table::cuGraphMemsetNodeGetParams);
  return {{raw.dst, raw.pitch, raw.width, raw.height}, raw.value, raw.elementSize};
}

NodeHost GraphNode::host() const {
  const auto raw = ask_node<CUDA_HOST_NODE_PARAMS>(*graph_, raw_, "cuGraphHostNodeGetParams",
                                                   &Table::cuGraphHostNodeGetParams);
  return {raw.fn, raw.userData};
}

RawEvent GraphNode::event() const {
  return type() == GraphNodeType::record
             ? ask_node<CUevent>(*graph_, raw_, "cuGraphEventRecordNodeGetEvent",
                                 &Table::cuGraphEventRecordNodeGetEvent)
             : ask_node<CUevent>(*graph_, raw_, "cuGraphEventWaitNodeGetEvent",
                                 &Table::cuGraphEventWaitNodeGetEvent);
}

std::vector<MemoryOperation> GraphNode::operations() const {
  const auto raw = ask_node<CUDA_BATCH_MEM_OP_NODE_PARAMS>(
      *graph_, raw_, "cuGraphBatchMemOpNodeGetParams", &Table::cuGraphBatchMemOpNodeGetParams);
  std::vector<MemoryOperation> told;
  for (unsigned i = 0; i < raw.count; ++i) told.push_back(operation_of(raw.paramArray[i]));
  return told;
}

NodeAllocation GraphNode::allocation() const {
  const auto raw = ask_node<CUDA_MEM_ALLOC_NODE_PARAMS>(
      *graph_, raw_, "cuGraphMemAllocNodeGetParams", &Table::cuGraphMemAllocNodeGetParams);
  return {raw.dptr, raw.bytesize};
}

DevicePointer GraphNode::freed() const {
  return ask_node<DevicePointer>(*graph_, raw_, "cuGraphMemFreeNodeGetParams",
                                 &Table::cuGraphMemFreeNodeGetParams);
}

void GraphNode::copy_attributes(const GraphNode& from) const {
  const Activation active(graph_->context());
  check(active.table(), active.table().cuGraphKernelNodeCopyAttributes(raw_, from.raw_),
        "cuGraphKernelNodeCopyAttributes");
}

void GraphNode::set_operations(std::span<const MemoryOperation> operations) const {
  auto raw = raw_operations(operations);
  const auto batch = raw_batch(graph_->context(), raw);
  const Activation active(graph_->context());
  check(active.table(), active.table().cuGraphBatchMemOpNodeSetParams(raw_, &batch),
        "cuGraphBatchMemOpNodeSetParams");
}

GraphNode Graph::add_operations(const After& after,
                                std::span<const MemoryOperation> operations) const {
  auto parts = raw_operations(operations);
  const auto batch = raw_batch(context(), parts);
  const Activation active(context());
  RawGraphNode made = nullptr;
  check(active.table(),
        active.table().cuGraphAddBatchMemOpNode(&made, raw(), after.raw().data(),
                                                after.raw().size(), &batch),
        "cuGraphAddBatchMemOpNode");
  return node(made);
}

void GraphExec::set_operations(const GraphNode& node,
                               std::span<const MemoryOperation> operations) const {
  auto parts = raw_operations(operations);
  const auto batch = raw_batch(context(), parts);
  const Activation active(context());
  check(
      active.table(), active.table().cuGraphExecBatchMemOpNodeSetParams(raw(), node.raw(), &batch),
      "cuGraphExecBatchMemOpNodeSetParams", [&] {
        return std::to_string(operations.size()) +
               " operations; they must be as many, of the same kinds, as when it was instantiated";
      });
}

InstantiateFlags GraphExec::flags() const {
  const Activation active(context());
  cuuint64_t told = 0;
  check(active.table(), active.table().cuGraphExecGetFlags(raw(), &told), "cuGraphExecGetFlags");
  return static_cast<InstantiateFlags>(told);
}

}  // namespace treadle::cuda
